"""What the fuzzer calls a fault; and the first of its cases, which have none."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.fuzz.running import Call, Kind, Plan, run_case, run_cases

ROOT = Path(__file__).parent.parent.parent
N_CASES = 300


def test_the_first_cases_have_no_fault() -> None:
    command = [sys.executable, "-m", "tests.fuzz", "--cases", str(N_CASES)]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    ended = subprocess.run(  # noqa: S603  (ourselves)
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert f"{N_CASES} cases in " in ended.stdout
    assert ", 0 with a fault." in ended.stdout


def refuses(_: np.random.Generator, __: Path) -> Call:
    def call() -> object:
        raise ValueError("FILE must be whole, got half of it. Write it again.")

    return call


def by_accident(_: np.random.Generator, __: Path) -> Call:
    return lambda: np.zeros(3).reshape(2, 2)


def breaks(_: np.random.Generator, __: Path) -> Call:
    nothing: dict[str, int] = {}
    return lambda: nothing["x"]


def leaves(_: np.random.Generator, folder: Path) -> Call:
    def call() -> object:
        (folder / "half.csv").write_text("id")
        raise ValueError("FILE must be whole, got half of it. Write it again.")

    return call


def changes(_: np.random.Generator, folder: Path) -> Call:
    (folder / "x.csv").write_text("a")
    return lambda: (folder / "x.csv").write_text("b")


def says_two_lines(_: np.random.Generator, __: Path) -> Call:
    def call() -> object:
        raise ValueError("a\nb")

    return call


def warns(_: np.random.Generator, __: Path) -> Call:
    return lambda: np.array([1.0]) / np.array([0.0])


def gives_nan(_: np.random.Generator, __: Path) -> Call:
    return lambda: [{"a": (1.0, np.array([np.nan]))}]


def takes_memory(_: np.random.Generator, __: Path) -> Call:
    return lambda: np.empty(2**40)


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        (refuses, ""),
        (by_accident, "traceback"),
        (breaks, "traceback"),
        (leaves, "partial file"),
        (changes, "changed input"),
        (says_two_lines, "refusal of no sentence"),
        (warns, "traceback"),
        (gives_nan, "NaN"),
    ],
)
def test_faults(kind: Kind, fault: str, tmp_path: Path) -> None:
    outcome = run_case(kind, "k", 0, 0, tmp_path)
    assert outcome.fault == fault
    assert outcome.refused == (kind in (refuses, by_accident, leaves, says_two_lines))
    assert (tmp_path / "0-k").exists() == bool(fault)


def dies(_: np.random.Generator, __: Path) -> Call:
    return lambda: os.kill(os.getpid(), signal.SIGALRM)


def hangs(_: np.random.Generator, __: Path) -> Call:
    return lambda: time.sleep(100)


def test_what_ends_a_process_is_told_and_the_others_go_on() -> None:
    kinds = {"refuses": refuses, "dies": dies, "hangs": hangs, "memory": takes_memory}
    found = list(run_cases(Plan(kinds), range(8), most_seconds=2))
    assert [one.number for one in found] == list(range(8))
    assert [one.fault for one in found] == ["", "signal", "hang", "memory"] * 2
    assert found[1].where == f"signal {signal.SIGALRM}"


def draws(random: np.random.Generator, _: Path) -> Call:
    drawn = random.random()

    def call() -> object:
        raise KeyError(drawn)

    return call


def test_a_case_is_the_same_for_the_same_seed() -> None:
    first, again, other = (run_case(draws, "k", 5, seed).where for seed in (3, 3, 4))
    assert first == again != other
