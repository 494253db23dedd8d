"""Finished runs in a file, one a line, so that nothing is lost when a protocol is stopped."""

import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, NoReturn

from diffresnet._support.checks import fail

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None

FUNCTION = "run_protocol"


@dataclass(frozen=True)
class Run:
    """One training.

    Attributes:
        split: its number.
        init: the number of the initialization.
        accuracy: on the test nodes.
        seconds: it took.
    """

    split: int
    init: int
    accuracy: float
    seconds: float


class RunFile:
    """Finished runs, one a line of JSON, the first line saying of what. Used in a `with` block.

    Args:
        path: of the file; None keeps nothing.
        identity: what the runs are of.

    Attributes:
        runs: by the numbers of the split and of the initialization.

    Raises:
        ValueError: if the file holds runs of something else, cannot be understood, or is used by
            another process. It is not changed then.
    """

    def __init__(self, path: Path | None, identity: Mapping[str, str]) -> None:
        self.path, self.identity = path, dict(identity)
        self.runs: dict[tuple[int, int], Run] = {}
        self._stream: IO[str] | None = None

    def __enter__(self) -> "RunFile":
        if self.path is None:
            return self
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.is_dir():
            remedy = "Give another name."
            fail(FUNCTION, "kept", "a file", f"the folder {self.path}", remedy)
        self._stream = self.path.open("a+")
        try:
            self._lock(self._stream)
            self._read(self._stream)
        except BaseException:
            self._stream.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self.path is not None and self._stream is not None:
            self._stream.close()
            if self.path.stat().st_size == 0:  # no run has ended
                self.path.unlink()

    def add(self, run: Run) -> None:
        """Keep a run, on the disk before anything else happens."""
        if self._stream is not None:
            if not self.runs and self._stream.tell() == 0:
                self._write(self._stream, self.identity)
            self._write(self._stream, asdict(run))
        self.runs[run.split, run.init] = run

    def _lock(self, stream: IO[str]) -> None:
        if fcntl is None:
            return
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            remedy = "Wait until it ends, or keep the runs elsewhere."
            fail(FUNCTION, "kept", "free", f"{self.path}, which another process uses", remedy)

    def _read(self, stream: IO[str]) -> None:
        stream.seek(0)
        try:
            *whole, torn = stream.read().split("\n")
        except UnicodeDecodeError as error:
            got, remedy = f"{self.path}: {error}", "Give another file."
            fail(FUNCTION, "kept", "a file of runs", got, remedy)
        for number, line in enumerate(whole):
            found = self._parse(line, number)
            if number == 0 and found != self.identity:
                self._refuse_identity(line)
            if number > 0:
                try:
                    run = Run(**found)
                except TypeError as error:
                    self._refuse(number, str(error))
                if not _is_sound(run):
                    self._refuse(number, f"{line} is no run")
                self.runs[run.split, run.init] = run
        if torn:  # was being written when the process was stopped
            if not whole and not json.dumps(self.identity).startswith(torn):
                self._refuse_identity(torn)
            stream.truncate(sum(len(line.encode()) + 1 for line in whole))
            stream.seek(0, os.SEEK_END)

    def _parse(self, line: str, number: int) -> dict[str, Any]:
        try:
            found = json.loads(line)
        except json.JSONDecodeError as error:
            self._refuse(number, str(error))
        if not isinstance(found, dict):
            self._refuse(number, "no object of JSON")
        return found

    def _refuse(self, number: int, reason: str) -> NoReturn:
        got, remedy = f"{self.path} with line {number + 1}: {reason}", "Mend or remove that line."
        fail(FUNCTION, "kept", "a file of runs", got, remedy)

    def _refuse_identity(self, got: str) -> NoReturn:
        remedy = "Give another file, or remove this one."
        fail(FUNCTION, "kept", f"a file of {self.identity}", got, remedy)

    @staticmethod
    def _write(stream: IO[str], content: Mapping[str, object]) -> None:
        stream.write(json.dumps(content) + "\n")
        stream.flush()
        os.fsync(stream.fileno())


def _is_sound(run: Run) -> bool:
    counts = all(type(number) is int and number >= 0 for number in (run.split, run.init))
    reals = all(type(number) in (int, float) for number in (run.accuracy, run.seconds))
    return counts and reals and 0 <= run.accuracy <= 1 and 0 <= run.seconds < math.inf
