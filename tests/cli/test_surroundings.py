"""What is around a command may fail: the disk, folders, the clock, and others at the same work."""

import ctypes
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from diffresnet._support.writing import write_whole
from diffresnet.cli import app
from diffresnet.files.arrays import encode_arrays
from tests.fewshot.examples import random_bank

resource = pytest.importorskip("resource")

TASKS = ["--ways", "3", "--queries", "5", "--tasks", "10"]
PR_CAPBSET_DROP, OVERRIDES = 24, (1, 2)
"""Root may write and read everywhere unless it gives up the rights to."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    bank = random_bank((30,) * 5)
    np.savez("bank.npz", features=bank.features.numpy(), labels=bank.labels.numpy())
    points = bank.features.numpy()[:60]
    np.savez("points.npz", features=points, labels=[0, *[-1] * 58, 1])
    return tmp_path


def start(*arguments: str, before: Callable[[], object] | None = None) -> subprocess.Popen[str]:
    return subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", "diffresnet.cli", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=before,  # noqa: PLW1509  (there are no other threads that matter)
    )


def end(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    said, complained = process.communicate(timeout=120)
    return process.returncode, said, " ".join(complained.replace("│", " ").split())


def fill_the_disk() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


@pytest.mark.parametrize(
    ("command", "table", "names"),
    [
        (["fewshot", "bank.npz", *TASKS, "--json", "o.json"], "Diff-ResNet", ["o.json"]),
        (["reproduce", "xor", "--out", "out"], "XOR set", ["out/xor.json", "out/xor.png"]),
        (["classify", "points.npz", "--out", "parts"], "with a label", ["parts"]),
        pytest.param(
            ["demo", "--draws", "1", "--out", "out"],
            "nearest prototype",
            ["out/report.html", "out/predictions.csv", "out/accuracy.json"],
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_full_disk(folder: Path, command: list[str], table: str, names: list[str]) -> None:
    if command[0] == "fewshot":
        command = [*command, "--resume", "kept"]
    code, said, complained = end(start(*command, before=fill_the_disk))
    assert code == 2
    assert table in said
    listed = ", ".join(f"{name} (File too large)" for name in names)
    assert f"cannot write {listed}. Free some space, or choose another." in complained
    assert "Traceback" not in complained
    files = {path.name for path in folder.rglob("*") if path.is_file()}
    assert files == {"bank.npz", "points.npz"}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (["fewshot", "bank.npz", *TASKS], "Diff-ResNet"),
        (["--version"], "diffresnet 0."),
        (["--help"], ""),
        (["classify", "--help"], ""),
    ],
)
def test_an_output_that_is_full(command: list[str], shown: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(  # noqa: S603
            [sys.executable, "-m", "diffresnet.cli", *command],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert shown in done.stderr
    complained = " ".join(done.stderr.replace("│", " ").split())
    assert "The output must be on a disk with room, got one without. Free" in complained
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_warnings_that_cannot_be_shown_end_no_command(folder: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "diffresnet.cli", "classify", "points.npz", "--n-top", "2"],
            stdout=subprocess.PIPE,
            stderr=full,
            text=True,
            check=False,
        )
    assert done.returncode == 0
    assert "wrote predictions.csv" in done.stdout
    assert (folder / "predictions.csv").exists()


def obey_rights() -> None:
    if os.getuid() == 0:
        for right in OVERRIDES:
            ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, right, 0, 0, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="root gives up its rights in another way")
@pytest.mark.parametrize(
    ("command", "option"),
    [
        (["classify", "points.npz", "--out", "closed/p.csv"], "--out"),
        (["fewshot", "bank.npz", *TASKS, "--resume", "closed/kept"], "--resume"),
    ],
)
def test_a_read_only_folder(folder: Path, command: list[str], option: str) -> None:
    (folder / "closed").mkdir(mode=0o555)
    code, said, complained = end(start(*command, before=obey_rights))
    assert (code, said) == (2, "")
    assert "cannot write to closed" in complained
    assert f"Choose another {option}." in complained
    assert list((folder / "closed").iterdir()) == []


def test_no_home_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "nowhere")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    done = CliRunner().invoke(app, ["classify", "points.npz"])
    assert done.exit_code == 0, done.output
    (folder / "texts.txt").write_text("one\ntwo\n")
    done = CliRunner().invoke(app, ["embed", "texts.txt"])
    assert done.exit_code == 2
    said = " ".join(done.output.replace("│", " ").split())
    assert "The cache must be in a home folder" in said
    assert "Set XDG_CACHE_HOME to a folder." in said


@pytest.mark.usefixtures("folder")
def test_a_clock_that_jumps(monkeypatch: pytest.MonkeyPatch) -> None:
    def evaluate(name: str) -> dict[str, object]:
        command = ["fewshot", "bank.npz", *TASKS, "--resume", f"kept-{name}", "--json", name]
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 0, done.output
        return json.loads(Path(name).read_text())

    steady = evaluate("steady.json")
    arrays = encode_arrays({"a": np.ones(2)})
    years = iter(range(100_000))
    monkeypatch.setattr(time, "time", lambda: 1e9 * (next(years) % 3) - 5e8)  # 1954, 1985, 2017
    jumping = evaluate("jumping.json")
    assert encode_arrays({"a": np.ones(2)}) == arrays
    assert jumping["accuracy"] == steady["accuracy"]
    for name, old in (("bank.npz", 0), ("points.npz", 2**33)):
        os.utime(name, (old, old))  # 1970 and 2242
    assert evaluate("dated.json")["accuracy"] == steady["accuracy"]
    seconds = jumping["seconds_per_task"]
    assert isinstance(seconds, float)
    assert 0 < seconds < 10


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_two_write_one_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "file"
    contents = [bytes([letter]) * 100_000 for letter in b"ab"]
    write_whole(path, contents[0])
    children: list[int] = []
    for content in contents:
        children.append(os.fork())
        if not children[-1]:
            try:
                for _ in range(100):
                    write_whole(path, content)
            except BaseException:
                os._exit(1)
            os._exit(0)
    for _ in range(200):
        assert path.read_bytes() in contents
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0, 0]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.slow
def test_two_commands_at_once(folder: Path) -> None:
    both = [start("classify", "points.npz", "--report", "r.html", "--force") for _ in "ab"]
    assert [end(process)[0] for process in both] == [0, 0]
    names = {path.name for path in folder.iterdir()}
    assert names == {"bank.npz", "points.npz", "predictions.csv", "r.html"}
    long = ["fewshot", "bank.npz", *TASKS, "--solver", "descent", "--resume", "kept"]
    codes = sorted(end(process)[0] for process in [start(*long), start(*long)])
    assert codes in ([0, 0], [0, 2])  # one after the other, or the second says that it is used
    code, said, _ = end(start(*long))
    assert code == 0
    assert "Diff-ResNet" in said
