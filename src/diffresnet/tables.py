"""Tables of pandas, polars and Hugging Face `datasets`: a few labels in, a column of them out.

None of these libraries but polars is imported here; each comes with its own tables.
"""

import sys
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

from diffresnet._support.checks import fail
from diffresnet._support.words import some
from diffresnet.estimators import DiffResNetClassifier

FUNCTION = "label_table"
Kind: TypeAlias = Literal["pandas", "polars", "datasets"]
KINDS: dict[Kind, str] = {"pandas": "DataFrame", "polars": "DataFrame", "datasets": "Dataset"}
"""What the tables of each library are called."""
Contents: TypeAlias = Literal["lists", "numbers", "others"]
"""What a column has."""
NEXT_TO = {"probability": "_probability", "margin": "_margin", "reached": "_reached"}


def label_table(
    table: Any,
    label_column: str,
    *,
    features: str | Sequence[str] | None = None,
    column_added: str = "predicted",
    model: DiffResNetClassifier | None = None,
) -> tuple[Any, DiffResNetClassifier]:
    """Label every row of a table from those that have a label.

    Args:
        table: a `pandas.DataFrame`, a `polars.DataFrame` or a `datasets.Dataset`. It is not
            changed.
        label_column: of the labels, of any kind, also categorical; where there is none, they are
            missing or -1.
        features: a column of lists of numbers, such as embeddings, or the names of columns of
            numbers; None for the only column of lists, or else all other columns of numbers, ids
            among them: name the features where there are any.
        column_added: of the labels that are found; beside it are ``_probability``, ``_margin`` (to
            the second class) and ``_reached`` (whether any label is connected to the row). Columns
            of these names, as of an earlier call, are replaced, and are no features.
        model: to be fitted, for other settings than the default.

    Returns:
        A table of the same kind with four columns more, and the fitted model. Its index is kept;
        labels have the type that they had, so that categories stay categories.

    Raises:
        ValueError: if it is no such table, or has no such columns.

    Examples:
        >>> import polars as pl
        >>> table = pl.DataFrame({"x": [0.0, 0.1, 5.0, 5.1], "kind": ["a", None, "b", None]})
        >>> found, model = label_table(table, "kind")
        >>> found["predicted"].to_list()
        ['a', 'a', 'b', 'b']
    """
    kind = _kind_of(table)
    names = list(table.column_names if kind == "datasets" else table.columns)
    wanted = [label_column, *([features] if isinstance(features, str) else features or [])]
    missing = [name for name in wanted if name not in names]
    if missing:
        got = f"{some(missing)} among {some(names, 10)}"
        fail(FUNCTION, "table", "one that has the columns that are named", got, "Check the names.")
    added = {column_added, *(column_added + ending for ending in NEXT_TO.values())}
    others = [name for name in names if name not in added]
    matrix = _features_of(kind, table, label_column, features, others)
    given = list(table[label_column])
    model = DiffResNetClassifier() if model is None else model
    model.fit(matrix, given)
    return _with_columns(kind, table, label_column, _columns_of(model, column_added)), model


def _kind_of(table: Any) -> Kind:
    """Return whose table it is."""
    found = {(one.__module__.split(".")[0], one.__name__) for one in type(table).__mro__}
    kinds: list[Kind] = [kind for kind, name in KINDS.items() if (kind, name) in found]
    if not kinds:
        must = "a DataFrame of pandas or polars, or a Dataset of datasets"
        remedy = "Choose one split of a DatasetDict, or collect a LazyFrame."
        fail(FUNCTION, "table", must, f"a {type(table).__name__}", remedy)
    return kinds[0]


def _features_of(
    kind: Kind,
    table: Any,
    label_column: str,
    features: str | Sequence[str] | None,
    names: Sequence[str],
) -> npt.NDArray[Any]:
    """Return the features of all rows, (N, d)."""
    if features is None:
        others = [name for name in names if name != label_column]
        if not len(table):
            fail(FUNCTION, "table", "one with rows", "none", "Add rows.")
        found = {name: _contents_of(kind, table, name) for name in others}
        lists = [name for name in others if found[name] == "lists"]
        numbers = [name for name in others if found[name] == "numbers"]
        if len(lists) > 1 or not (lists or numbers):
            got = f"{some(lists)}" if lists else f"none among {some(others, 10)}"
            must = "the name of the features where it is not plain what they are"
            fail(FUNCTION, "features", must, got, "Name a column of lists, or columns of numbers.")
        features = lists[0] if lists else numbers
    if isinstance(features, str):
        column = table[features]
        rows: Any = column.to_list() if kind == "polars" else list(column)
        try:
            return np.array(rows, dtype=np.float32)
        except (TypeError, ValueError):
            must, remedy = "a column of lists of as many numbers", "Name another one."
            fail(FUNCTION, "features", must, f"'{features}' with others", remedy)
    return np.stack([_numbers_of(kind, table, name) for name in features], axis=1)


def _numbers_of(kind: Kind, table: Any, name: str) -> npt.NDArray[np.float64]:
    """Return a column as floats, NaN where there is no number."""
    column = table[name]
    try:
        if kind == "pandas":
            return column.to_numpy(dtype=np.float64, na_value=np.nan)
        return np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        must, remedy = "names of columns of numbers", "Name others."
        fail(FUNCTION, "features", must, f"'{name}' with others", remedy)


def _contents_of(kind: Kind, table: Any, name: str) -> Contents:
    """Return what a column has, by its type; where that says nothing, by its first value."""
    if kind == "polars":
        dtype = table.schema[name]
        is_list = isinstance(dtype, pl.List | pl.Array)
        return "lists" if is_list else "numbers" if dtype.is_numeric() else "others"
    column = table[name]
    if kind == "pandas":
        if column.dtype.kind in "iuf":
            return "numbers"
        column = column.dropna()
    first: Any = next((value for value in column if value is not None), None)
    if np.ndim(first) == 1:
        return "lists"
    is_number = isinstance(first, int | float | np.number) and not isinstance(first, bool)
    return "numbers" if is_number else "others"


def _columns_of(model: DiffResNetClassifier, name: str) -> dict[str, npt.NDArray[Any]]:
    """Return what is added, the labels first."""
    second, first = np.partition(model.label_distributions_, -2, axis=1)[:, -2:].T
    beside = {"probability": first, "margin": first - second, "reached": model.reached_}
    ends = {name + NEXT_TO[what]: values for what, values in beside.items()}
    return {name: model.transduction_, **ends}


def _with_columns(
    kind: Kind, table: Any, label_column: str, columns: dict[str, npt.NDArray[Any]]
) -> Any:
    """Return the table with columns more; labels have the type of those that there were."""
    name, *others = columns
    if kind == "datasets":
        label_type = table.features[label_column]
        found = table.add_column(name, columns[name].tolist(), feature=label_type)
        for other in others:
            found = found.add_column(other, columns[other])
        return found
    if kind == "polars":
        return table.with_columns(
            _like_polars(table[label_column], name, columns[name]),
            **{other: columns[other] for other in others},
        )
    pandas: Any = sys.modules["pandas"]  # it has made the table
    labels = pandas.Series(columns[name].tolist(), index=table.index, name=name)
    added = {name: labels.astype(table[label_column].dtype)}
    return table.assign(**added, **{other: columns[other] for other in others})


def _like_polars(given: Any, name: str, labels: npt.NDArray[Any]) -> Any:
    return type(given)(name, labels.tolist()).cast(given.dtype)
