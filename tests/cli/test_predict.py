import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from diffresnet import DiffResNetClassifier
from diffresnet.cli import app
from diffresnet.files.arrays import read_described, write_described

N = 40


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with two clouds of points, a model of them, and new points."""
    monkeypatch.chdir(tmp_path)
    generator = np.random.default_rng(0)
    points = generator.normal(size=(N, 3)) + 4 * (np.arange(N) >= N / 2)[:, None]
    table = pl.DataFrame({"id": [f"p{row:02}" for row in range(N)]})
    table = table.with_columns(pl.DataFrame(points, schema=["x", "y", "z"]))
    table.write_csv("features.csv")
    new = points[::4] + 0.1
    pl.DataFrame({"id": range(10), "z": new[:, 2], "y": new[:, 1], "x": new[:, 0]}).write_csv(
        "new.csv"
    )
    np.save("new.npy", new)
    Path("labels.csv").write_text("id,label\np00,cat\np39,dog\n")
    return tmp_path


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, [*map(str, arguments)])
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


def fit(*more: object) -> None:
    run("classify", "features.csv", "--labels", "labels.csv", "--save", "model.npz", *more)


def labels_in(path: str) -> list[str]:
    return pl.read_csv(path)["label"].to_list()


EXPECTED = ["cat"] * 5 + ["dog"] * 5


def test_a_saved_model_labels_new_points() -> None:
    fit()
    said = run("predict", "model.npz", "new.csv")
    assert re.search(r"10 points, with a mean probability of [01]\.\d\d\. wrote new_pred", said)
    assert labels_in("new_predictions.csv") == EXPECTED
    written = pl.read_csv("new_predictions.csv")
    assert written.columns == ["id", "label", "probability", "margin", "reached"]
    assert written["reached"].all()
    model = DiffResNetClassifier.load("model.npz")
    assert list(vars(model)["feature_names_in_"]) == ["x", "y", "z"]
    wanted = model.predict_proba(pl.read_csv("new.csv").select("x", "y", "z")).max(axis=1)
    assert written["probability"].to_list() == pytest.approx(wanted.tolist(), abs=1e-6)


def test_arrays_and_parts() -> None:
    fit()
    run("predict", "model.npz", "new.npy", "--out", "parts")
    assert pl.read_parquet("parts/*.parquet")["label"].to_list() == EXPECTED


def test_labels_are_compared_with() -> None:
    fit()
    labels = ["cat"] * 5 + ["dog"] * 3 + ["cat", ""]
    pl.read_csv("new.csv").with_columns(label=pl.Series(labels)).write_csv("with.csv")
    assert "88.9% of 9 labels in with.csv are right." in run("predict", "model.npz", "with.csv")


def test_points_that_no_label_reaches() -> None:
    table = pl.read_csv("features.csv")
    far = table.with_columns(pl.col("x", "y", "z") + 1000, id="q" + pl.col("id"))
    pl.concat([table, far]).write_csv("features.csv")
    fit("--n-top", 4)
    pl.read_csv("new.csv").with_columns(pl.col("x", "y", "z") + 1000).write_csv("far.csv")
    said = run("predict", "model.npz", "far.csv")
    assert "Near points only that no label reaches: 10 points, with" in said
    assert not pl.read_csv("far_predictions.csv")["reached"].any()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (pl.col("x").alias("w"), "of model.npz, got 'w' besides"),
        (None, "columns of model.npz, got 'x' missing. Give it the columns of the table"),
    ],
)
def test_other_columns_are_refused(change: pl.Expr | None, message: str) -> None:
    fit()
    table = pl.read_csv("new.csv")
    (table.drop("x") if change is None else table.with_columns(change)).write_csv("other.csv")
    assert message in run("predict", "model.npz", "other.csv", code=2)
    assert not Path("other_predictions.csv").exists()


def test_other_refusals() -> None:
    fit()
    np.save("wide.npy", np.ones((3, 7)))
    said = run("predict", "model.npz", "wide.npy", "--out", "n.csv", code=2)
    assert "FEATURES must be rows of 3 features, got 7 in wide.npy." in said
    run("predict", "model.npz", "new.csv")
    assert "which exists" in run("predict", "model.npz", "new.csv", code=2)
    pl.read_csv("new.csv").select("id").write_csv("ids.csv")
    said = run("predict", "model.npz", "ids.csv", "--out", "n.csv", code=2)
    assert "FEATURES must be a file with features, got ids only." in said
    links = pl.DataFrame({"a": ["p00", "p01"], "b": ["p01", "p39"]})
    links.write_csv("edges.csv")
    Path("ids.csv").write_text("id\np00\np01\np39\n")
    given = ("ids.csv", "--labels", "labels.csv", "--graph", "edges.csv")
    run("classify", *given, "--save", "graph.npz", "--out", "g.csv")
    said = run("predict", "graph.npz", "new.csv", "--out", "n.csv", code=2)
    assert "MODEL must be fitted to features, got graph.npz, fitted to a graph alone." in said


def test_what_is_no_model_is_said_in_the_words_of_the_command() -> None:
    fit()
    np.savez("other.npz", a=np.arange(3))
    said = run("predict", "other.npz", "new.csv", code=2)
    assert "MODEL must be what `classify --save` wrote, got other.npz. Pass the file that" in said
    assert "MODEL must be what `cl" in run("predict", "new.npy", "new.csv", code=2)
    said = run("predict", "features.csv", "model.npz", code=2)
    assert "wrote, got features.csv. The two are swapped: pass model.npz first." in said
    arrays, description = read_described(Path("model.npz"), "f")
    write_described(Path("old.npz"), arrays, description | {"n_features": -1})
    said = run("predict", "old.npz", "new.csv", code=2)
    assert "MODEL must be a saved model, got old.npz (" in said
    assert "Pass a file that `classify --save` wrote." in said


def test_save_is_checked_before_the_work() -> None:
    given = ("classify", "features.csv", "--labels", "labels.csv")
    assert "ends in .npz" in run(*given, "--save", "model.pkl", code=2)
    assert not Path("predictions.csv").exists()


def test_proportions_of_classes() -> None:
    fit("--prior", "cat=0.9,dog=0.1")
    assert labels_in("predictions.csv").count("cat") > N // 2
    given = ("classify", "features.csv", "--labels", "labels.csv", "--force")
    assert "got none of 'dog'." in run(*given, "--prior", "cat=1", code=2)
