"""Answers and predictions as files, and back."""

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from diffresnet._support.checks import refuse
from diffresnet._support.writing import scratch_folder
from diffresnet.estimators import DiffResNetClassifier
from diffresnet.estimators.storage import encode_classifier
from diffresnet.files.formulas import encode_csv
from diffresnet.files.frames import TableFile, as_texts
from diffresnet.files.label_studio import decode_tasks, encode_tasks
from diffresnet.files.labels import as_labels, place_labels
from diffresnet.files.predictions import encode_predictions
from diffresnet.report.classification.page import make_report
from diffresnet.studio.classes import NONE_NAME, SKIPPED_NAME
from diffresnet.studio.engine import Studio
from diffresnet.studio.history import NONE_OF_THESE, NOT_ANSWERED, SKIPPED, State
from diffresnet.studio.predictions import NONE_LABEL, learn
from diffresnet.studio.previews import make_preview
from diffresnet.studio.snapshot import Done

ANSWERS = {NONE_OF_THESE: NONE_NAME, SKIPPED: SKIPPED_NAME}
THUMBNAIL_SIDE = 72
OTHERWISE = "choose a file that was exported from these data"
"""What else to do on the page where a file has ids that are not there."""

TYPES = {
    ".csv": "text/csv; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".npz": "application/octet-stream",
    ".parquet": "application/octet-stream",
}


def export(studio: Studio, name: str) -> bytes:
    """Return the content of a file, as things are now.

    Args:
        studio: to be exported.
        name: of the file, one of `answering.EXPORTS`.

    Raises:
        ValueError: if there is nothing to export yet.
    """
    makers: dict[str, Callable[[Studio], bytes]] = {
        "labels.csv": _labels,
        "predictions.csv": lambda one: _predictions(one, ".csv"),
        "predictions.parquet": lambda one: _predictions(one, ".parquet"),
        "model.npz": _model,
        "report.html": _report,
        "label_studio.json": _tasks,
    }
    if name not in makers:
        refuse("`name`", f"one of {', '.join(makers)}", "another", "Choose one of these.")
    return makers[name](studio)


def import_file(studio: Studio, name: Any, text: Any) -> Done:
    """Take the answers of a file that `export` wrote, or Label Studio did, as one gesture.

    Args:
        studio: to which they are added.
        name: of the file, which ends in .csv or .json.
        text: its content.

    Raises:
        ValueError: if it cannot be read, or names points that are not there.
    """
    if not isinstance(name, str) or not isinstance(text, str):
        refuse("The file", "a name and a text", "something else", "Choose it again.")
    if name.lower().endswith(".json"):
        given = decode_tasks(text, studio.opened.ids)
    elif name.lower().endswith(".csv"):
        given = _read_labels(text, studio)
    else:
        refuse("The file", "labels in .csv or Label Studio's .json", "another", "Choose another.")
    answers = np.full(studio.n_points, NOT_ANSWERED, dtype=np.int32)
    names = {text: answer for answer, text in ANSWERS.items()}
    for row, label in enumerate(given):
        if label in names:
            answers[row] = names[label]
    labels = ["" if label in names else label for label in given]
    return studio.take(labels, "a file", answers)


def name_answers(state: State) -> list[str]:
    """Return the answer of each point as text, "" where there is none."""
    names = {one.id: one.name for one in state.classes.values()} | ANSWERS | {NOT_ANSWERED: ""}
    return [names[answer] for answer in state.answers.tolist()]


def _labels(studio: Studio) -> bytes:
    state = studio.now.state
    rows = np.flatnonzero(state.answers != NOT_ANSWERED).tolist()
    named = name_answers(state)
    others = set(ANSWERS.values())
    texts = studio.opened.texts
    table: dict[str, Any] = {
        "id": [studio.opened.ids[row] for row in rows],
        "label": [None if named[row] in others else named[row] for row in rows],
        "answer": [named[row] if named[row] in others else "label" for row in rows],
    }
    if len(texts):
        table["text"] = [texts[row] for row in rows]
    return encode_csv(pl.DataFrame(table, schema=dict.fromkeys(table, pl.String)))


def _read_labels(text: str, studio: Studio) -> list[str]:
    with scratch_folder() as folder, _named(folder):
        path = folder / "labels.csv"
        path.write_bytes(text.encode("utf-8", "replace"))
        table = TableFile(path, "The file")
        wanted = [name for name in ("id", "label", "answer") if name in table.columns]
        if wanted[:2] != ["id", "label"]:
            missing = " and ".join(name for name in ("id", "label") if name not in wanted)
            got, remedy = f"one without {missing}", "Name them so in its first row."
            refuse("The file", "a table with the columns id and label", got, remedy)
        frame = table.read(wanted)
        labels = as_labels(frame["label"].to_list(), path, "The file")
    said = as_texts(frame, "answer") if "answer" in wanted else [""] * len(labels)
    others = set(ANSWERS.values())
    given = [one if one in others else label for one, label in zip(said, labels, strict=True)]
    return place_labels(
        as_texts(frame, "id"),
        given,
        studio.opened.ids,
        "The file",
        "the studio",
        otherwise=OTHERWISE,
    )


@contextmanager
def _named(folder: Path) -> Generator[None]:
    """Leave our own folder out of what is said of a file in it."""
    try:
        yield
    except ValueError as error:
        raise ValueError(str(error).replace(f"{folder}{os.sep}", "")) from error


def _named_model(studio: Studio) -> DiffResNetClassifier:
    """Return the model with the names of the classes in place of their numbers."""
    now = studio.now
    if len(now.model.classes_) == 0:
        refuse("The studio", "one with a label", "none yet", "Label a point first.")
    names = {one.id: one.name for one in now.state.classes.values()} | {NONE_LABEL: NONE_NAME}
    rows = np.flatnonzero(now.model.encoded_labels_ >= 0)
    labels = [names[int(now.model.classes_[now.model.encoded_labels_[row]])] for row in rows]
    return learn(now.model, rows, labels, exact=True)


def _predictions(studio: Studio, suffix: str) -> bytes:
    model = _named_model(studio)
    found = model.transduction_, model.label_distributions_, model.reached_
    return encode_predictions(studio.opened.ids, *found, suffix, texts=studio.opened.texts)


def _model(studio: Studio) -> bytes:
    return encode_classifier(_named_model(studio))


def _report(studio: Studio) -> bytes:
    model, opened = _named_model(studio), studio.opened
    if len(model.classes_) < 2:
        refuse("The studio", "one with two classes", "one class", "Label a point of another.")
    looks: Any = opened.texts or opened.thumbnails
    if len(opened.pictures):
        looks = [make_preview(opened, row, THUMBNAIL_SIDE) for row in range(studio.n_points)]
    return make_report(model, opened.ids, opened.title, looks)


def _tasks(studio: Studio) -> bytes:
    now, opened = studio.now, studio.opened
    names = {one.id: one.name for one in now.state.classes.values()} | {NONE_OF_THESE: NONE_NAME}
    found = now.predictions
    predicted = [
        (names[one], float(probability)) if one != NOT_ANSWERED else None
        for one, probability in zip(found.classes.tolist(), found.probabilities, strict=True)
    ]
    return encode_tasks(
        opened.ids,
        name_answers(now.state),
        predicted,
        opened.texts,
        is_image=opened.kind == "photos",
    )
