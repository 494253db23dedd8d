import errno
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

import pytest
import torch

from diffresnet.measuring.runs import RunFile, file_of, run_all

OF = {"method": "mine"}


@dataclass(frozen=True)
class Run:
    number: int
    accuracy: float


def read(found: Mapping[str, Any]) -> Run:
    run = Run(**found)
    if type(run.number) is not int or not 0 <= run.accuracy <= 1:
        raise ValueError(f"{found} is no run")
    return run


def run_file(path: Path | None) -> RunFile[Run]:
    return RunFile("f", path, OF, read=read, keys=lambda run: [run.number], write=asdict)


def test_runs_come_back(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "runs.jsonl"
    with run_file(path) as file:
        file.add(Run(0, 0.5))
        assert json.loads(path.read_text().splitlines()[0]) == OF
        assert len(path.read_text().splitlines()) == 2
    text = path.read_text()
    path.write_text(text + '{"number": 1, "acc')  # stopped while it was written
    with run_file(path) as again:
        assert again.runs == [Run(0, 0.5)]
        assert path.read_text() == text
        again.add(Run(1, 0.25))
    assert len(path.read_text().splitlines()) == 3


def test_stopped_before_a_run_or_in_the_first_line(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    with run_file(path):
        pass
    assert not path.exists()
    path.write_text('{"meth')
    with run_file(path) as file:
        file.add(Run(0, 1.0))
    with run_file(path) as again:
        assert len(again.runs) == 1
    with pytest.raises(ValueError, match="must be a file, got the folder"), run_file(tmp_path):
        pass
    path.unlink()
    path.symlink_to("/dev/zero")
    with pytest.raises(ValueError, match="must be a file, got the device or pipe"), run_file(path):
        pass


def test_a_full_disk_keeps_whole_lines_and_loses_no_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "runs.jsonl"
    write, is_full = os.write, [False]

    def fill(descriptor: int, content: bytes) -> int:
        if not is_full[0]:
            return write(descriptor, content)
        if len(content) > 3:
            return write(descriptor, content[:3])  # what still had room
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.write", fill)
    with run_file(path) as file:
        file.add(Run(0, 0.5))
        before = path.read_bytes()
        is_full[0] = True
        message = r"f: `resume` must be on a disk with room, got .*runs.jsonl \(No space left on .*"
        with pytest.warns(UserWarning, match=message + r"runs are not kept. Free some space\."):
            file.add(Run(1, 0.5))
        assert path.read_bytes() == before
        is_full[0] = False
        file.add(Run(2, 0.5))  # somebody freed some space
        assert [run.number for run in file.runs] == [0, 1, 2]
    with run_file(path) as again:
        assert [run.number for run in again.runs] == [0, 2]


def test_a_file_that_another_process_removes_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl")
    path = tmp_path / "runs.jsonl"
    lock, taken = fcntl.flock, list[bool]()

    def end_just_before(stream: IO[str], operation: int) -> None:
        if not taken:
            path.unlink()  # by the process that had the file, and no run
        taken.append(True)
        lock(stream, operation)

    monkeypatch.setattr("fcntl.flock", end_just_before)
    with run_file(path) as file:
        file.add(Run(0, 1.0))
    assert len(path.read_text().splitlines()) == 2


def test_without_a_file() -> None:
    with run_file(None) as file:
        file.add(Run(0, 1.0))
    assert len(file.runs) == 1


def test_one_process_at_a_time(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    path = tmp_path / "runs.jsonl"
    with run_file(path) as first:
        with pytest.raises(ValueError, match="which another process uses"), run_file(path):
            pass
        first.add(Run(0, 1.0))
    with run_file(path) as second:
        assert len(second.runs) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b'{"method": "yours"}\n',
            "must be a file of the same runs, got .*runs.jsonl, of another method",
        ),
        (b"no JSON\n", "runs.jsonl with line 1: Expecting value"),
        (b'{"method": "mine"}\n\n', "runs.jsonl with line 2: Expecting value"),
        (b'{"method": "mine"}\n{"number": 3}\n', "line 2: .* missing 1 required"),
        (b'{"method": "mine"}\n[1]\n', "line 2: no object of JSON"),
        (
            b'{"method": "mine"}\n{"number": "0", "accuracy": 0.5}\n',
            "no run",
        ),
        (
            b'{"my": "only copy"}',
            "must be a file of the same runs, got .*runs.jsonl, of another method",
        ),
        (b"\xff\xfe\n", "can't decode"),
    ],
)
def test_files_that_are_none(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message), run_file(path):
        pass
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "wrong", [{"number": "0"}, {"number": []}, {"accuracy": float("nan")}, {"accuracy": 7}]
)
def test_runs_that_are_none(tmp_path: Path, wrong: dict[str, object]) -> None:
    path = tmp_path / "runs.jsonl"
    run = {"number": 0, "accuracy": 0.5} | wrong
    path.write_text(f"{json.dumps(OF)}\n{json.dumps(run)}\n")
    with pytest.raises(ValueError, match=r"with line 2: .* is no run"), run_file(path):
        pass


def test_two_lines_of_the_same_run(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    runs = [Run(0, 0.5), Run(1, 0.5), Run(0, 0.75)]
    lines = [json.dumps(one) for one in (OF, *map(asdict, runs))]
    path.write_text("".join(f"{line}\n" for line in lines))
    with pytest.raises(ValueError, match=r"with line 4: 0, which line 2 has, too\. Mend or remove"):
        run_file(path).__enter__()


def multiply(left: int, right: int) -> tuple[int, int]:
    return left * right, torch.get_num_threads()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_every_call_is_made_on_one_thread(n_jobs: int) -> None:
    calls = [(number, number + 1) for number in range(7)]
    found = dict(run_all(multiply, calls, n_jobs=n_jobs))
    assert found == {number: (number * (number + 1), 1) for number in range(7)}


def test_a_file_of_another_system_is_cut_where_its_last_line_begins(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    whole = f'{json.dumps(OF)}\r\n{{"number": 0, "accuracy": 0.5}}\r\n'.encode()
    path.write_bytes(whole + b'{"number": 1, "acc')
    with run_file(path) as file:
        file.add(Run(2, 1.0))
    assert path.read_bytes() == whole + b'{"number": 2, "accuracy": 1.0}\n'
    with run_file(path) as again:
        assert again.runs == [Run(0, 0.5), Run(2, 1.0)]


def test_runs_of_another_identity_have_another_file(tmp_path: Path) -> None:
    first, second = (file_of(tmp_path, "gcn", {"seed": seed}) for seed in ("1", "2"))
    assert first != second
    assert first.name.startswith("gcn-")
    assert file_of(tmp_path, "gcn", {"seed": "1"}) == first
