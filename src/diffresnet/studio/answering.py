"""What the page is told: the project as JSON, points as frames, items, selections."""

from collections import Counter
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from diffresnet._support.words import count, shortened
from diffresnet.report.class_marks import COLORS
from diffresnet.studio.engine import Studio
from diffresnet.studio.flow import flow, strengths_of
from diffresnet.studio.frames import encode_frame
from diffresnet.studio.history import NONE_OF_THESE, NOT_ANSWERED, SKIPPED, Rows
from diffresnet.studio.predictions import NONE_LABEL, Predictions
from diffresnet.studio.progress import Progress
from diffresnet.studio.snapshot import Done, Snapshot

EXPORTS = (
    "labels.csv",
    "predictions.csv",
    "predictions.parquet",
    "model.npz",
    "report.html",
    "label_studio.json",
)
N_LISTED = 200
N_FOUND = 1000
LARGEST_PART = 4
"""What has changed is sent alone if it is at most one of this many points."""

Array = npt.NDArray[Any]


def project_of(studio: Studio, now: Snapshot | None = None) -> dict[str, Any]:
    """Return all but the points."""
    now = studio.now if now is None else now
    opened, answers = studio.opened, now.state.answers
    size = max([*now.state.classes, 0]) + 1
    given = np.bincount(answers[answers >= 0], minlength=size)
    found = now.predictions.classes
    predicted = np.bincount(found[found >= 0], minlength=size)
    strength = strengths_of(now.model)
    return {
        "title": opened.title,
        "kind": opened.kind,
        "stage": "ready",
        "doing": None,
        "done": None,
        "error": None,
        "n_points": studio.n_points,
        "version": now.version,
        "has_texts": len(opened.texts) > 0,
        "has_images": len(opened.pictures) + len(opened.thumbnails) > 0,
        "has_before_map": "before" in studio.maps.places,
        "undo": now.undo,
        "redo": now.redo,
        "classes": [
            {**asdict(one), "n_labels": int(given[one.id]), "n_predicted": int(predicted[one.id])}
            for one in now.state.classes.values()
        ],
        "progress": Progress(
            now.state, found != NOT_ANSWERED, now.outlook, opened.left_out
        ).to_json(),
        "strength": None if strength is None else asdict(strength),
        "exports": EXPORTS,
        "colors": COLORS,
    }


def not_ready(
    title: str, stage: str, doing: str | None, done: float | None, error: str | None
) -> dict[str, Any]:
    """Return a project that is still being opened, or could not be."""
    counts = ("n_labels", "n_points", "n_reached", "n_none", "n_skipped")
    progress: dict[str, Any] = {"expected": None, "enough": None, "curve": [], "lacking": []}
    progress |= dict.fromkeys(counts, 0) | {"needs": None, "sentences": []}
    project: dict[str, Any] = {
        "title": title,
        "kind": "table",
        "stage": stage,
        "doing": doing,
        "done": done,
    }
    project |= {"error": error, "n_points": 0, "version": 0}
    project |= {"classes": [], "exports": [], "colors": []}
    project |= dict.fromkeys(("has_texts", "has_images", "has_before_map"), False)
    return project | dict.fromkeys(("undo", "redo", "strength")) | {"progress": progress}


def points_frame(studio: Studio) -> bytes:
    """Return the maps, what is predicted and what was answered."""
    now = studio.now
    return encode_frame(_header(studio, now), _maps(studio) | _predicted(now) | _answered(now))


def map_frame(studio: Studio) -> bytes:
    """Return the maps alone."""
    return encode_frame({"version": studio.now.version, "n": studio.n_points}, _maps(studio))


def state_frame(studio: Studio) -> bytes:
    """Return what is predicted and what was answered."""
    now = studio.now
    return encode_frame(_header(studio, now), _predicted(now) | _answered(now))


def done_frame(studio: Studio, done: Done) -> bytes:
    """Return what a gesture has changed, or everything if that is much."""
    before, after = done.before, done.after
    arrays = _predicted(after)
    old = before.predictions
    if after.predictions is old:
        changed = np.empty(0, dtype=np.int64)
    else:
        is_new = (old.classes != after.predictions.classes) | (old.certainty != arrays["certainty"])
        changed = np.flatnonzero(is_new)
    if LARGEST_PART * len(changed) <= studio.n_points:
        arrays = {name: array[changed] for name, array in arrays.items()}
        arrays["rows"] = changed.astype(np.uint32)
    header = _header(studio, after) | {"said": done.said}
    return encode_frame(header, arrays | _answered(after))


def flow_frame(studio: Studio, value: float) -> bytes:
    """Return what diffusion of another strength would show."""
    now = studio.now
    found = flow(now.model, value)
    header = {"version": now.version, "n": studio.n_points}
    return encode_frame(header, _predicted(now, found))


def describe_selection(studio: Studio, rows: Rows) -> dict[str, Any]:
    """Return what the graph thinks of a selection."""
    now = studio.now
    found = now.predictions.classes[rows]
    counts: Counter[int] = Counter(found.tolist())
    classes = sorted((one for one in counts if one >= 0), key=lambda one: (-counts[one], one))
    n_unreached, n_none = counts[NOT_ANSWERED], counts[NONE_OF_THESE]
    parts = [f"{counts[one]:,} {shortened(now.state.classes[one].name)}" for one in classes[:5]]
    n_others = sum(counts[one] for one in classes[5:])
    parts += [f"{n_others:,} of other classes"] if n_others else []
    parts += [f"{n_none:,} none of these"] if n_none else []
    parts += [f"{n_unreached:,} unreached"] if n_unreached else []
    answers = now.state.answers[rows]
    said = f"{count(len(rows), 'point')}{': ' if parts else ''}{', '.join(parts)}"
    return {
        "n": len(rows),
        "by_class": [{"class": one, "n": counts[one]} for one in classes],
        "n_unreached": n_unreached,
        "n_none_predicted": n_none,
        "n_labeled": int((answers >= 0).sum()),
        "rows": rows[:N_LISTED].tolist(),
        "said": said,
    }


def items_of(studio: Studio, rows: Rows) -> list[dict[str, Any]]:
    """Return what points look like, and what is known of them."""
    return [_item(studio, studio.now, int(row)) for row in rows]


def _item(studio: Studio, now: Snapshot, row: int) -> dict[str, Any]:
    opened, model = studio.opened, now.model
    answer, found = int(now.state.answers[row]), int(now.predictions.classes[row])
    second: int | None = None
    second_probability = 0.0
    if now.is_learned and len(model.classes_) > 1 and found != NOT_ANSWERED:
        place = int(np.argsort(-model.label_distributions_[row], kind="stable")[1])
        label = int(model.classes_[place])
        second = None if label == NONE_LABEL else label
        second_probability = float(model.label_distributions_[row, place])
    return {
        "row": row,
        "id": opened.ids[row],
        "text": opened.text_of(row),
        "image": len(opened.pictures) + len(opened.thumbnails) > 0,
        "given": answer if answer >= 0 else None,
        "is_none": answer == NONE_OF_THESE,
        "is_skipped": answer == SKIPPED,
        "predicted": found if found >= 0 else None,
        "probability": float(now.predictions.probabilities[row]),
        "second": second,
        "second_probability": second_probability,
        "reached": found != NOT_ANSWERED,
    }


def _header(studio: Studio, now: Snapshot) -> dict[str, Any]:
    return {
        "version": now.version,
        "n": studio.n_points,
        "project": project_of(studio, now),
        "is_first": not now.is_learned,
    }


def _maps(studio: Studio) -> dict[str, Array]:
    return {"xy" if one == "after" else one: at for one, at in studio.maps.places.items()}


def _predicted(now: Snapshot, found: Predictions | None = None) -> dict[str, Array]:
    found = now.predictions if found is None else found
    largest = max([*now.state.classes, 0])
    return {"predicted": found.as_bytes(largest), "certainty": found.certainty}


def _answered(now: Snapshot) -> dict[str, Array]:
    answers = now.state.answers
    rows = np.flatnonzero((answers >= 0) | (answers == NONE_OF_THESE))
    given = np.where(answers[rows] == NONE_OF_THESE, 65535, answers[rows])
    return {
        "labeled": rows.astype(np.uint32),
        "given": given.astype(np.uint16),
        "skipped": np.flatnonzero(answers == SKIPPED).astype(np.uint32),
    }
