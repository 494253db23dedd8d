import json
import re
from errno import ENOSPC
from pathlib import Path

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from diffresnet.cli import app
from diffresnet.datasets import make_xor


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with the XOR set, as one file and as two."""
    monkeypatch.chdir(tmp_path)
    data = make_xor(torch.Generator().manual_seed(0), n_points=80)
    points, labels = data.points.numpy(), data.labels.numpy()
    np.savez("all.npz", features=points, labels=labels)
    np.save("points.npy", points)
    rows = [f"{row},{'red' if label else 'blue'}" for row, label in enumerate(labels)]
    Path("labels.csv").write_text("\n".join(["id,label", *rows]))
    return tmp_path


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["theory", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.output


def refused(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["theory", *map(str, arguments)])
    assert result.exit_code == 2, result.output
    return " ".join(re.sub(r"[│╭╮╰╯─]", " ", result.output).split())


@pytest.mark.usefixtures("folder")
def test_answers_and_files() -> None:
    said = run("all.npz", "--n-top", 7, "--json", "new/n.json", "--report", "page.html")
    assert "Structured: no link between subclasses" in said
    assert "Stable: hulls grow at no step" in said
    assert "The network of Theorem 1 separates the classes" in said
    assert "wrote page.html" in said
    numbers = json.loads(Path("new/n.json").read_text())
    assert len(numbers["subclass_of_point"]) == 80
    assert set(numbers["class_of_subclass"]) == set(range(len(numbers["class_names"])))
    exact = numbers["required_ratio"][-1]
    assert f"reached at step {exact['step']}." in said
    assert Path("page.html").read_text().startswith("<!doctype html>")


@pytest.mark.usefixtures("folder")
def test_labels_of_another_file_give_the_same() -> None:
    arguments = ["--n-top", 5, "--steps", 10, "--step-size", 0.5, "--width", 2]
    said = run("points.npy", "--labels", "labels.csv", *arguments)
    assert said == run("all.npz", *arguments)
    assert "step size 0.5" in said


@pytest.mark.usefixtures("folder")
def test_refusals() -> None:
    assert "--labels must be given, or POINTS must have a column 'label'" in refused("points.npy")
    Path("some.csv").write_text("id,label\n0,red\n1,blue\n")
    assert "--labels must be a label for every point, got 78 points without" in refused(
        "points.npy", "--labels", "some.csv"
    )
    np.savez("ids.npz", ids=["a", "b"], labels=[0, 1])
    assert "POINTS must be a file with features, got ids only" in refused("ids.npz")
    assert "analyze: `n_top` must be between 1 and the number of points (80), got 90" in refused(
        "all.npz", "--n-top", 90
    )
    assert "--json must be a file that ends in .json" in refused("all.npz", "--json", "n.txt")
    Path("page.html").write_text("")
    assert "--report must be a new file, got page.html" in refused(
        "all.npz", "--report", "page.html"
    )
    run("all.npz", "--report", "page.html", "--force", "--steps", 3)


@pytest.mark.usefixtures("folder")
def test_a_step_that_is_too_long_and_a_file_that_cannot_be_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    far = refused("all.npz", "--step-size", 50, "--steps", 500)
    assert "`step_size` must be one that is stable, got 50" in far

    def full(*_: object) -> None:
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr("diffresnet.cli.outputs.write_whole", full)
    said = refused("all.npz", "--steps", 1, "--json", "n.json")
    assert "cannot write n.json (No space left on device)" in said
