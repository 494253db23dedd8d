"""What the pictures share: figures that matplotlib draws without a screen, and planar points.

Every function that draws returns the content of a picture file, and raises `ModuleNotFoundError` if
matplotlib is not installed.
"""

import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, TypeAlias

import torch
from torch import Tensor

from diffresnet._support.extras import needs_extra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CLASS_COLORS = ("#c0392b", "#2471a3", "#1e8449", "#b7950b", "#7d3c98", "#5d6d7e")
MARKERS = "osD^v"

PictureFormat: TypeAlias = Literal["png", "svg"]
PICTURE_FORMATS: tuple[PictureFormat, ...] = ("png", "svg")
Limits: TypeAlias = tuple[tuple[float, float], tuple[float, float]]


def new_figure(function: str, width: float, height: float) -> "Figure":
    """Return an empty figure of this size in inches, which needs no screen."""
    with needs_extra(function, "figures"):
        from matplotlib.figure import Figure  # noqa: PLC0415  (an extra)
    return Figure(figsize=(width, height), layout="constrained")


def in_all_formats(name: str, draw: Callable[[PictureFormat], bytes]) -> dict[str, bytes]:
    """Draw a picture in each format, and return the files by their names."""
    return {f"{name}.{kind}": draw(kind) for kind in PICTURE_FORMATS}


def limits_of(*states: Tensor) -> Limits:
    """Return a square, (left, right) and (bottom, top), that holds all these points (N, 2)."""
    points = torch.cat(states).double()
    lows, highs = points.amin(dim=0), points.amax(dim=0)
    half = 0.54 * float((highs - lows).max()) or 1.0
    x, y = ((lows + highs) / 2).tolist()
    return (x - half, x + half), (y - half, y + half)


def scatter(panel: "Axes", points: Tensor, labels: Tensor) -> None:
    """Draw planar points (N, 2) in the colors of their classes."""
    colors = [CLASS_COLORS[int(label) % len(CLASS_COLORS)] for label in labels]
    panel.scatter(points[:, 0], points[:, 1], c=colors, s=9, alpha=0.7, linewidths=0)


def draw_points(panel: "Axes", points: Tensor, labels: Tensor, title: str, limits: Limits) -> None:
    """Draw planar points under a title, without axes."""
    scatter(panel, points, labels)
    panel.set(title=title, xlim=limits[0], ylim=limits[1], xticks=[], yticks=[])
    panel.set_aspect("equal")


def render(figure: "Figure", picture_format: PictureFormat, dpi: int = 110) -> bytes:
    """Return the content of a picture file; the same figure always gives the same bytes."""
    from matplotlib import rc_context  # noqa: PLC0415  (an extra, which the figure is of)

    content = io.BytesIO()
    metadata = {"Date": None} if picture_format == "svg" else None
    with rc_context({"svg.hashsalt": "diffresnet"}):  # otherwise the ids in a file are random
        figure.savefig(content, format=picture_format, dpi=dpi, metadata=metadata)
    return content.getvalue()
