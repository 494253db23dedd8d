"""
Theorem 1: a network that is written down
=========================================

After diffusion parallel planes part the subclasses (Theorem 2), and a residual network with two
hinges for each change of class makes the classes linearly separable (Theorem 1). Nothing is
trained: `build_flow` writes down the weights.
"""

import matplotlib.pyplot as plt
import numpy as np
import torch

from diffresnet import DiffusionOperator, build_weights
from diffresnet.datasets import make_xor
from diffresnet.theory import build_flow

data = make_xor(torch.Generator().manual_seed(0))
operator = DiffusionOperator(build_weights(data.points, n_top=12))
diffused = operator.diffuse(data.points, step_size=0.5, n_steps=40)
flow = build_flow(diffused, data.subclasses, data.labels, width=2)
print(flow.report)

moved = flow.network(diffused).detach()
figure, panels = plt.subplots(1, 3, figsize=(11, 3.8), layout="constrained")
shown = {"points": data.points, "after diffusion": diffused, "after the network": moved}
colors = np.where(data.labels.numpy() == 0, "tab:red", "tab:blue")
for panel, (name, points) in zip(panels, shown.items(), strict=True):
    panel.scatter(*points.T.numpy(), c=colors, s=12)
    panel.set_title(name)
    panel.set_aspect("equal", adjustable="datalim")

# The line between the classes, which the linear classifier of the flow finds.
weight, bias = flow.classifier.weight.detach(), flow.classifier.bias.detach()
normal, offset = (weight[1] - weight[0]).numpy(), float(bias[1] - bias[0])
middle = -offset * normal / (normal @ normal)
panels[2].axline(middle, middle + np.array([-normal[1], normal[0]]), color="black", ls="--")
plt.show()
