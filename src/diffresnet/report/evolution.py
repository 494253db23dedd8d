"""A picture of points on the move: where they are after some steps, and D and L/D by step."""

import io
from collections.abc import Mapping, Sequence
from typing import Literal

from torch import Tensor

from diffresnet._extras import needs_extra

CLASS_COLORS = ("#c0392b", "#2471a3", "#1e8449", "#b7950b", "#7d3c98", "#5d6d7e")


def draw_evolution(
    states: Mapping[int, Tensor],
    labels: Tensor,
    max_diameters: Sequence[float],
    ratios: Sequence[float],
    file_format: Literal["png", "svg"] = "png",
) -> bytes:
    """Draw planar points after some numbers of steps, and beside them D and L/D by step.

    Args:
        states: the points (N, 2) by number of steps.
        labels: (N,) class of each point, which gives its color.
        max_diameters: D after 0, 1, 2, ... steps.
        ratios: L/D after 0, 1, 2, ... steps.
        file_format: of the picture.

    Returns:
        The content of a picture file.

    Raises:
        ModuleNotFoundError: if matplotlib is not installed.
    """
    with needs_extra("draw_evolution", "figures"):
        from matplotlib.figure import Figure  # noqa: PLC0415  (an extra)

    n_panels = len(states) + 1
    n_columns = (n_panels + 1) // 2
    figure = Figure(figsize=(3.2 * n_columns, 6.4), layout="constrained")
    panels = figure.subplots(2, n_columns, squeeze=False).flatten()
    first = next(iter(states.values()))
    low, high = float(first.min()), float(first.max())
    margin = 0.08 * (high - low)
    colors = [CLASS_COLORS[int(label) % len(CLASS_COLORS)] for label in labels]
    for panel, (step, points) in zip(panels, states.items(), strict=False):
        panel.scatter(points[:, 0], points[:, 1], c=colors, s=9, alpha=0.7, linewidths=0)
        panel.set_title("raw points" if step == 0 else f"after {step} step{'s' * (step > 1)}")
        panel.set(xlim=(low - margin, high + margin), ylim=(low - margin, high + margin))
        panel.set_aspect("equal")
        panel.set(xticks=[], yticks=[])
    curve = panels[n_panels - 1]
    curve.semilogy(max_diameters, color="black", label="D, largest diameter")
    curve.semilogy(ratios, color="black", linestyle="--", label="L/D")
    curve.set(xlabel="diffusion steps", title="each subclass shrinks")
    curve.legend(frameon=False)
    for panel in panels[n_panels:]:
        panel.set_visible(False)
    content = io.BytesIO()
    figure.savefig(content, format=file_format, dpi=110)
    return content.getvalue()
