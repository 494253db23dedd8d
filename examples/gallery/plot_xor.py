"""
The XOR set, step by step
=========================

Figure "XOR" of the paper, without any network: four discs of two classes that no line parts.
Diffusion alone draws each disc to a point, and keeps them apart.
"""

import matplotlib.pyplot as plt
import numpy as np
import torch
from matplotlib.animation import FuncAnimation

from diffresnet.paper.xor import run_xor

result = run_xor(torch.Generator().manual_seed(0))
colors = np.where(result.data.labels.numpy() == 0, "tab:red", "tab:blue")
figure, panels = plt.subplots(2, 4, figsize=(11, 5.6), layout="constrained")
for panel, step in zip(panels.flat, (0, 2, 4, 7, 11, 17, 28, 100), strict=True):
    panel.scatter(*result.frames[step].T.numpy(), c=colors, s=10)
    ratio = result.min_distances[step] / result.max_diameters[step]
    panel.set(title=f"{step} steps, L/D = {ratio:.2g}", xlim=(-1, 3), ylim=(-1, 3))
    panel.set(xticks=[], yticks=[])
    panel.set_aspect("equal")

# %%
# The same as it moves.
moving, stage = plt.subplots(figsize=(4.4, 4.6), layout="constrained")
dots = stage.scatter(*result.frames[0].T.numpy(), c=colors, s=12)
stage.set(xlim=(-1, 3), ylim=(-1, 3), xticks=[], yticks=[])
stage.set_aspect("equal")


def show(step):
    dots.set_offsets(result.frames[step].numpy())
    stage.set_title(f"{step} steps")


steps = [0] * 6 + list(range(1, 30)) + list(range(30, 101, 5)) + [100] * 8
animation = FuncAnimation(moving, show, frames=steps)

# %%
# L, the least distance of two discs, hardly moves, while D, the largest diameter, shrinks.
figure, panel = plt.subplots(figsize=(7, 3.6), layout="constrained")
panel.semilogy(result.min_distances, label="L: least distance of two discs")
panel.semilogy(result.max_diameters, label="D: largest diameter")
panel.set(xlabel="steps", title="L/D grows exponentially (Proposition 1)")
panel.legend()
panel.grid(alpha=0.3)
plt.show()
