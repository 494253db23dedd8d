"""The estimators in the company of scikit-learn, pandas, polars, joblib and notebooks."""

import io
from typing import Any

import joblib
import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_digits
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from diffresnet import DiffResNetClassifier

DIGITS: Any = load_digits()
POINTS, TRUTH = DIGITS.data[:200], DIGITS.target[:200].astype(str)
GIVEN = np.where(np.arange(200) < 30, TRUTH, "")
NAMES = [f"pixel {place}" for place in range(64)]


def as_html(shown: Any) -> str:
    """Return what a notebook shows."""
    return shown._repr_html_()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_names_of_features_are_known(library: str) -> None:
    frames: Any = pytest.importorskip(library)
    table = frames.DataFrame(dict(zip(NAMES, POINTS.T, strict=True)))
    given = frames.Series(GIVEN.tolist())
    model = DiffResNetClassifier().fit(table, given)
    assert list(vars(model)["feature_names_in_"]) == NAMES
    assert model.n_features_in_ == 64
    plain = DiffResNetClassifier().fit(POINTS, GIVEN)
    assert np.array_equal(model.label_distributions_, plain.label_distributions_)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(table[NAMES[::-1]])


def test_categories_are_labels() -> None:
    pandas: Any = pytest.importorskip("pandas")
    wanted = DiffResNetClassifier().fit(POINTS, GIVEN).transduction_
    missing = [one or None for one in GIVEN.tolist()]
    for labels in (
        pandas.Series(pandas.Categorical(missing)),
        pandas.Series(missing, dtype="string"),
        pl.Series(missing, dtype=pl.Categorical),
        pl.Series(missing, dtype=pl.Enum([*"9876543210"])),
    ):
        assert np.array_equal(DiffResNetClassifier().fit(POINTS, labels).transduction_, wanted)


def test_whole_numbers_that_may_be_missing_stay_whole() -> None:
    pandas: Any = pytest.importorskip("pandas")
    labels = [int(one) if one else None for one in GIVEN]
    for given in (pandas.array(labels, dtype="Int64"), pl.Series(labels), labels):
        assert DiffResNetClassifier().fit(POINTS, given).classes_.dtype.kind == "i"


def test_joblib_brings_back_the_same() -> None:
    model, stream = DiffResNetClassifier().fit(POINTS, GIVEN), io.BytesIO()
    joblib.dump(model, stream)
    stream.seek(0)
    again = joblib.load(stream)
    assert np.array_equal(again.predict_proba(POINTS), model.predict_proba(POINTS))
    assert np.array_equal(again.suggest(5), model.suggest(5))


def test_the_last_step_of_a_pipeline() -> None:
    pipeline = make_pipeline(StandardScaler(), DiffResNetClassifier()).fit(POINTS, GIVEN)
    assert (pipeline.predict(POINTS) == TRUTH).mean() > 0.8
    assert "DiffResNetClassifier" in as_html(pipeline)


def test_notebooks_show_estimators_and_findings() -> None:
    assert "DiffResNetClassifier" in as_html(DiffResNetClassifier(n_top=9))
    names = np.where(GIVEN == "0", "<script>alert(1)</script>", GIVEN)
    model = DiffResNetClassifier().fit(POINTS[:40], np.where(np.arange(40) < 12, names[:40], ""))
    shown = as_html(model.diagnose())
    assert shown.startswith("<ul><li>12 of 40 points have a label.</li>")
    assert "<script>" not in shown
    assert len(model.diagnose().sentences) == shown.count("<li>")
