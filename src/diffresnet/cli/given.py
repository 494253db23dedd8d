"""The points and labels that `classify` is given."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from diffresnet._support.checks import refuse
from diffresnet._support.notices import Notice
from diffresnet._support.stages import shown_stages
from diffresnet._support.words import count
from diffresnet.cli.console import warn
from diffresnet.files.labels import DEFAULT_LABEL, read_label_table
from diffresnet.files.points import Points, labels_of, read_points


class Columns(NamedTuple):
    """The columns of ids and labels that were asked for."""

    id_column: str | None
    label_column: str | None


def read_with_columns(
    features: Path, columns: Columns, graph: Path | None, *, need_labels: bool
) -> Points:
    """Read the points, with features if there is no graph."""
    with shown_stages(f"reading {features.name}"):
        points = read_points(features, **columns._asdict(), need_labels=need_labels)
    if points.features is None and points.links is None and graph is None:
        refuse("FEATURES", "a file with features", "ids only", "Add features, or pass --graph.")
    if columns.label_column not in (None, DEFAULT_LABEL) and DEFAULT_LABEL in points.names:
        own = f"--label-column is '{columns.label_column}'"
        warn(f"The column '{DEFAULT_LABEL}' is taken as a feature: {own}. Remove it if it is none.")
    return points


def read_given(
    points: Points, features: Path, labels: Path | None, columns: Columns, *, need_labels: bool
) -> list[str]:
    """Return the label of each point, "" where there is none."""
    if labels is None and points.labels is None and not need_labels:
        return [""] * len(points.ids)
    if labels is not None and points.labels is not None:
        name = columns.label_column or DEFAULT_LABEL
        warn(f"The labels in {features.name} ('{name}') are ignored: --labels is used.")
    otherwise = ", or --suggest 10 to be told what to label first"
    return labels_of(points, labels, **columns._asdict(), otherwise=otherwise)


def check_labels_known(
    path: Path | None, points: Points, given: Sequence[str], columns: Columns
) -> None:
    """Refuse to write suggestions over a file unless it is a table whose labels are all given."""
    if path is None or not path.is_file():
        return
    option, remedy = "--suggestions", "Choose another --suggestions."
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Notice)
            names, labels = read_label_table(path, **columns._asdict())
    except ValueError:
        refuse(option, "a new file, or a table of suggestions", f"{path}, another file", remedy)
    known = dict(zip(points.ids, given, strict=True))
    lost = [name for name, one in zip(names, labels, strict=True) if one and known.get(name) != one]
    if lost:
        got = f"{path}, with {count(len(lost), 'label')} that would be lost"
        remedy = f"Pass --labels {path}, and choose another --suggestions."
        refuse(option, "a new file, or a table whose labels are known", got, remedy)
