"""The Python of the README and the docs runs and gives what it says."""

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def python_of(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL)


def run(script: str, folder: Path) -> str:
    command = [sys.executable, "-W", "error", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)  # noqa: S603
    return done.stdout


def test_python_of_the_readme(tmp_path: Path) -> None:
    labels, ten_lines = python_of(README)
    found = re.match(r"([\d.]+)% right, (\d+)% sure\n", run(labels, tmp_path))
    assert found is not None
    assert float(found[1]) > 85
    accuracy = re.fullmatch(r"([\d.]+)% right from 6 labels\n", run(ten_lines, tmp_path))
    assert accuracy is not None
    assert float(accuracy[1]) > 95


def test_python_of_the_docs(tmp_path: Path) -> None:
    layers = python_of(README.parent / "docs/guides/layers.md")
    assert len(layers) == 2
    run("\n".join(layers), tmp_path)
    classifier, values, several = python_of(README.parent / "docs/classifier.md")
    assert float(run(classifier, tmp_path).splitlines()[-1]) > 0.9
    coverage, explained = run(values, tmp_path).splitlines()[1:]
    assert float(coverage) > 0.8
    assert float(explained) > 0.35
    assert float(run(several, tmp_path).splitlines()[-1]) > 0.9
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
