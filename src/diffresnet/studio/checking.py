"""Predictions explained, and labels to check, in words."""

from typing import Any

from diffresnet._support.words import count, shortened
from diffresnet.studio.engine import Snapshot, Studio
from diffresnet.studio.explain import explain
from diffresnet.studio.history import NONE_OF_THESE, NOT_ANSWERED
from diffresnet.studio.predictions import NONE_LABEL

MOST_CHECKED = 200


def explain_row(studio: Studio, row: int) -> dict[str, Any]:
    """Return from which labels a prediction came, and over which points."""
    now = studio.now
    found = explain(now.model, row)
    sources = [
        {"row": one.row, "class": _number(one.label), "share": one.share, "path": one.path}
        for one in found
    ]
    return {"row": row, "sentence": _explain(studio, now, row, found), "sources": sources}


def check_labels(studio: Studio) -> list[dict[str, Any]]:
    """Return labels that disagree with the others, the least likely first."""
    now = studio.now
    if now.model.expect_accuracy() is None:
        return []
    audit = now.model.audit()
    found = zip(
        audit.rows.tolist(),
        audit.labels.tolist(),
        audit.expected.tolist(),
        audit.probabilities.tolist(),
        strict=True,
    )
    return [
        {
            "row": row,
            "given": _number(given),
            "proposed": _number(proposed),
            "probability_of_given": probability,
            "sentence": f"Labeled {_name(now, given)}; the other labels speak for "
            f"{_name(now, proposed)}.",
        }
        for row, given, proposed, probability in list(found)[:MOST_CHECKED]
    ]


def _explain(studio: Studio, now: Snapshot, row: int, found: list[Any]) -> str:
    answer, predicted = int(now.state.answers[row]), int(now.predictions.classes[row])
    if answer >= 0 or answer == NONE_OF_THESE:
        return f"You said {_name(now, _label(answer))}."
    if predicted == NOT_ANSWERED or not found:
        return "No label reaches this point: label it, or one it is linked with."
    first = found[0]
    between = len(first.path) - 2
    way = f"over {count(between, 'point')} between them" if between > 0 else "its neighbor"
    return (
        f"{_name(now, _label(predicted))}, as most that reaches it ({first.share:.0%}) comes from "
        f"{shortened(studio.opened.ids[first.row])} ({_name(now, first.label)}), {way}."
    )


def _label(answer: int) -> int:
    return NONE_LABEL if answer == NONE_OF_THESE else answer


def _number(label: int) -> int | None:
    return None if int(label) == NONE_LABEL else int(label)


def _name(now: Snapshot, label: int) -> str:
    if int(label) == NONE_LABEL:
        return "none of these"
    return shortened(now.state.classes[int(label)].name)
