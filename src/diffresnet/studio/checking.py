"""Predictions explained, and labels to check, in words."""

from typing import Any

from diffresnet._support.words import count, shortened
from diffresnet.studio.classes import NONE_NAME
from diffresnet.studio.engine import Studio
from diffresnet.studio.explain import Witness, explain
from diffresnet.studio.history import NONE_OF_THESE, NOT_ANSWERED
from diffresnet.studio.predictions import NONE_LABEL
from diffresnet.studio.snapshot import Snapshot

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


def _explain(studio: Studio, now: Snapshot, row: int, found: list[Witness]) -> str:
    answer, predicted = int(now.state.answers[row]), int(now.predictions.classes[row])
    if answer >= 0 or answer == NONE_OF_THESE:
        return f"You said {_name(now, _label(answer))}."
    if predicted == NOT_ANSWERED or not found:
        return "No label reaches this point: label it, or one it is linked with."
    name, own = _name(now, _label(predicted)), _label(predicted)
    mine = [one for one in found if one.label == own]
    if not mine:
        others = ", ".join(dict.fromkeys(_name(now, one.label) for one in found))
        return f"{name} by its features: along the graph, labels of {others} are nearer."
    between = len(mine[0].path) - 2
    way = f"over {count(between, 'point')} between them" if between > 0 else "its neighbor"
    return (
        f"{name}: labels of it are {sum(one.share for one in mine):.0%} of what reaches this point "
        f"along the graph, most of it from {shortened(studio.opened.ids[mine[0].row])}, {way}."
    )


def _label(answer: int) -> int:
    return NONE_LABEL if answer == NONE_OF_THESE else answer


def _number(label: int) -> int | None:
    return None if int(label) == NONE_LABEL else int(label)


def _name(now: Snapshot, label: int) -> str:
    if int(label) == NONE_LABEL:
        return NONE_NAME
    return shortened(now.state.classes[int(label)].name)
