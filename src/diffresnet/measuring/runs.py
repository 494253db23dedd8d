"""Many runs: in parallel, kept in a file as they end, resumed after a break.

A file of runs has one line of JSON a run, after a first line that says what they are of. It is
locked while it is used, a line is on the disk before anything else happens, and a line that was
being written when a process was stopped is dropped.
"""

import json
import os
import warnings
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, Generic, NoReturn, TypeVar, cast

from joblib import Parallel, delayed

from diffresnet._support.checks import fail
from diffresnet._support.locking import open_locked
from diffresnet._support.threads import limited_threads
from diffresnet._support.workers import end_with

Run = TypeVar("Run")

Mapper = Callable[[Callable[..., Any], Iterable[tuple[Any, ...]]], Iterator[Any]]
"""Yields what a function makes of arguments, as calls end, wherever they run."""

_ELSEWHERE: ContextVar[Mapper | None] = ContextVar("elsewhere", default=None)


@contextmanager
def run_elsewhere(mapper: Mapper) -> Generator[None]:
    """Let another place, such as a cluster, do the work of `run_all` within the block.

    Examples:
        >>> with run_elsewhere(lambda function, items: (function(*item) for item in items)):
        ...     list(run_all(abs, [(-1,), (2,)], n_jobs=1))
        [(0, 1), (1, 2)]
    """
    token = _ELSEWHERE.set(mapper)
    try:
        yield
    finally:
        _ELSEWHERE.reset(token)


def file_of(folder: Path, name: str, identity: Mapping[str, str]) -> Path:
    """Return where in a folder to keep runs: those of another identity have another file."""
    digest = sha256(json.dumps(dict(identity), sort_keys=True).encode()).hexdigest()[:8]
    return folder / f"{name}-{digest}.jsonl"


def run_all(
    work: Callable[..., Run], calls: Iterable[tuple[Any, ...]], *, n_jobs: int
) -> Iterator[tuple[int, Run]]:
    """Yield the place of each call and work(*call), as they end, each on one thread.

    Args:
        work: a function of a module, so that other processes find it.
        calls: its arguments. Large arrays are shared with the processes through files.
        n_jobs: processes, each with one thread; `run_elsewhere` takes their place.
    """
    jobs = ((place, work, *call) for place, call in enumerate(calls))
    mapper = _ELSEWHERE.get()
    if mapper is not None:
        return mapper(_run_one, jobs)
    if n_jobs == 1:
        return (_run_one(*job) for job in jobs)
    return _share(jobs, n_jobs)


def _share(jobs: Iterable[tuple[Any, ...]], n_jobs: int) -> Iterator[tuple[int, Any]]:
    """Yield what processes make of the jobs; whoever stops listening stops them."""
    pool = Parallel(
        n_jobs=n_jobs,
        return_as="generator_unordered",
        mmap_mode="c",
        initializer=end_with,
        initargs=(os.getpid(),),
    )
    found = cast("Generator[tuple[int, Any]]", pool(delayed(_run_one)(*job) for job in jobs))
    try:
        for ended in found:  # noqa: UP028  (`yield from` would close it outside of this block)
            yield ended
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # joblib's, about jobs that are not done
            found.close()


def _run_one(place: int, work: Callable[..., Run], *call: Any) -> tuple[int, Run]:
    with limited_threads(1):
        return place, work(*call)


class RunFile(Generic[Run]):
    """Finished runs, in a file if one is named. Used in a `with` block.

    Args:
        function: which keeps the runs, for messages.
        path: of the file; None keeps nothing.
        identity: what the runs are of.
        read: makes a run of what JSON has; raises `TypeError` or `ValueError` if it is none.
        keys: returns what a run is of; no two runs of a file may be of the same.
        write: makes what JSON can hold of a run.

    Attributes:
        runs: what the file had, and what was added.

    Raises:
        ValueError: if the file holds runs of something else, cannot be understood, or is used by
            another process. It is not changed then.
    """

    def __init__(
        self,
        function: str,
        path: Path | None,
        identity: Mapping[str, str],
        *,
        read: Callable[[Mapping[str, Any]], Run],
        keys: Callable[[Run], Iterable[Hashable]],
        write: Callable[[Run], Mapping[str, Any]],
    ) -> None:
        self.function, self.path, self.identity = function, path, dict(identity)
        self.read, self.keys, self.write = read, keys, write
        self.runs: list[Run] = []
        self._stream: IO[str] | None = None

    def __enter__(self) -> "RunFile[Run]":
        if self.path is None:
            return self
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.exists() and not self.path.is_file():
            got = f"the {'folder' if self.path.is_dir() else 'device or pipe'} {self.path}"
            fail(self.function, "resume", "a file", got, "Give another name.")
        self._stream = self._open(self.path)
        try:
            self._read(self._stream)
        except BaseException:
            self._stream.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self.path is not None and self._stream is not None:
            if os.fstat(self._stream.fileno()).st_size == 0:  # no run ended; the lock is ours
                with suppress(OSError):  # Windows does not remove what is open
                    self.path.unlink()
            self._stream.close()

    def add(self, run: Run) -> None:
        """Keep a run, on the disk before anything else happens.

        Warns if it cannot be written, as on a full disk: what was computed is worth more than the
        file, and is still in `runs`.
        """
        if self._stream is not None:
            descriptor = self._stream.fileno()
            is_new = os.fstat(descriptor).st_size == 0
            contents = [self.identity, self.write(run)] if is_new else [self.write(run)]
            self._append(descriptor, "".join(f"{json.dumps(one)}\n" for one in contents).encode())
        self.runs.append(run)

    def _append(self, descriptor: int, content: bytes) -> None:
        """Write whole lines or none, past the buffer, which would keep what a full disk refused."""
        end = os.fstat(descriptor).st_size
        try:
            while content:
                content = content[os.write(descriptor, content) :]
            os.fsync(descriptor)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(descriptor, end)
            got = f"{self.path} ({error.strerror}), so that runs are not kept"
            message = f"{self.function}: `resume` must be on a disk with room, got {got}."
            warnings.warn(f"{message} Free some space.", stacklevel=3)

    def _open(self, path: Path) -> IO[str]:
        """Return the file, locked."""
        try:
            return open_locked(path)
        except BlockingIOError:
            got = f"{self.path}, which another process uses"
            remedy = "Wait until it ends, or keep the runs elsewhere."
            fail(self.function, "resume", "free", got, remedy)

    def _read(self, stream: IO[str]) -> None:
        stream.seek(0)
        try:
            *whole, torn = stream.read().split("\n")
        except UnicodeDecodeError as error:
            got, remedy = f"{self.path}: {error}", "Give another file."
            fail(self.function, "resume", "a file of runs", got, remedy)
        lines: dict[Hashable, int] = {}
        for number, line in enumerate(whole):
            found = self._parse(line, number)
            if number == 0 and found != self.identity:
                self._refuse_identity(found)
            if number > 0:
                try:
                    self.runs.append(self.read(found))
                except (TypeError, ValueError) as error:
                    self._refuse(number, str(error))
                for key in self.keys(self.runs[-1]):
                    if key in lines:
                        self._refuse(number, f"{key}, which line {lines[key] + 1} has, too")
                    lines[key] = number
        if torn:  # was being written when the process was stopped
            if not whole and not json.dumps(self.identity).startswith(torn):
                self._refuse_identity({})
            stream.truncate(sum(len(line.encode()) + 1 for line in whole))
            stream.seek(0, os.SEEK_END)

    def _parse(self, line: str, number: int) -> dict[str, Any]:
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as error:
            self._refuse(number, str(error))
        if not isinstance(found, dict):
            self._refuse(number, "no object of JSON")
        return found

    def _refuse(self, number: int, reason: str) -> NoReturn:
        got, remedy = f"{self.path} with line {number + 1}: {reason}", "Mend or remove that line."
        fail(self.function, "resume", "a file of runs", got, remedy)

    def _refuse_identity(self, found: Mapping[str, Any]) -> NoReturn:
        other = [name for name, value in self.identity.items() if found.get(name) != value]
        got = f"{self.path}, of another {' and '.join(other) or 'kind'}"
        remedy = "Give another file, or remove this one."
        fail(self.function, "resume", "a file of the same runs", got, remedy)
