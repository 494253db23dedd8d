"""The report of a classifier: one page, with nothing outside it, to look at and to print."""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path

import numpy as np
from sklearn.utils.validation import check_is_fitted

from diffresnet._support.checks import fail
from diffresnet._support.writing import write_whole
from diffresnet.estimators import DiffResNetClassifier, LearningCurve
from diffresnet.report.class_marks import choose_marks, color_style, draw_legend
from diffresnet.report.classification import parts
from diffresnet.report.classification.changes import show_changes
from diffresnet.report.classification.outcome import Outcome, Preview
from diffresnet.report.layout import Floats, Rows, lay_out
from diffresnet.report.point_map import draw_map, map_data, to_script_json
from diffresnet.report.previews import show_labeled, to_data
from diffresnet.report.shell import make_shell

N_SHOWN = 10


def make_report(
    model: DiffResNetClassifier,
    ids: Sequence[str],
    title: str,
    previews: Sequence[Preview] = (),
    curve: LearningCurve | None = None,
    *,
    suggested: Rows | None = None,
    since: Mapping[str, str] | None = None,
) -> bytes:
    """Return the content of an HTML file that shows what a fitted classifier found.

    The file needs no other file and no network. Names of classes and points are data: markup in
    them is shown, never run.

    Args:
        model: fitted.
        ids: a name for each fitted point.
        title: of the page.
        previews: what each point looks like, a text or a small JPEG; none by default.
        curve: how the accuracy grew with labels, if that was measured.
        suggested: rows to label next; by default ten that the model suggests.
        since: the classes of an earlier run by id, to show what has changed; none by default.

    Raises:
        ValueError: if there are more or fewer ids, or previews, than points.
    """
    outcome = _read_outcome(model, ids, previews)
    suggested = model.suggest(N_SHOWN) if suggested is None else suggested
    least_certain = parts.least_certain(outcome, N_SHOWN)
    drawn_map, data = _make_map(model, outcome, suggested)
    diagnosis = model.diagnose()
    accuracy = diagnosis.accuracy_sentence
    health = [line for line in diagnosis.sentences if line != accuracy]
    body = "\n".join(
        [
            parts.headline(outcome),
            f'<section class="card wide">{drawn_map}</section>',
            '<div class="columns">',
            parts.card("How sure", parts.histogram(outcome)),
            "" if accuracy is None else parts.card("How accurate", parts.sentences([accuracy])),
            parts.card("The graph's health", parts.sentences(health)),
            "" if curve is None else parts.card("More labels?", parts.curve_chart(curve)),
            "" if since is None else parts.card("Since the last run", show_changes(outcome, since)),
            parts.card("Classes", parts.class_bars(outcome)),
            parts.card("Least certain points", parts.point_table(outcome, least_certain)),
            parts.card("Label these next", parts.point_table(outcome, suggested)),
            parts.card("Labels", show_labeled(outcome)) if len(previews) else "",
            "</div>",
        ]
    )
    folder = files("diffresnet.report.classification")
    style, script = (folder.joinpath(f"page.{kind}").read_text("utf-8") for kind in ("css", "js"))
    return make_shell(title, body, style=color_style() + style, script=script, data=data)


def _read_outcome(
    model: DiffResNetClassifier, ids: Sequence[str], previews: Sequence[Preview]
) -> Outcome:
    probabilities: Floats = np.asarray(model.label_distributions_, dtype=np.float64)
    if len(ids) != len(probabilities):
        remedy = "Give one id for each fitted point."
        fail("make_report", "ids", f"{len(probabilities)} names", len(ids), remedy)
    if len(previews) not in (0, len(probabilities)):
        remedy = "Give one for each fitted point, or none."
        fail("make_report", "previews", f"{len(probabilities)} or none", len(previews), remedy)
    found = probabilities.argmax(axis=1)[model.reached_]
    return Outcome(
        ids=[str(name) for name in ids],
        class_names=[str(name) for name in model.classes_.tolist()],
        marks=choose_marks(np.bincount(found, minlength=probabilities.shape[1])),
        probabilities=probabilities,
        encoded=model.encoded_labels_,
        reached=np.asarray(model.reached_, dtype=bool),
        previews=previews,
    )


def _make_map(
    model: DiffResNetClassifier, outcome: Outcome, suggested: parts.Rows
) -> tuple[str, str]:
    """Return the markup of the map, and the data of its script."""
    labeled = np.flatnonzero(outcome.is_labeled)
    layout = lay_out(model, np.concatenate([labeled, suggested]))
    points = parts.map_points(outcome, layout.rows, suggested)
    has_unreached, has_before = not outcome.reached.all(), layout.before is not None
    legend = draw_legend(outcome.class_names, outcome.marks, has_unreached=has_unreached)
    text = f"Map of {len(points):,} points after diffusion, in the colors of their classes."
    html = parts.map_section(draw_map(points, layout.after, text), legend, has_before=has_before)
    if len(points) < len(outcome.ids):
        html += (
            f'<p class="note">The map shows {len(points):,} of {len(outcome.ids):,} points: all '
            "that have a label or a ring, and a random sample of the others.</p>"
        )
    looks = [to_data(outcome.previews[row]) for row in layout.rows] if outcome.previews else []
    return html, to_script_json(map_data(points, layout, looks))


def write_report(
    model: DiffResNetClassifier,
    path: str | Path,
    ids: Sequence[str] | None = None,
    *,
    title: str = "What the classifier found",
    previews: Sequence[Preview] = (),
    since: Mapping[str, str] | None = None,
) -> Path:
    """Write a page that shows what a fitted classifier found, whole or not at all.

    It is a function, and no method of the classifier: an estimator knows nothing of pages.

    Args:
        model: fitted.
        path: of the file; an existing one is replaced.
        ids: a name for each fitted point; by default the numbers of the rows.
        title: of the page.
        previews: what each point looks like, a text or a small JPEG; none by default.
        since: the classes of an earlier run by id, to show what has changed; none by default.

    Raises:
        ValueError: if the model has labels of fewer than two classes, or there are more or fewer
            ids, or previews, than points.
    """
    check_is_fitted(model, "solution_")
    n_classes, n_points = len(model.classes_), len(model.encoded_labels_)
    if n_classes < 2:
        remedy = "Label a point of another class."
        fail("write_report", "model", "one with labels of two classes or more", n_classes, remedy)
    names = [str(row) for row in range(n_points)] if ids is None else ids
    return write_whole(Path(path), make_report(model, names, title, previews, since=since))
