"""The Python of the README and the docs runs and gives what it says."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
from typer.testing import CliRunner

from diffresnet.cli import app

README = Path(__file__).parent.parent / "README.md"


def python_of(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL)


def run(script: str, folder: Path) -> str:
    command = [sys.executable, "-W", "error", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)  # noqa: S603
    return done.stdout


def test_python_of_the_readme(tmp_path: Path) -> None:
    labels, ten_lines = python_of(README)
    found = re.match(r"([\d.]+)% right, 10 of 1797 points have a label\.", run(labels, tmp_path))
    assert found is not None
    assert float(found[1]) > 85
    accuracy = re.fullmatch(r"([\d.]+)% right from 6 labels\n", run(ten_lines, tmp_path))
    assert accuracy is not None
    assert float(accuracy[1]) > 95


def test_the_example_of_the_readme(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    points = generator.normal(size=(40, 3)) + 4 * (np.arange(40) >= 20)[:, None]
    rows = [f"p{row:02},{','.join(f'{x:.2f}' for x in one)}" for row, one in enumerate(points)]
    (tmp_path / "points.csv").write_text("\n".join(["id,x,y,z", *rows]))
    (tmp_path / "labels.csv").write_text("id,label\np00,cat\np39,dog\n")
    shown = re.findall(r"```text\n(.*?)```", README.read_text(), flags=re.DOTALL)
    assert [line.split()[0] for line in shown[0].splitlines()] == ["id,x,y,z", *rows[:3]]
    given = [str(tmp_path / name) for name in ("points.csv", "labels.csv", "predictions.csv")]
    words = ["classify", given[0], "--labels", given[1], "--out", given[2]]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    found = Path(given[2]).read_text().splitlines()[:4]
    for line, said in zip(found, shown[1].splitlines(), strict=True):
        assert line.split(",")[:2] == said.split(",")[:2]
        assert line.split(",")[2][:5] == said.split(",")[2][:5]


def test_python_of_the_docs(tmp_path: Path) -> None:
    layers = python_of(README.parent / "docs/guides/layers.md")
    assert len(layers) == 2
    run("\n".join(layers), tmp_path)
    classifier, values, several = python_of(README.parent / "docs/methods/classifier.md")
    assert float(run(classifier, tmp_path).splitlines()[-1]) > 0.9
    coverage, explained = run(values, tmp_path).splitlines()[1:]
    assert float(coverage) > 0.8
    assert float(explained) > 0.35
    assert float(run(several, tmp_path).splitlines()[-1]) > 0.9
    (club,) = python_of(README.parent / "docs/start/graph.md")
    assert run(club, tmp_path) == "33 of 34\n"
    (rounds,) = python_of(README.parent / "docs/guides/labels.md")
    assert float(run(rounds, tmp_path).split()[-1]) > 0.95
    (table,) = python_of(README.parent / "docs/guides/tables.md")
    assert "predicted_probability" in run(table, tmp_path)
    (nodes,) = python_of(README.parent / "docs/guides/nodes.md")
    found = re.match(r"3 train and 5 validation .* 5 splits x 1 inits (\S+)", run(nodes, tmp_path))
    assert found is not None
    assert float(found[1]) > 0.9
    (encoders,) = python_of(README.parent / "docs/guides/encoders.md")
    assert run(encoders, tmp_path) == "(20, 64)\n"
    (theory,) = python_of(README.parent / "docs/methods/theory.md")
    said = run(theory, tmp_path)
    assert said.startswith("4 True NTopRange(low=5, high=27)\nTrue [('paper', ")
    assert "n_wrong=0)" in said
