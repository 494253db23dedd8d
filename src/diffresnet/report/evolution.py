"""Pictures of points on the move: some of their states, D and L/D by step, and an animation."""

from collections.abc import Mapping, Sequence
from io import BytesIO

from torch import Tensor

from diffresnet._support.extras import needs_extra
from diffresnet._support.words import count
from diffresnet.report.panels import PictureFormat, draw_points, limits_of, new_figure, render


def draw_evolution(
    states: Mapping[int, Tensor],
    labels: Tensor,
    max_diameters: Sequence[float],
    ratios: Sequence[float],
    picture_format: PictureFormat = "png",
) -> bytes:
    """Draw planar points after some numbers of steps, and beside them D and L/D by step.

    Args:
        states: the points (N, 2) by number of steps.
        labels: (N,) class of each point, which gives its color.
        max_diameters: D after 0, 1, 2, ... steps.
        ratios: L/D after 0, 1, 2, ... steps.
        picture_format: of the file.
    """
    n_panels = len(states) + 1
    n_columns = (n_panels + 1) // 2
    figure = new_figure("draw_evolution", 3.2 * n_columns, 6.4)
    panels = figure.subplots(2, n_columns, squeeze=False).flatten()
    limits = limits_of(*states.values())
    for panel, (step, points) in zip(panels, states.items(), strict=False):
        draw_points(panel, points, labels, _title(step), limits)
    curve = panels[n_panels - 1]
    curve.semilogy(max_diameters, color="#222222", label="D, largest diameter")
    curve.semilogy(ratios, color="#d35400", linestyle="--", label="L/D")
    curve.set(xlabel="diffusion steps", title="D falls, L/D grows")
    curve.legend(frameon=False)
    for panel in panels[n_panels:]:
        panel.set_visible(False)
    return render(figure, picture_format)


def animate_evolution(states: Mapping[int, Tensor], labels: Tensor) -> bytes:
    """Return a GIF of planar points, whose states (N, 2) by number of steps are one frame each."""
    figure = new_figure("animate_evolution", 3.6, 3.9)
    with needs_extra("animate_evolution", "figures"):
        from PIL import Image  # noqa: PLC0415  (an extra)
    panel = figure.subplots()
    limits = limits_of(*states.values())
    frames: list[Image.Image] = []
    for step, points in states.items():
        panel.clear()
        draw_points(panel, points, labels, _title(step), limits)
        frames.append(Image.open(BytesIO(render(figure, "png", dpi=80))).convert("RGB"))
    content = BytesIO()
    first, *others = frames
    first.save(content, "gif", save_all=True, append_images=others, duration=125, loop=0)
    return content.getvalue()


def _title(step: int) -> str:
    return "raw points" if step == 0 else f"after {count(step, 'step')}"
