"""Curves with their 95 % band: something measured, against a setting."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from diffresnet.measuring.statistics import Floats, percent_interval
from diffresnet.report.panels import CLASS_COLORS, MARKERS, PictureFormat, new_figure, render


@dataclass(frozen=True)
class Curve:
    """A line through what was measured; half of each 95 % interval, if given, makes a band."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    half_widths: Sequence[float] = ()


def accuracy_curve(label: str, accuracies: Mapping[float, Floats]) -> Curve:
    """Return the mean of the accuracies at each setting, in percent, with its band."""
    means, halves = zip(*map(percent_interval, accuracies.values()), strict=True)
    return Curve(label, list(accuracies), means, halves)


@dataclass(frozen=True)
class CurvePanel:
    """Curves over the same axes.

    Attributes:
        marked: a setting that gets a dotted line, and what the legend calls it.
        logarithmic: draw powers of ten at the same distance.
        ticks: settings that are doubled from one to the next, drawn at the same distance.
    """

    title: str
    x_label: str
    y_label: str
    curves: Sequence[Curve]
    marked: tuple[float, str] | None = None
    logarithmic: bool = False
    ticks: Sequence[int] = ()


def draw_curves(panels: Sequence[CurvePanel], picture_format: PictureFormat = "png") -> bytes:
    """Draw panels of curves side by side, from left to right."""
    figure = new_figure("draw_curves", 5.6 * len(panels), 4)
    for axes, panel in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
        for curve, color, marker in zip(panel.curves, CLASS_COLORS, MARKERS, strict=False):
            axes.plot(curve.x, curve.y, marker=marker, markersize=4, color=color, label=curve.label)
            if curve.half_widths:
                pairs = list(zip(curve.y, curve.half_widths, strict=True))
                lows, highs = [y - half for y, half in pairs], [y + half for y, half in pairs]
                axes.fill_between(curve.x, lows, highs, color=color, alpha=0.15, linewidth=0)
        if panel.marked is not None:
            x, label = panel.marked
            axes.axvline(x, color="#888888", linestyle=":", label=label)
        if panel.logarithmic:
            axes.set_yscale("log")
        if panel.ticks:
            axes.set_xscale("log", base=2)
            axes.set_xticks(panel.ticks, map(str, panel.ticks))
        elif all(float(x).is_integer() for curve in panel.curves for x in curve.x):
            axes.locator_params(axis="x", integer=True)
        axes.set(title=panel.title, xlabel=panel.x_label, ylabel=panel.y_label)
        axes.grid(color="#dddddd", linewidth=0.6)
        axes.legend(frameon=False)
    return render(figure, picture_format)
