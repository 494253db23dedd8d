"""Means with their 95 % intervals, one row a method, one panel a setting."""

from collections.abc import Mapping
from typing import TypeAlias

from diffresnet.report.panels import CLASS_COLORS, MARKERS, PictureFormat, new_figure, render

Intervals: TypeAlias = Mapping[str, tuple[float, float]]
"""By method: the mean, and half of its interval."""


def draw_intervals(
    panels: Mapping[str, Mapping[str, Intervals]], picture_format: PictureFormat = "png"
) -> bytes:
    """Draw accuracies and intervals of the same methods, in panels and within them in series.

    Args:
        panels: by title of the panel, then by name of the series. All have the same methods.
        picture_format: of the file.
    """
    methods = list(next(iter(next(iter(panels.values())).values())))
    height = 1.2 + 0.32 * len(methods)
    figure = new_figure("draw_intervals", 2.6 + 3.6 * len(panels), height)
    grid = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, (title, series) in zip(grid, panels.items(), strict=True):
        for which, (name, intervals) in enumerate(series.items()):
            shift = 0.3 * (which - (len(series) - 1) / 2) if len(series) > 1 else 0
            axes.errorbar(
                [mean for mean, _ in intervals.values()],
                [row + shift for row in range(len(methods))],
                xerr=[half for _, half in intervals.values()],
                fmt=MARKERS[which],
                markersize=5,
                color=CLASS_COLORS[1 - which],
                label=name,
            )
        axes.set(title=title, xlabel="accuracy (%)")
        axes.set_yticks(range(len(methods)), methods)
        axes.grid(color="#dddddd", linewidth=0.6)
        axes.set_axisbelow(True)
    handles, names = grid[0].get_legend_handles_labels()
    if len(names) > 1:
        figure.legend(handles, names, loc="outside lower center", ncols=len(names), frameon=False)
    grid[0].set_ylim(len(methods) - 0.5, -0.5)  # the first on top, with some room
    return render(figure, picture_format)
