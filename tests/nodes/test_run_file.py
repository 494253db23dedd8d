import json
from pathlib import Path

import pytest

from diffresnet.nodes.run_file import Run, RunFile

OF = {"method": "mine"}


def test_runs_come_back(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "runs.jsonl"
    with RunFile(path, OF) as file:
        file.add(Run(0, 1, 0.5, 2.0))
        assert json.loads(path.read_text().splitlines()[0]) == OF
        assert len(path.read_text().splitlines()) == 2
    text = path.read_text()
    path.write_text(text + '{"split": 1, "in')  # stopped while it was written
    with RunFile(path, OF) as again:
        assert again.runs == {(0, 1): Run(0, 1, 0.5, 2.0)}
        assert path.read_text() == text
        again.add(Run(1, 0, 0.25, 1.0))
    assert len(path.read_text().splitlines()) == 3


def test_stopped_before_a_run_or_in_the_first_line(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    with RunFile(path, OF):
        pass
    assert not path.exists()
    path.write_text('{"meth')
    with RunFile(path, OF) as file:
        file.add(Run(0, 0, 1.0, 1.0))
    with RunFile(path, OF) as again:
        assert len(again.runs) == 1
    with pytest.raises(ValueError, match="must be a file, got the folder"), RunFile(tmp_path, OF):
        pass


def test_without_a_file() -> None:
    with RunFile(None, OF) as file:
        file.add(Run(0, 0, 1.0, 1.0))
    assert len(file.runs) == 1


def test_one_process_at_a_time(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    path = tmp_path / "runs.jsonl"
    with RunFile(path, OF) as first:
        with pytest.raises(ValueError, match="which another process uses"), RunFile(path, OF):
            pass
        first.add(Run(0, 0, 1.0, 1.0))
    with RunFile(path, OF) as second:
        assert len(second.runs) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"method": "yours"}\n', "must be a file of {'method': 'mine'}, got"),
        (b"no JSON\n", "runs.jsonl with line 1: Expecting value"),
        (b'{"method": "mine"}\n\n', "runs.jsonl with line 2: Expecting value"),
        (b'{"method": "mine"}\n{"split": 3}\n', "line 2: .* missing 3 required"),
        (b'{"method": "mine"}\n[1]\n', "line 2: no object of JSON"),
        (
            b'{"method": "mine"}\n{"split": "0", "init": 0, "accuracy": 0.5, "seconds": 1}\n',
            "no run",
        ),
        (b'{"my": "only copy"}', "must be a file of {'method': 'mine'}, got"),
        (b"\xff\xfe\n", "can't decode"),
    ],
)
def test_files_that_are_none(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message), RunFile(path, OF):
        pass
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "wrong", [{"split": "0"}, {"split": []}, {"accuracy": float("nan")}, {"accuracy": 7}]
)
def test_runs_that_are_none(tmp_path: Path, wrong: dict[str, object]) -> None:
    path = tmp_path / "runs.jsonl"
    run = {"split": 0, "init": 0, "accuracy": 0.5, "seconds": 1.0} | wrong
    path.write_text(f"{json.dumps(OF)}\n{json.dumps(run)}\n")
    with pytest.raises(ValueError, match=r"with line 2: .* is no run"), RunFile(path, OF):
        pass
