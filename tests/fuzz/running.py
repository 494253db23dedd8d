"""Run cases in processes of their own, and judge how each of them ended."""

import json
import os
import resource
import select
import shutil
import signal
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from diffresnet import StabilityWarning

Call: TypeAlias = Callable[[], object]
Kind: TypeAlias = Callable[[np.random.Generator, Path], Call]
"""Makes the input of a case in an empty folder, and returns what is to be called."""

MOST_SECONDS = 60.0
"""That a case may take before it counts as hanging; inputs have some kilobytes."""
MOST_BYTES = 2**30
"""Of memory that a case may take beyond what there was."""
BACKSTOP = 2**32
"""Bytes of addresses beyond which a process gets no more: the machine is to survive a finding."""
N_TOGETHER = 100
"""Cases of a process."""
LONGEST = 2000
"""Letters of a refusal."""
ON_PURPOSE = ("/diffresnet/", "/sklearn/", "/tests/fuzz/")
"""Whose refusals are meant: scikit-learn checks features on our behalf."""
REFUSALS = (ValueError, OSError, TypeError)


@dataclass(frozen=True)
class Outcome:
    """How a case ended.

    Attributes:
        number: of the case.
        kind: of the case.
        fault: what is wrong; "" if nothing is.
        where: the line of code, or what was said.
        seconds: that it took.
        n_bytes: of memory that it took.
        refused: whether it was refused, as it should be.
    """

    number: int
    kind: str
    fault: str = ""
    where: str = ""
    seconds: float = 0.0
    n_bytes: int = 0
    refused: bool = False


@dataclass(frozen=True)
class Plan:
    """Which cases there are.

    Attributes:
        kinds: by name; case i is of the i-th of them, beginning anew at the end.
        seed: of all cases.
        kept: a folder in which the files of cases with a fault stay.
    """

    kinds: Mapping[str, Kind]
    seed: int = 0
    kept: Path | None = None

    def name_of(self, number: int) -> str:
        """Return the kind of a case."""
        return list(self.kinds)[number % len(self.kinds)]

    def run(self, number: int) -> Outcome:
        """Run a case in this process."""
        name = self.name_of(number)
        try:
            return run_case(self.kinds[name], name, number, self.seed, self.kept)
        except Exception:  # of the fuzzer itself
            return Outcome(number, name, "no case", traceback.format_exc()[-LONGEST:])


def run_cases(
    plan: Plan, numbers: Sequence[int], most_seconds: float = MOST_SECONDS
) -> Iterator[Outcome]:
    """Run cases, a hundred to a process, and tell how each of them ended."""
    left = list(numbers)
    while left:
        n_ended = 0
        for outcome in _run_together(plan, left[:N_TOGETHER], most_seconds):
            n_ended += 1
            yield outcome
        left = left[n_ended:]


def _run_together(plan: Plan, numbers: Sequence[int], most_seconds: float) -> Iterator[Outcome]:
    """Run cases in one process, up to the first that ends it."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _work(plan, numbers, writing)
    os.close(writing)
    try:
        with os.fdopen(reading, "rb", buffering=0) as stream:  # `select` knows of no buffer
            for number in numbers:
                in_time = bool(select.select([stream], [], [], most_seconds)[0])
                line = stream.readline() if in_time else b""
                if line:
                    yield Outcome(**json.loads(line))
                    continue
                os.kill(child, signal.SIGKILL)
                how, child = _end_of(child), 0
                yield Outcome(number, plan.name_of(number), "signal" if in_time else "hang", how)
                return
    finally:
        if child:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def _end_of(child: int) -> str:
    status = os.waitpid(child, 0)[1]
    return f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"exit {status >> 8}"


def _work(plan: Plan, numbers: Sequence[int], writing: int) -> None:
    """Run cases, and write a line for each; never returns."""
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        limit = _memory("VmSize") + BACKSTOP
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        for number in numbers:
            os.write(writing, f"{json.dumps(asdict(plan.run(number)))}\n".encode())
    finally:
        os._exit(0)


def run_case(kind: Kind, name: str, number: int, seed: int, kept: Path | None = None) -> Outcome:
    """Run one case in this process, and judge it."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    before_folder = Path.cwd()
    start = time.perf_counter()
    try:
        os.chdir(folder)
        call = kind(np.random.default_rng([seed, number]), folder)
        before, held = _content(folder), _start_measuring()
        fault, where, refused = _judge(call)
        n_bytes = max(_memory("VmHWM") - held, 0)
        after = _content(folder)
        changed = sorted(path for path in before if after.get(path) != before[path])
        if changed and not fault:
            fault, where = "changed input", changed[0]
        if refused and not fault and after.keys() - before.keys():
            fault, where = "partial file", sorted(after.keys() - before.keys())[0]
        if n_bytes > MOST_BYTES and not fault:
            fault, where = "memory", f"{n_bytes / 2**20:.0f} MiB"
        if fault and kept is not None:
            shutil.copytree(folder, kept / f"{number}-{name}", dirs_exist_ok=True)
    finally:
        os.chdir(before_folder)
        shutil.rmtree(folder, ignore_errors=True)
    return Outcome(
        number, name, fault, where[:LONGEST], time.perf_counter() - start, n_bytes, refused
    )


def _judge(call: Call) -> tuple[str, str, bool]:
    """Call it, and return what is wrong, where, and whether it was refused."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", RuntimeWarning)  # NumPy's: of overflow, of NaN
            warnings.simplefilter("error", StabilityWarning)
            result = call()
    except StabilityWarning:  # it is said that numbers grow without bound
        return "", "", False
    except REFUSALS as error:
        fault = _fault_of(error)
        return fault, f"{_place_of(error)}: {type(error).__name__}: {error}" if fault else "", True
    except MemoryError as error:
        return "memory", f"{_place_of(error)}: {error}", False
    except BaseException as error:
        return "traceback", f"{_place_of(error)}: {type(error).__name__}: {error}", False
    return ("NaN", "in what was returned", False) if has_nan(result) else ("", "", False)


def _fault_of(error: Exception) -> str:
    """Tell what is wrong with a refusal: it must be ours, and one short line."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    said = str(error)
    is_meant = any(part in last.filename for part in ON_PURPOSE)
    if not is_meant or not (last.line or "").startswith("raise"):
        return "traceback"
    if "more memory than there is" in said:
        return "memory"
    is_sentence = 0 < len(said.strip()) <= LONGEST and "\n" not in said.strip()
    if not is_sentence and "/sklearn/" not in last.filename:
        return "refusal of no sentence"
    return ""


def _place_of(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    ours = [one for one in frames if "/diffresnet/" in one.filename] or frames
    places = [f"{Path(one.filename).name}:{one.lineno}" for one in (ours[-1], frames[-1])]
    return " > ".join(dict.fromkeys(places))


def has_nan(value: Any) -> bool:
    """Tell whether there is NaN or infinity anywhere in a result."""
    if isinstance(value, Tensor):
        value = value.detach()
        value = (value.values() if value.layout == torch.sparse_csr else value).numpy()
    if isinstance(value, sparse.csr_array):
        value = value.data
    if isinstance(value, dict):
        return any(has_nan(one) for one in value.values())
    if isinstance(value, list | tuple | set):
        return any(has_nan(one) for one in value)
    if isinstance(value, float | np.floating):
        return not bool(np.isfinite(value))
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
        return not bool(np.isfinite(value).all())
    return False


def _content(folder: Path) -> dict[str, str]:
    """Return a digest of every file."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(one.relative_to(folder)): sha256(one.read_bytes()).hexdigest() for one in files}


def _start_measuring() -> int:
    """Return the bytes of memory that there are, and count the most from here on."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:  # elsewhere than on Linux, or not allowed: only the limit of addresses holds
        return 2**62
    return _memory("VmRSS")


def _memory(name: str) -> int:
    """Return a number of bytes that Linux tells of this process, or 0."""
    try:
        text = Path("/proc/self/status").read_text()
    except OSError:
        return 0
    found = [line.split()[1] for line in text.splitlines() if line.startswith(f"{name}:")]
    return int(found[0]) * 1024 if found else 0
