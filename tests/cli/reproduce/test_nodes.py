import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from diffresnet.cli import app
from tests.nodes.examples import citation_graph


def invoke(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["reproduce", *words], env={"COLUMNS": "300"})
    return result.exit_code, result.output


def test_from_beginning_to_end(tmp_path: Path) -> None:
    citation_graph("cora")
    words = ["nodes", "--out", str(tmp_path), "--graphs", "cora", "--splits", "2", "--jobs", "1"]
    code, output = invoke(*words, "--methods", "label-propagation")
    assert code == 0, output
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"index.html", "results.json", "nodes.png", "nodes.svg", "runs"}
    found = json.loads((tmp_path / "results.json").read_text())["results"]["cora"][0]
    assert 0.6 < found["accuracy_mean"] < 0.8
    assert "label propagation" in output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nodes", "--methods", "resnet"], "--methods must be of 'diffresnet', 'kernel'"),
        (["depth", "--graphs", "arxiv"], "--graphs must be of 'cora', 'citeseer', 'pubmed'"),
    ],
)
def test_wrong_names(words: list[str], message: str, tmp_path: Path) -> None:
    code, output = invoke(*words, "--out", str(tmp_path / "out"))
    assert code == 2
    assert message in output
    assert not (tmp_path / "out").exists()


def test_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DIFFRESNET_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("diffresnet.nodes.citation.SOURCE", f"{tmp_path.as_uri()}/nowhere/")
    code, output = invoke("depth", "--graphs", "cora", "--out", str(tmp_path / "out"))
    assert code == 2
    assert "could not be downloaded" in output
