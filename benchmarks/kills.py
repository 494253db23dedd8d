"""Does a command that was killed, called again, do what one does that was left alone?

Every command that writes (of `reproduce`, some quick ones) is killed, at a random moment or in the
midst of its writes, and called again. Then its results must be those of an unbroken command,
without `--force`; no temporary file may be left; and no process of the killed command may live for
more than ten seconds.

Commands are forked from a process that has imported what they need, so that kills fall into their
work. They keep what is done after every batch, not every few seconds.

    python benchmarks/kills.py --keep FOLDER

goes on from the kills that FOLDER has.
"""

import argparse
import contextlib
import json
import os
import random
import re
import resource
import signal
import sqlite3
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import torch
from PIL import Image

from diffresnet.cli import COMMANDS, app
from diffresnet.cli.reproduce import COMMANDS as REPRODUCED
from diffresnet.encoders import extraction, training
from diffresnet.estimators import DiffResNetClassifier
from diffresnet.measuring.runs import RunFile
from timing import write_results

SECONDS = 10.0
"""After which no process of a killed command may live."""

PATIENCE = 300.0
"""Seconds that a command may take."""

WRITES = {"os.chmod", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.truncate"}
"""Operations on files that Python tells of, beside opening one to write."""

FEW = "--ways 3 --queries 5 --tasks 600 --method diffresnet --method simpleshot"
FEWSHOT = f"fewshot labeled.npz {FEW} --resume kept --json numbers.json"
SPLITS = "--splits 4 --inits 1 --train-nodes 5 --validation-nodes 5 --solver kernel"
ABLATION = "--features labeled.npz --out out --tasks 10 --shots 1 --jobs 1"
TRAINING = "--backbone conv4 --epochs 3 --batch-size 16 --learning-rate 0.05"
CASES: dict[str, tuple[int, str]] = {
    "classify": (
        32,
        "classify points.npz --report page.html --suggestions next.csv --save model.npz",
    ),
    "classify without labels": (10, "classify bare.npz --suggest 5"),
    "predict": (12, "predict saved.npz new.npz"),
    "studio": (16, "studio points.npz --export out"),
    "theory": (12, "theory labeled.npz --json numbers.json --report page.html"),
    "demo": (5, "demo --draws 1"),
    "fewshot": (26, FEWSHOT),
    "fewshot with two jobs": (6, f"{FEWSHOT} --jobs 2"),
    "nodes": (20, f"nodes links.csv --nodes nodes.csv {SPLITS} --resume kept --json numbers.json"),
    "reproduce xor": (12, "reproduce xor --out out"),
    "reproduce theory": (6, "reproduce theory --out out"),
    "reproduce ablation": (10, f"reproduce ablation {ABLATION}"),
    "embed images": (12, "embed photos --batch-size 2 --cache cache"),
    "embed texts": (5, "embed texts.txt --batch-size 1 --cache cache"),
    "train-backbone": (14, f"train-backbone --data images.npz {TRAINING}"),
}
"""In how many trials each command is killed, and how it is called."""


@dataclass(frozen=True)
class Aim:
    """When to kill: after seconds, before an operation on files or the output, or within a file.

    Attributes:
        way: "moment", "operation" or "bytes".
        place: the number of seconds, operations, or bytes of a file.
        signal: which is sent; one that is half through a file is the system's own.
    """

    way: str
    place: float
    signal: int


@dataclass(frozen=True)
class Trial:
    """A command that was killed once or twice, then called again.

    Attributes:
        case: which command.
        number: of the trial.
        kills: how and when it was killed.
        seconds_left: for which any of its processes lived on.
        faults: what was not as it must be.
    """

    case: str
    number: int
    kills: list[str]
    seconds_left: float
    faults: list[str]


@dataclass(frozen=True)
class Ended:
    """How a command ended: its code (a signal's is negative), its output, and what it took."""

    code: int
    said: str
    seconds: float
    n_operations: int
    seconds_left: float


@dataclass(frozen=True)
class Unbroken:
    """What a command leaves that nobody kills, how it ended, and the size of its largest file."""

    results: Mapping[str, object]
    ended: Ended
    n_bytes: int


@cache
def saved_model() -> bytes:
    """Return the file of a classifier of points as those of `make_inputs`."""
    classes = np.arange(60) % 5
    points = np.random.default_rng(1).normal(size=(60, 6)) + 3 * np.eye(5, 6)[classes]
    fitted = DiffResNetClassifier().fit(points, np.where(np.arange(60) < 12, classes, -1))
    with tempfile.TemporaryDirectory() as folder:
        fitted.save(Path(folder) / "model.npz")
        return (Path(folder) / "model.npz").read_bytes()


def make_inputs(folder: Path) -> None:
    """Write the files that commands read."""
    draw = np.random.default_rng(0)
    classes = np.arange(120) % 5
    points = draw.normal(size=(120, 6)) + 3 * np.eye(5, 6)[classes]
    np.savez(
        folder / "points.npz", features=points, labels=np.where(np.arange(120) < 12, classes, -1)
    )
    np.savez(folder / "bare.npz", features=points)
    np.savez(folder / "new.npz", features=points[::3] + 0.1)
    (folder / "saved.npz").write_bytes(saved_model())
    np.savez(folder / "labeled.npz", features=points, labels=classes)
    drawn = draw.integers(0, 120, (900, 2)).tolist()
    pairs = [(a, b) for a, b in drawn if (a - b) % 5 == 0 or a % 7 == 0]
    (folder / "links.csv").write_text("from,to\n" + "".join(f"{a},{b}\n" for a, b in pairs))
    rows = (f"{row},class {classes[row]},{row % 7},{row % 5}\n" for row in range(120))
    (folder / "nodes.csv").write_text("id,label,f,g\n" + "".join(rows))
    pixels = draw.integers(0, 256, (48, 16, 16), dtype=np.uint8)
    np.savez(folder / "images.npz", images=pixels, labels=np.arange(48) % 3)
    (folder / "photos").mkdir()
    for row, image in enumerate(pixels[:36]):
        Image.fromarray(image).save(folder / "photos" / f"{row}.png")
    (folder / "texts.txt").write_text("".join(f"text number {row} of birds\n" for row in range(20)))


def call(folder: Path, command: str, aim: Aim | None) -> Ended:
    """Call a command in a folder, perhaps kill it, and wait for it and the processes it started."""
    start = time.monotonic()
    child = os.fork()
    if child == 0:
        _be_a_command(folder, command, aim)
    if aim is not None and aim.way == "moment":
        time.sleep(aim.place)
        os.kill(child, aim.signal)  # nobody has waited for it yet: the number is still its own
    code = _wait(child)
    end = time.monotonic()
    while _session(child) and time.monotonic() < end + SECONDS:
        time.sleep(0.05)
    left = time.monotonic() - end
    for process in _session(child):
        os.kill(process, signal.SIGKILL)
    operations = folder / "log" / "operations"
    n_operations = int(operations.read_text()) if operations.exists() else 0
    said = (folder / "log" / "said").read_text()
    return Ended(code, said, end - start, n_operations, left)


def _wait(child: int) -> int:
    """Return how a process ended; one that does not is killed."""
    for _ in range(int(PATIENCE / 0.02)):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise TimeoutError(f"a command took more than {PATIENCE} s")


def _session(leader: int) -> list[int]:
    """Return the processes that a command has started and that live."""
    found: list[int] = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, _, session = stat.read_text().rpartition(")")[2].split()[:4]
            if int(session) == leader and state != "Z":
                found.append(int(stat.parent.name))
    return found


def _be_a_command(folder: Path, command: str, aim: Aim | None) -> NoReturn:
    """Become a command: in a session of its own, with folders of its own, and perhaps a trap."""
    code = 1
    try:
        os.setsid()
        os.chdir(folder / "work")
        log = os.open("../log/said", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        for stream in (1, 2):
            os.dup2(log, stream)
        names = ("HOME", "TMPDIR", "JOBLIB_TEMP_FOLDER", "XDG_CACHE_HOME")
        os.environ.update({name: str(folder / "temporary") for name in names})
        tempfile.tempdir = None
        if "--jobs 2" in command:  # its pool of processes would not survive to be forked
            words = [sys.executable, "-m", "diffresnet.cli", *command.split()]
            os.execv(sys.executable, words)  # noqa: S606
        extraction.SECONDS_BETWEEN_SAVES = training.SECONDS_BETWEEN_SAVES = 0.0
        counted = _watch_operations(aim)
        if aim is not None and aim.way == "bytes":
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it
            resource.setrlimit(resource.RLIMIT_FSIZE, (int(aim.place), int(aim.place)))
        try:
            app(command.split(), prog_name="diffresnet")
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
        sys.stdout.flush()
        (folder / "log" / "operations").write_text(str(len(counted)))
    except BaseException:  # it is reported as a fault
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _watch_operations(aim: Aim | None) -> list[str]:
    """Count what this process does to files and says; kill it before the operation aimed at."""
    counted: list[str] = []
    process = os.getpid()

    def count(what: str) -> None:
        if os.getpid() == process:
            counted.append(what)
            if aim is not None and aim.way == "operation" and len(counted) == aim.place:
                os.kill(process, aim.signal)

    def look(event: str, arguments: tuple[Any, ...]) -> None:
        writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & 3
        if event in WRITES or writes:
            count(event)

    sync, write = os.fsync, sys.stdout.write

    def count_sync(descriptor: int) -> None:
        count("sync")
        sync(descriptor)

    def count_write(text: str) -> int:
        count("print")
        return write(text)

    os.fsync, sys.stdout.write = count_sync, count_write
    sys.addaudithook(look)
    return counted


def results_of(folder: Path) -> dict[str, object]:
    """Return what is in the folders of a command by name, but for seconds.

    Features may be in other files of their cache: of these only temporary ones count.
    """
    found: dict[str, object] = {}
    for part in ("work", "temporary"):
        for path in sorted((folder / part).rglob("*")):
            name = path.relative_to(folder)
            if path.suffix != ".npz" or "cache" not in name.parts:
                found[str(name)] = _content(path)
    return found


def _content(path: Path) -> object:
    if path.is_dir():
        return None
    if path.suffix == ".json":
        return _without_seconds(json.loads(path.read_text()))
    if path.suffix == ".jsonl":
        lines = [_without_seconds(json.loads(line)) for line in path.read_text().splitlines()]
        return sorted(json.dumps(line) for line in lines)
    if path.suffix == ".pt":
        read = torch.load(path, weights_only=True)
        weights = {name: one.tolist() for name, one in read.pop("weights").items()}
        return weights, repr(read)
    if path.suffix == ".html":
        return re.sub(r"<td[^>]*>[\d.]+</td>(?=\s*</tr>)", "", path.read_text())  # ms per task
    return _without_times(path) if path.suffix == ".sqlite" else path.read_bytes()


def _without_seconds(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_seconds(one) for key, one in value.items() if "seconds" not in key}
    return [_without_seconds(one) for one in value] if isinstance(value, list) else value


def _without_times(path: Path) -> object:
    """Return the tables of a studio file, but for the times of gestures; None if it has none."""
    with contextlib.closing(sqlite3.connect(path)) as base, contextlib.suppress(sqlite3.Error):
        columns = "number, who, kind, said, is_undone, classes"
        queries = [f"SELECT {columns} FROM gestures", "SELECT * FROM changes"]  # noqa: S608
        queries += ["SELECT * FROM points", "SELECT * FROM meta"]
        return [base.execute(query).fetchall() for query in queries]
    return None


def new_folder(parent: Path) -> Path:
    """Return a new folder with the inputs of all commands."""
    folder = Path(tempfile.mkdtemp(dir=parent))
    for name in ("work", "temporary", "log"):
        (folder / name).mkdir()
    make_inputs(folder / "work")
    return folder


def draw_aim(draw: random.Random, unbroken: Unbroken) -> Aim:
    """Draw when and how to kill a command, of which it is known what it does."""
    ended = unbroken.ended
    kill = draw.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM])
    ways = ["moment", "operation", "operation", "bytes"] if ended.n_operations else ["moment"]
    way = draw.choice(ways)
    if way == "moment":
        return Aim(way, draw.uniform(0, ended.seconds), kill)
    if way == "operation":
        return Aim(way, draw.randint(1, ended.n_operations), kill)
    return Aim(way, draw.randrange(unbroken.n_bytes), signal.SIGXFSZ)


def leave_alone(case: str, parent: Path) -> Unbroken:
    """Call a command that nobody kills."""
    folder = new_folder(parent)
    ended = call(folder, CASES[case][1], None)
    if ended.code != 0:
        raise RuntimeError(f"{case} ended by {ended.code}: {ended.said}")
    inputs = {path.name for path in new_folder(parent).rglob("*")}
    made = [path for path in folder.rglob("*") if path.is_file() and path.name not in inputs]
    return Unbroken(results_of(folder), ended, max(path.stat().st_size for path in made))


def kill_and_repeat(case: str, number: int, unbroken: Unbroken, parent: Path, seed: int) -> Trial:
    """Kill a command, perhaps a second time when it is called again, and compare."""
    draw = random.Random(f"{seed} {case} {number}")  # noqa: S311
    command, n_kills = CASES[case][1], draw.choice([1, 1, 1, 2])
    folder, kills, faults, left = new_folder(parent), list[str](), list[str](), 0.0
    while len(kills) < n_kills:
        aim = draw_aim(draw, unbroken)
        broken = call(folder, command, aim)
        if _has_ended(broken, unbroken, folder):  # it was faster than the kill
            folder = new_folder(parent)
            kills.clear()
            continue
        kills.append(f"{signal.Signals(aim.signal).name} {aim.way} {aim.place:g}")
        left = max(left, broken.seconds_left)
        expected = {-aim.signal} | ({128 + aim.signal} if aim.signal == signal.SIGTERM else set())
        if broken.code not in expected or "Traceback" in broken.said:
            faults.append(f"killed, it ended by {broken.code}: {broken.said[-500:]}")
    again = call(folder, command, None)
    if again.code != 0 or "Traceback" in again.said:
        faults.append(f"called again, it ended by {again.code}: {again.said[-500:]}")
    found = results_of(folder)
    names = found.keys() | unbroken.results.keys()
    others = sorted(name for name in names if found.get(name) != unbroken.results.get(name))
    if others or found.keys() != unbroken.results.keys():
        faults.append(f"other results in {', '.join(others)}")
    if left >= SECONDS:
        faults.append("a process lived on")
    return Trial(case, number, kills, left, faults)


def _has_ended(broken: Ended, unbroken: Unbroken, folder: Path) -> bool:
    """Whether a command had said its last line and put everything in order before the kill."""
    last = unbroken.ended.said.splitlines()[-1]
    return broken.code == 0 or (last in broken.said and not list(folder.rglob(".diffresnet-*")))


def run_trials(cases: Mapping[str, int], seed: int, keep: Path | None) -> list[Trial]:
    """Kill each of the commands so many times, but for trials that are kept already."""
    path = None if keep is None else keep / "kills.jsonl"
    identity = {"seed": str(seed), "commands": str([command for _, command in CASES.values()])}
    done = RunFile("kills", path, identity, read=_read_trial, keys=_keys_of, write=asdict)
    with done, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        ended = {(trial.case, trial.number) for trial in done.runs}
        missing = [
            (case, number)
            for number in range(max(cases.values()))  # each command soon, not one after the other
            for case, n_trials in cases.items()
            if number < n_trials and (case, number) not in ended
        ]
        unbroken: dict[str, Unbroken] = {}
        for case, number in missing:
            if case not in unbroken:
                unbroken[case] = leave_alone(case, Path(folder))
            trial = kill_and_repeat(case, number, unbroken[case], Path(folder), seed)
            done.add(trial)
            print(json.dumps(asdict(trial)), file=sys.stderr)
    return [trial for trial in done.runs if trial.number < cases.get(trial.case, 0)]


def _read_trial(found: Mapping[str, Any]) -> Trial:
    return Trial(**found)


def _keys_of(trial: Trial) -> list[tuple[str, int]]:
    return [(trial.case, trial.number)]


def summarize(trials: list[Trial]) -> list[dict[str, Any]]:
    """Return a row for each command."""
    rows: list[dict[str, Any]] = []
    for case in dict.fromkeys(trial.case for trial in trials):
        mine = [trial for trial in trials if trial.case == case]
        kills = [kill.split() for trial in mine for kill in trial.kills]
        rows.append(
            {
                "question": case,
                "command": f"diffresnet {CASES[case][1]}",
                "kills": len(kills),
                "by_signal": Counter(name for name, _, _ in kills),
                "by_moment": Counter(way for _, way, _ in kills),
                "longest_seconds_left": max(trial.seconds_left for trial in mine),
                "faults": [fault for trial in mine for fault in trial.faults],
            }
        )
    return rows


def import_what_is_needed(words: list[str]) -> None:
    """Import what a command imports, which may be late, so that it need not after it is forked."""
    place = REPRODUCED[words[1]] if words[0] == "reproduce" else COMMANDS[words[0]]
    late = {
        "classify": ["diffresnet.report.classification.page"],
        "demo": ["diffresnet.report.classification.page"],
        "embed": ["sentence_transformers"],
        "reproduce": ["matplotlib.pyplot"],
        "theory": ["matplotlib.pyplot", "torch._dynamo"],
        "train-backbone": ["torch._dynamo"],
    }
    for name in [place.split(":")[0], *late.get(words[0], [])]:
        import_module(name)


def main() -> None:
    """Kill commands, and keep what came of it in docs/results/kills.json."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", action="append", choices=CASES, help="this command, or several")
    parser.add_argument(
        "--each", type=int, help="trials of each command, instead of 200 kills in all"
    )
    parser.add_argument("--keep", type=Path, help="a folder of trials to go on from")
    parser.add_argument("--trial", action="store_true", help="print the results, and keep none")
    options = parser.parse_args()
    names = options.only or list(CASES)
    for name in names:
        import_what_is_needed(CASES[name][1].split())
    cases = {name: options.each or CASES[name][0] for name in names}
    rows = summarize(run_trials(cases, options.seed, options.keep))
    if options.trial:
        print(json.dumps(rows))
    else:
        write_results("kills", f"python benchmarks/kills.py --seed {options.seed}", rows)


if __name__ == "__main__":
    main()
