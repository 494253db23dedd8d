from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diffresnet.cli import fitting
from diffresnet.estimators import DiffResNetClassifier
from diffresnet.files.points import Points

CLUSTERS = np.vstack([np.zeros((15, 3)), np.full((15, 3), 9.0)])
POINTS = Points(
    [f"p{row}" for row in range(30)],
    CLUSTERS + np.random.default_rng(0).normal(size=(30, 3)),
    labels=None,
    names=["x", "y", "z"],
)


def test_what_was_labeled_already_is_not_suggested_first() -> None:
    given = ["a"] * 2 + [""] * 28
    found = fitting.suggest_first(DiffResNetClassifier(), POINTS, given, None, 4)
    assert len(set(found)) == 4
    assert not {0, 1} & set(found)


def test_names_of_columns_are_kept_and_islands_are_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    links = tmp_path / "links.csv"
    pairs = [f"p{row},p{row + 1}" for row in range(29) if row != 14]
    links.write_text("\n".join(["source,target", *pairs]))
    model = DiffResNetClassifier()
    fitting.fit(model, POINTS, ["a", "b"] + [""] * 28, links)
    names: Any = getattr(model, "feature_names_in_", None)
    assert names.tolist() == ["x", "y", "z"]
    said = " ".join(capsys.readouterr().err.split())
    assert "Not connected to any label: 15 points, which get the class prior" in said
    assert "or add links" in said


def test_steps() -> None:
    assert fitting.count_steps("auto") == "auto"
    assert fitting.count_steps("12") == 12
    with pytest.raises(ValueError, match=r"--steps must be a whole number or auto, got '1.5'"):
        fitting.count_steps("1.5")


def test_a_curve_is_measured_unasked_only_where_it_takes_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = DiffResNetClassifier()
    fitting.fit(model, POINTS, ["a", "a", "a", *[""] * 12, "b", "b", "b", *[""] * 12], None)
    assert fitting.measure_curve(model, curve=None, by_default=False) is None
    assert fitting.measure_curve(model, curve=None, by_default=True) is not None
    monkeypatch.setattr(fitting, "MOST_POINTS", 29)
    assert fitting.measure_curve(model, curve=None, by_default=True) is None
    assert fitting.measure_curve(model, curve=True, by_default=False) is not None


def test_a_curve_that_cannot_be_measured_is_left_out() -> None:
    points = np.random.default_rng(0).standard_normal((60, 3))
    points[1:4] = points[0]  # one point with two labels, so that no label can be held out
    labels = np.full(len(points), -1)
    labels[[0, 1, 2, 40]] = [0, 0, 1, 1]
    model = DiffResNetClassifier().fit(points, labels)
    assert model.diagnose().expected_accuracy is not None
    assert fitting.measure_curve(model, curve=None, by_default=True) is None
