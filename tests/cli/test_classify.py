import csv
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from typer.testing import CliRunner

from diffresnet.cli import app
from diffresnet.estimators import solution
from diffresnet.estimators.solvers.mixture import LabelSampling

N = 40


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with two clouds of points, one label each, and their graph."""
    monkeypatch.chdir(tmp_path)
    generator = np.random.default_rng(0)
    points = generator.normal(size=(N, 3)) + 4 * (np.arange(N) >= N / 2)[:, None]
    rows = [f"p{row:02},{','.join(f'{x:.4f}' for x in p)}" for row, p in enumerate(points)]
    Path("features.csv").write_text("\n".join(["id,x,y,z", *rows]))
    Path("ids.csv").write_text("\n".join(["id", *(row[:3] for row in rows)]))
    Path("labels.csv").write_text("id,label\np00,cat\np39,dog\n")
    links = [f"p{row:02},p{row + 1:02}" for row in range(N - 1) if row != N // 2 - 1]
    Path("edges.csv").write_text("\n".join(["from,to", *links]))
    np.savez("features.npz", features=points, labels=[0, *[-1] * (N - 2), 1])
    return tmp_path


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["classify", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.output


def refused(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["classify", *map(str, arguments)])
    assert result.exit_code == 2, result.output
    return " ".join(re.sub(r"[│╭╮╰╯─]", " ", result.output).split())


def predicted(path: str = "predictions.csv") -> list[str]:
    with Path(path).open() as stream:
        return [row["label"] for row in csv.DictReader(stream)]


EXPECTED = ["cat"] * (N // 2) + ["dog"] * (N // 2)


@pytest.mark.usefixtures("folder")
def test_a_csv_and_its_labels() -> None:
    said = run("features.csv", "--labels", "labels.csv")
    assert predicted() == EXPECTED
    assert "40 points, 2 with a label" in said
    assert re.search(r"│ cat +│ +1 │ +19 │ +[01]\.\d\d │", said)
    assert "2 of 40 points have a label." in said
    assert "wrote predictions.csv" in said
    assert "Label next" not in said


@pytest.mark.usefixtures("folder")
def test_labels_inside_and_parquet() -> None:
    frame = pl.read_csv("features.csv")
    labels = ["cat", *[None] * (N - 2), "dog"]
    frame.with_columns(pl.Series("kind", labels)).write_parquet("all.parquet")
    run("all.parquet", "--label-column", "kind", "--out", "new/p.parquet")
    assert pl.read_parquet("new/p.parquet")["label"].to_list() == EXPECTED


@pytest.mark.usefixtures("folder")
def test_numpy_files() -> None:
    run("features.npz")
    assert predicted() == ["0"] * (N // 2) + ["1"] * (N // 2)


@pytest.mark.usefixtures("folder")
def test_labels_in_both_files() -> None:
    np.save("labels.npy", ["cat", *[""] * (N - 2), "dog"])
    said = run("features.npz", "--labels", "labels.npy")
    assert "The labels in features.npz ('label') are ignored: --labels is used." in said
    assert predicted() == EXPECTED


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("features", ["features.csv", "ids.csv"])
def test_a_graph_of_links(features: str) -> None:
    run(features, "--labels", "labels.csv", "--graph", "edges.csv")
    assert predicted() == EXPECTED


@pytest.mark.usefixtures("folder")
def test_points_out_of_reach_are_one_sentence() -> None:
    near = np.eye(N, k=1)
    near[[9, 19, 29]] = 0
    sparse.save_npz("links.npz", sparse.csr_array(near))
    said = run("ids.csv", "--labels", "labels.csv", "--graph", "links.npz", "--suggest", 2)
    assert "20 points are not connected to any label and get the class prior. Label some" in said
    assert "Warning" not in said
    named = re.search(r"Label next: p(\d\d), p(\d\d)\.", said)
    assert named is not None
    assert all(10 <= int(place) < 30 for place in named.groups())


@pytest.mark.usefixtures("folder")
def test_suggestions_where_all_is_known() -> None:
    np.save("labels.npy", np.arange(N) % 2)
    assert "Label next: nothing" in run("features.npz", "--labels", "labels.npy", "--suggest", 3)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("solver", ["mixture", "kernel", "network"])
def test_every_solver(solver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str]] = []
    make = solution.make_solver

    def spy(name: solution.SolverName, sampling: LabelSampling) -> object:
        asked.append((name, sampling))
        return make(name, sampling)

    monkeypatch.setattr("diffresnet.estimators.classifier.make_solver", spy)
    drawn = ("--label-sampling", "per class")
    run("features.csv", "--labels", "labels.csv", "--solver", solver, *drawn)
    assert asked == [(solver, "per class")]


@pytest.mark.usefixtures("folder")
def test_options_reach_the_classifier() -> None:
    said = run(
        *("features.csv", "--labels", "labels.csv", "--steps", 4, "--prior", "uniform"),
        *("--n-top", 5, "--seed", 3),
    )
    assert "Diffusion has the strength 2." in said
    assert "A point has 1" not in said  # fewer links than the ten or more of the default


@pytest.mark.usefixtures("folder")
def test_many_classes_are_cut_short() -> None:
    np.save("labels.npy", np.arange(N))
    said = run("features.npz", "--labels", "labels.npy")
    assert "10 classes more are in the file." in said


@pytest.mark.usefixtures("folder")
def test_minus_one_as_text_is_a_class() -> None:
    Path("labels.csv").write_text("id,label\np00,1\np39,-1\n")
    assert "'-1' is taken for a class." in run("features.csv", "--labels", "labels.csv")
    assert predicted() == ["1"] * (N // 2) + ["-1"] * (N // 2)


@pytest.mark.usefixtures("folder")
def test_nothing_is_overwritten_unasked() -> None:
    Path("predictions.csv").write_text("mine")
    said = refused("features.csv", "--labels", "labels.csv")
    assert "--out must be a new file, got predictions.csv, which exists." in said
    assert Path("predictions.csv").read_text() == "mine"
    run("features.csv", "--labels", "labels.csv", "--force")
    assert predicted() == EXPECTED
    assert "those that are used" in refused("features.csv", "--out", "features.csv", "--force")


@pytest.mark.usefixtures("folder")
def test_a_page() -> None:
    said = run("features.csv", "--labels", "labels.csv", "--report", "page.html")
    assert "wrote page.html" in said
    page = Path("page.html").read_text()
    assert "features.csv" in page
    assert "p39" in page


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.csv"], "FEATURES must be a file that exists, got none.csv."),
        (["features.csv"], "--labels must be given, or FEATURES must have a column 'label'"),
        (["features.csv", "--labels", "edges.csv"], "a table with a column 'label', got edges.csv"),
        (["ids.csv", "--labels", "labels.csv"], "FEATURES must be a file with features, got ids"),
        (["features.npz", "--steps", "few"], "--steps must be a whole number or auto, got 'few'."),
        (["features.npz", "--report", "page.pdf"], "--report must be a file that ends in .html"),
        (["features.npz", "--graph", "edges.csv"], "links of ids in FEATURES, got 38 that"),
    ],
)
def test_bad_input(arguments: list[str], message: str) -> None:
    said = refused(*arguments)
    assert message in said
    assert not Path("predictions.csv").exists()
