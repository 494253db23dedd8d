from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from diffresnet.cli import app
from diffresnet.cluster import classification
from diffresnet.cluster.engine import InProcess
from tests.cluster.examples import FEATURES, predictions, write_labels, write_points

RUNNER = CliRunner()


@pytest.fixture
def arguments(tmp_path: Path) -> list[str]:
    points = write_points(tmp_path / "points", 2, FEATURES[:120])
    labels = write_labels(tmp_path / "labels.csv")
    out = ["--out", str(tmp_path / "out"), "--cluster", "here"]
    return ["classify", str(points), "--labels", str(labels), *out]


def test_the_command_writes_a_part_for_each_file(tmp_path: Path, arguments: list[str]) -> None:
    result = RUNNER.invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "120 points" in result.output
    assert "1 shard, 1 block, 0 started again." in result.output
    assert "of the nearest neighbors of 120 points." in result.output.replace("\n", " ")
    assert len(predictions(tmp_path / "out")) == 120
    again = RUNNER.invoke(app, arguments)
    assert again.exit_code == 2
    assert "--out must be a new folder" in again.output.replace("\n", " ")


GIVEN = {
    "--graph": "links.csv",
    "--report": "page.html",
    "--save": "model.npz",
    "--suggest": "3",
    "--suggestions": "next.csv",
    "--solver": "network",
    "--steps": "what",
    "--search": "exact",
    "--label-sampling": "random",
    "--prior": "utter nonsense",
}


@pytest.mark.parametrize("more", [*GIVEN.items(), ("--curve",), ("--no-curve",)])
def test_what_only_one_machine_does_is_refused(arguments: list[str], more: tuple[str, ...]) -> None:
    result = RUNNER.invoke(app, [*arguments, *more])
    assert result.exit_code == 2
    said = " ".join(result.output.split())
    assert "--cluster must be left out beside --graph, --report, --since, --save," in said
    assert f"got it with {more[0].replace('--no-', '--')}." in said


def test_what_is_said_twice_is_not_refused(arguments: list[str]) -> None:
    """Options with the value that they have anyway ask for nothing."""
    same = ["--solver", "mixture", "--steps", "auto", "--prior", "none", "--memory", "2"]
    assert RUNNER.invoke(app, [*arguments, *same]).exit_code == 0


@pytest.mark.parametrize(("option", "value"), [("--work", "jobs"), ("--memory", "1")])
def test_what_only_a_cluster_does_is_refused(arguments: list[str], option: str, value: str) -> None:
    alone = [one for one in arguments if one not in ("--cluster", "here")]
    result = RUNNER.invoke(app, [*alone, option, value])
    assert result.exit_code == 2
    said = " ".join(result.output.split())
    assert f"{option} must be given with --cluster, got it alone." in said


def test_a_stopped_command_goes_on(
    tmp_path: Path, arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second time, files that were looked at are not looked at again."""

    class Stopped(InProcess):
        def start(self, make: Any, items: Any) -> list[Any]:  # noqa: ARG002
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(classification, "InProcess", Stopped)
        assert RUNNER.invoke(app, arguments).exit_code != 0
    looked = tmp_path / "out.work" / "survey" / "0.json"
    before = looked.stat().st_mtime_ns
    looked_again = list[int]()
    publish = classification.publish

    def look(*given: Any) -> None:
        looked_again.append(looked.stat().st_mtime_ns)
        publish(*given)

    monkeypatch.setattr(classification, "publish", look)
    assert RUNNER.invoke(app, arguments).exit_code == 0
    assert looked_again == [before]
