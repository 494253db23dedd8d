"""The points and labels that `classify` is given."""

from pathlib import Path
from typing import NamedTuple

from diffresnet._support.checks import refuse
from diffresnet._support.stages import shown_stages
from diffresnet.cli.console import warn
from diffresnet.files.labels import DEFAULT_LABEL
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
