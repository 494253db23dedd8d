"""A few labels in, a column of them out: with pandas, polars, and Hugging Face if it is there."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_digits

from diffresnet import DiffResNetClassifier
from diffresnet.tables import label_table

pandas: Any = pytest.importorskip("pandas")

N, N_LABELED = 300, 40
DIGITS: Any = load_digits()
POINTS, TRUTH = DIGITS.data[:N], DIGITS.target[:N].astype(str)
GIVEN = [one if row < N_LABELED else None for row, one in enumerate(TRUTH.tolist())]
WANTED = DiffResNetClassifier().fit(POINTS, GIVEN)
NAMES = [f"pixel {place}" for place in range(64)]
INDEX = [f"row {row}" for row in range(N)]


def test_pandas_keeps_its_index_and_categories() -> None:
    table = pandas.DataFrame(POINTS, columns=NAMES, index=INDEX)
    kinds = pandas.CategoricalDtype([*"9876543210", "none of these"])
    table["kind"] = pandas.Series(GIVEN, index=INDEX).astype(kinds)
    table["note"] = "text"
    before = table.copy()
    found, model = label_table(table, "kind")
    assert found["predicted"].dtype == kinds
    assert list(found.index) == INDEX
    assert found["predicted"].tolist() == WANTED.transduction_.tolist()
    assert np.allclose(found["predicted_probability"], WANTED.label_distributions_.max(axis=1))
    assert (found["predicted_margin"] <= found["predicted_probability"]).all()
    assert found["predicted_reached"].all()
    assert model.n_features_in_ == 64
    pandas.testing.assert_frame_equal(table, before)


def test_pandas_with_numbers_that_may_be_missing() -> None:
    table = pandas.DataFrame({"embedding": list(POINTS.astype(np.float32))}, index=INDEX)
    labels = [None if one is None else int(one) for one in GIVEN]
    table["kind"] = pandas.array(labels, dtype="Int64")
    found, model = label_table(table, "kind", column_added="digit")
    assert found["digit"].dtype == "Int64"
    assert (found["digit"].astype(str).to_numpy() == WANTED.transduction_).mean() > 0.99
    assert model.classes_.dtype.kind == "i"


@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical, pl.Enum([*"0123456789"])])
def test_polars_keeps_its_types(dtype: Any) -> None:
    table = pl.DataFrame(POINTS, schema=NAMES).with_columns(kind=pl.Series(GIVEN, dtype=dtype))
    found, _ = label_table(table, "kind", features=NAMES, column_added="digit")
    assert found["digit"].dtype == table["kind"].dtype
    assert found["digit"].to_list() == WANTED.transduction_.tolist()
    assert found.columns[-4:] == ["digit", "digit_probability", "digit_margin", "digit_reached"]


@pytest.mark.parametrize("dtype", [pl.List(pl.Float32), pl.Array(pl.Float32, 64)])
def test_polars_with_a_column_of_lists(dtype: Any) -> None:
    table = pl.DataFrame({"id": INDEX, "place": range(N), "kind": GIVEN}).with_columns(
        embedding=pl.Series(POINTS.tolist(), dtype=dtype)
    )
    found, model = label_table(table, "kind")
    assert model.n_features_in_ == 64
    assert (found["predicted"].to_numpy() == WANTED.transduction_).mean() > 0.99


def test_a_dataset_of_hugging_face() -> None:
    datasets: Any = pytest.importorskip("datasets")
    dill: Any = pytest.importorskip("dill")
    dill.extend(use_dill=False)  # its import changes `pickle` for all tests of the process
    rows = {"text": INDEX, "embedding": POINTS.astype(np.float32).tolist(), "label": GIVEN}
    found, model = label_table(datasets.Dataset.from_dict(rows), "label")
    assert found.column_names[:3] == ["text", "embedding", "label"]
    assert (np.array(found["predicted"]) == WANTED.transduction_).mean() > 0.99
    assert model.n_features_in_ == 64
    codes = [-1 if one is None else int(one) for one in GIVEN]
    kinds = datasets.Features(
        {"v": datasets.Sequence(datasets.Value("float32")), "y": datasets.ClassLabel(10)}
    )
    coded = datasets.Dataset.from_dict({"v": rows["embedding"], "y": codes}, features=kinds)
    found, _ = label_table(coded, "y")
    assert found.features["predicted"] == coded.features["y"]
    assert (np.array(found["predicted"]).astype(str) == WANTED.transduction_).mean() > 0.99


SIGNAL = np.where(np.arange(60) % 2, 10.0, 0.0) + np.random.default_rng(0).normal(size=60)
NOISE = np.random.default_rng(1).normal(size=60)
KIND = [("even", "odd")[row % 2] if row < 10 else None for row in range(60)]


def make_table(library: str, signal: Any, **others: Any) -> Any:
    columns = {"signal": signal, "noise": NOISE, "kind": KIND, **others}
    if library == "datasets":
        datasets: Any = pytest.importorskip("datasets")
        dill: Any = pytest.importorskip("dill")
        dill.extend(use_dill=False)
        return datasets.Dataset.from_dict(columns)
    return pandas.DataFrame(columns) if library == "pandas" else pl.DataFrame(columns)


@pytest.mark.parametrize("library", ["pandas", "polars", "datasets"])
@pytest.mark.parametrize("row", [0, 1, 59])
def test_a_column_is_a_feature_wherever_a_number_is_missing(library: str, row: int) -> None:
    """Without a number there is no answer; before, a column that begins without one was left."""
    signal = [None if one == row else float(SIGNAL[one]) for one in range(60)]
    with pytest.raises(ValueError, match="contains NaN"):
        label_table(make_table(library, signal), "kind")


@pytest.mark.parametrize("library", ["pandas", "polars", "datasets"])
def test_columns_of_texts_and_truths_are_no_features(library: str) -> None:
    others = {"note": [None, *["text"] * 59], "flag": [None, *[True] * 59], "none": [None] * 60}
    table = make_table(library, SIGNAL.tolist(), **others)
    assert label_table(table, "kind")[1].n_features_in_ == 2


def test_columns_of_pandas_with_types_of_its_own() -> None:
    signal = pandas.array([None, *range(1, 60)], dtype="Int64")
    with pytest.raises(ValueError, match="contains NaN"):
        label_table(make_table("pandas", signal), "kind")
    lists = pandas.Series([None, *[[1.0, 2.0]] * 59], dtype=object)
    with pytest.raises(ValueError, match="a column of lists of as many numbers, got 'lists'"):
        label_table(make_table("pandas", SIGNAL, lists=lists), "kind")
    numbers = pandas.Series(SIGNAL.tolist(), dtype=object)
    assert label_table(make_table("pandas", numbers), "kind")[1].n_features_in_ == 2


def test_columns_that_are_named_and_have_no_numbers() -> None:
    table = make_table("polars", SIGNAL, note=["text"] * 60)
    with pytest.raises(ValueError, match="names of columns of numbers, got 'note' with others"):
        label_table(table, "kind", features=["signal", "note"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"label_column": "no"}, r"has the columns that are named, got 'no' among"),
        ({"features": ["x", "no"]}, r"got 'no' among 'x', 'kind', 'a', 'b'\. Check the names\."),
        ({}, r"label_table: `features` must be the name of the features .* got 'a', 'b'"),
        ({"features": "kind"}, r"a column of lists of as many numbers, got 'kind' with others"),
        ({"table": [1]}, r"label_table: `table` must be a DataFrame of pandas or polars, or"),
        ({"table": pl.DataFrame({"kind": [], "x": []})}, r"must be one with rows, got none"),
        ({"table": pl.DataFrame({"kind": ["a"], "x": ["b"]})}, r"got none among 'x'\."),
    ],
)
def test_what_is_refused(change: dict[str, Any], message: str) -> None:
    lists = [[0.0, 1.0], [1.0, 2.0]]
    table = pl.DataFrame({"x": [1, 2], "kind": ["k", "l"], "a": lists, "b": lists})
    call: Any = label_table
    with pytest.raises(ValueError, match=message):
        call(**({"table": table, "label_column": "kind"} | change))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_what_was_found_before_is_replaced_and_no_feature(library: str) -> None:
    table = make_table(library, POINTS[:60, 30])
    first, model = label_table(table, "kind")
    second, again = label_table(first, "kind")
    assert again.n_features_in_ == model.n_features_in_ == 2
    assert list(second.columns) == list(first.columns)
