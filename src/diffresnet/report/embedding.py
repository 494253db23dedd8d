"""Points of few-shot tasks in the plane: labeled ones as stars, the others as circles."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torch import Tensor

from diffresnet.report.panels import CLASS_COLORS, PictureFormat, limits_of, new_figure, render

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Embedding:
    """The points of a task in the plane.

    Attributes:
        title: above the panel.
        points: (N, 2), the labeled ones first.
        labels: (N,) class of each point, which gives its color.
        n_support: how many are labeled.
        class_names: of the classes of the task.
    """

    title: str
    points: Tensor
    labels: Tensor
    n_support: int
    class_names: Sequence[str]


def draw_embeddings(
    rows: Sequence[Sequence[Embedding]], picture_format: PictureFormat = "png"
) -> bytes:
    """Draw tasks in the plane, one a row, with a legend of classes for each row."""
    n_columns = len(rows[0])
    longest = max(len(name) for row in rows for name in row[0].class_names)
    width = 3.9 * n_columns + 0.8 + 0.085 * longest
    figure = new_figure("draw_embeddings", width, 3.9 * len(rows))
    grid = figure.subplots(len(rows), n_columns, squeeze=False)
    for panels, row in zip(grid, rows, strict=True):
        for panel, embedding in zip(panels, row, strict=True):
            for which, name in enumerate(embedding.class_names):
                _draw_class(panel, embedding, which, name)
            x_limits, y_limits = limits_of(embedding.points)
            panel.set(title=embedding.title, xlim=x_limits, ylim=y_limits, xticks=[], yticks=[])
            panel.set_aspect("equal")
        legend = panels[-1].legend(
            title="class", frameon=False, loc="center left", bbox_to_anchor=(1.02, 0.5)
        )
        for handle in legend.legend_handles:
            handle.set(alpha=1, sizes=[45])
    return render(figure, picture_format)


def _draw_class(panel: "Axes", embedding: Embedding, which: int, name: str) -> None:
    members = (embedding.labels == which).nonzero().squeeze(1)
    is_labeled = members < embedding.n_support
    query, support = (embedding.points[members[side]] for side in (~is_labeled, is_labeled))
    color = CLASS_COLORS[which % len(CLASS_COLORS)]
    panel.scatter(query[:, 0], query[:, 1], c=color, s=26, alpha=0.6, linewidths=0, label=name)
    panel.scatter(
        support[:, 0], support[:, 1], c=color, s=190, marker="*", edgecolors="black", zorder=3
    )
