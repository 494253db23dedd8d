"""The parts of a classifier's report: numbers, charts and tables, as HTML."""

from collections.abc import Sequence
from html import escape

import numpy as np

from diffresnet._support.words import count
from diffresnet.estimators import LearningCurve
from diffresnet.report.class_marks import UNREACHED_MARK
from diffresnet.report.classification.outcome import Outcome
from diffresnet.report.layout import Rows
from diffresnet.report.point_map import MapPoint
from diffresnet.report.previews import show_preview
from diffresnet.report.svg_charts import draw_curve, draw_histogram

N_BARS = 20
N_CLASSES_OPEN = 24


def card(title: str, content: str) -> str:
    """Return a section with a title."""
    return f'<section class="card"><h2>{escape(title)}</h2>\n{content}</section>'


def sentences(found: Sequence[str]) -> str:
    """Return a list of sentences."""
    return f"<ul>{''.join(f'<li>{escape(one)}</li>' for one in found)}</ul>"


def headline(outcome: Outcome) -> str:
    """Return the sentence that says it all, and a second one about points out of reach."""
    n_points, n_classes = outcome.probabilities.shape
    n_labels = int(outcome.is_labeled.sum())
    given = f"{count(n_points, 'point')} and {count(n_labels, 'label')}"
    words = f"{given}, in {count(n_classes, 'class')}."
    sureness = outcome.sureness
    if len(sureness):
        words += (
            " A point without a label gets its class with a probability of "
            f"{say_probability(float(sureness.mean()))} on average."
        )
    n_missed = int((~outcome.reached).sum())
    if n_missed:
        words += f" No label reaches {count(n_missed, 'point')}."
    return f'<p class="lead">{escape(words)}</p>'


def map_section(drawing: str, legend: str, *, has_before: bool) -> str:
    """Return the map with its buttons and legend."""
    buttons = (
        '<div class="switch" id="switch" role="group" aria-label="Which map" hidden>'
        '<button type="button" data-show="before" aria-pressed="false">Before diffusion</button>'
        '<button type="button" data-show="after" aria-pressed="true">After diffusion</button></div>'
        if has_before
        else ""
    )
    return f"""<div class="bar-top"><h2>Map</h2>{buttons}</div>
<div class="map-grid"><div class="map-box">{drawing}
<div id="tip" hidden><strong></strong><span></span></div></div>
<div><p class="note">Similar points lie close together. A star has a label. A dashed ring is worth a
label next. Pale points are less certain.</p>
{legend}</div></div>"""


def histogram(outcome: Outcome) -> str:
    """Return how many points have which probability."""
    sureness = outcome.sureness
    counts = np.histogram(sureness, bins=N_BARS, range=(0, 1))[0].tolist()
    n_high = int((sureness >= 0.9).sum())
    text = f"{n_high:,} of {len(sureness):,} points without a label are 90% sure or more."
    chart = draw_histogram(counts, "probability of the predicted class", text)
    return f'{chart}<p class="note">{text}</p>'


def curve_chart(curve: LearningCurve) -> str:
    """Return how the accuracy grew with labels, and what twice as many would be worth."""
    points = list(zip(curve.n_labels, curve.accuracy, strict=True))
    ahead = (2 * curve.n_labels[-1], curve.expected_at_double)
    text = " ".join(curve.sentences)
    chart = draw_curve(points, curve.interval, ahead, "labels, and the accuracy to expect", text)
    return f'{chart}<p class="note">{escape(curve.sentences[-1])}</p>'


def class_bars(outcome: Outcome) -> str:
    """Return a table of labels and predictions a class, the largest first, with bars."""
    n_classes = len(outcome.class_names)
    found = np.bincount(outcome.probabilities.argmax(axis=1)[outcome.reached], minlength=n_classes)
    labels = np.bincount(outcome.encoded[outcome.is_labeled], minlength=n_classes)
    top = max(int(found.max()), 1)
    order = np.argsort(-found, kind="stable").tolist()
    rows = [
        f'<tr><th scope="row">{outcome.marks[which].to_html(outcome.class_names[which])}'
        f'<div class="fill k-{outcome.marks[which].kind}" '
        f'style="width:{100 * found[which] / top:.1f}%"></div></th>'
        f"<td>{labels[which]:,}</td><td>{found[which]:,}</td></tr>"
        for which in order
    ]
    heads = ("Class", "Labels", "All points")
    note = '<p class="note">All points of a class: those with its label, and those predicted.</p>'
    shown = table("bars", heads, rows[:N_CLASSES_OPEN]) + note
    if n_classes <= N_CLASSES_OPEN:
        return shown
    rest = table("bars", heads, rows[N_CLASSES_OPEN:])
    more = count(n_classes - N_CLASSES_OPEN, "smaller class")
    return f"{shown}<details><summary>{more}</summary>{rest}</details>"


def least_certain(outcome: Outcome, n: int) -> Rows:
    """Return the reached points whose answer has the lowest probability, the lowest first."""
    rows = np.flatnonzero(~outcome.is_labeled & outcome.reached)
    return rows[np.argsort(outcome.probabilities[rows].max(axis=1), kind="stable")[:n]]


def point_table(outcome: Outcome, rows: Rows) -> str:
    """Return points with their two most likely classes."""
    if not len(rows):
        return '<p class="note">None: every point has a label.</p>'
    heads = ("Point", "Class", "Probability", "Second class")
    return table("points", heads, [_point_row(outcome, row) for row in rows.tolist()])


def answer(outcome: Outcome, row: int) -> str:
    """Return the class of a point and how sure that is, in words."""
    if not outcome.reached[row]:
        return "no label reaches it"
    probabilities = outcome.probabilities[row]
    name = outcome.class_names[int(probabilities.argmax())]
    return f"{name}, {'label' if outcome.is_labeled[row] else say_probability(probabilities.max())}"


def map_points(outcome: Outcome, rows: Rows, suggested: Rows) -> list[MapPoint]:
    """Return the points of these rows, for the map; those to label next are `suggested`."""
    guess = 1 / outcome.probabilities.shape[1]
    best, answers = outcome.probabilities.max(axis=1), outcome.probabilities.argmax(axis=1)
    return [
        MapPoint(
            name=outcome.ids[row],
            answer=answer(outcome, row),
            mark=outcome.marks[answers[row]] if outcome.reached[row] else UNREACHED_MARK,
            sureness=float((best[row] - guess) / (1 - guess)),
            is_labeled=bool(outcome.is_labeled[row]),
            is_suggested=row in suggested,
        )
        for row in map(int, rows)
    ]


def say_probability(probability: float) -> str:
    """Return a probability in words; nothing but certainty is 0% or 100%."""
    if 0.995 <= probability < 1:
        return "over 99%"
    return "under 1%" if 0 < probability < 0.005 else f"{probability:.0%}"


def _point_row(outcome: Outcome, row: int) -> str:
    probabilities = outcome.probabilities[row]
    seen = show_preview(outcome.previews[row], "") if len(outcome.previews) else ""
    name = f'<th scope="row">{seen}{escape(outcome.ids[row])}</th>'
    if not outcome.reached[row]:
        missed = UNREACHED_MARK.to_html("no label reaches it")
        return f'<tr>{name}<td colspan="3">{missed}</td></tr>'
    second, first = np.argsort(probabilities, kind="stable")[-2:].tolist()
    other = f"{outcome.class_names[second]} ({say_probability(probabilities[second])})"
    return (
        f"<tr>{name}<td>{outcome.marks[first].to_html(outcome.class_names[first])}</td>"
        f"<td>{say_probability(probabilities[first])}</td><td>{outcome.marks[second].to_html(other)}</td></tr>"
    )


def table(kind: str, heads: Sequence[str], rows: Sequence[str]) -> str:
    """Return a table of a kind, with heads and rows that are markup."""
    head, body = "".join(f'<th scope="col">{head}</th>' for head in heads), "\n".join(rows)
    return f'<table class="{kind}"><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>'
