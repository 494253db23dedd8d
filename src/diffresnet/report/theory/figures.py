"""Pictures of the theory: L/D with what Theorem 2 requires, and points before and after."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from diffresnet.report.panels import (
    CLASS_COLORS,
    draw_points,
    limits_of,
    new_figure,
    render,
    scatter,
)
from diffresnet.theory import Bound

STYLES: dict[Bound, str] = {"paper": ":", "sqrt": "-.", "exact": "--"}


def draw_required(
    ratios: Sequence[float], predicted: Sequence[float], required: Mapping[Bound, float]
) -> bytes:
    """Draw L/D by step, the growth that the spectrum predicts, and the required ratios.

    Args:
        ratios: L/D after 0, 1, 2, ... steps.
        predicted: a curve beside it, as long.
        required: L/D of Theorem 2, by bound.
    """
    figure = new_figure("draw_required", 6.4, 4)
    axes = figure.subplots()
    axes.semilogy(ratios, color="#222222", label="L/D, measured")
    axes.semilogy(predicted, color="#d35400", linestyle="--", label="at the spectral rate")
    for (bound, ratio), color in zip(required.items(), CLASS_COLORS[1:], strict=False):
        label = f"Theorem 2, {bound}: {ratio:.3g}"
        axes.axhline(ratio, color=color, linestyle=STYLES[bound], label=label)
    axes.set(xlabel="diffusion steps", ylabel="L/D", title="XOR: when Theorem 2 applies")
    axes.legend(frameon=False)
    return render(figure, "png")


def draw_states(states: Mapping[str, Tensor], labels: Tensor) -> bytes:
    """Draw planar points (N, 2) in several states, by title, side by side over the same axes."""
    figure = new_figure("draw_states", 3.6 * len(states), 3.9)
    limits = limits_of(*states.values())
    panels = figure.subplots(1, len(states), squeeze=False)[0]
    for panel, (title, points) in zip(panels, states.items(), strict=True):
        draw_points(panel, points, labels, title, limits)
    return render(figure, "png")


def draw_levels(states: Mapping[str, Tensor], labels: Tensor) -> bytes:
    """Draw points, (N, 2) along w* and beta*, in several states, each over axes of its own."""
    figure = new_figure("draw_levels", 4 * len(states), 3.6)
    panels = figure.subplots(1, len(states), squeeze=False)[0]
    for panel, (title, points) in zip(panels, states.items(), strict=True):
        scatter(panel, points, labels)
        panel.set(title=title, xlabel="along w*", ylabel="along beta*")
    return render(figure, "png")
