"""The folder of a job: all that is known so far, as files that are whole or not there.

Whatever a worker makes, it writes here; whatever it needs, it reads here. So a worker that dies is
replaced by one that reads the same files, and a job that was stopped goes on where it was. All
machines must see the folder under the same name.
"""

import json
import shutil
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from diffresnet._support.checks import fail
from diffresnet._support.locking import locked
from diffresnet._support.words import some
from diffresnet._support.writing import PREFIX, encode_json, write_whole, writing_whole

Array = npt.NDArray[Any]

IDENTITY = "job.json"
LOCK = f"{PREFIX}lock"
"""A file that a process holds as long as the folder is its own."""
ROWS = 2**14
"""Rows of a stored array that are looked at at a time."""


@dataclass(frozen=True)
class Work:
    """A folder of arrays and small tables.

    Attributes:
        folder: its path.
    """

    folder: Path

    def path(self, name: str) -> Path:
        """Return the path of an array or table."""
        return self.folder / name

    def has(self, name: str) -> bool:
        """Tell whether something is there, and so is whole."""
        return self.path(name).exists()

    def save(self, name: str, array: Array) -> None:
        """Write an array."""
        self.save_rows(name, array.shape, array.dtype, [array])

    def save_rows(
        self, name: str, shape: tuple[int, ...], dtype: Any, blocks: Iterable[Array]
    ) -> None:
        """Write an array that comes some rows at a time."""
        form = {
            "descr": np.lib.format.dtype_to_descr(np.dtype(dtype)),
            "fortran_order": False,
            "shape": shape,
        }
        with writing_whole(self.path(name)) as stream:
            np.lib.format.write_array_header_1_0(stream, form)
            for block in blocks:
                stream.write(np.ascontiguousarray(block, dtype=dtype).data)

    def load(self, name: str) -> Array:
        """Read an array."""
        return np.load(self.path(name), allow_pickle=False)

    def rows(self, name: str) -> "StoredRows":
        """Return an array of which rows are read when they are asked for."""
        return StoredRows(self.path(name))

    def save_table(self, name: str, content: Mapping[str, Any]) -> None:
        """Write a small table of numbers and texts."""
        write_whole(self.path(name), encode_json(content))

    def load_table(self, name: str) -> dict[str, Any]:
        """Read a small table."""
        return json.loads(self.path(name).read_bytes())

    def once(self, name: str, make: Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
        """Return a small table, made if it is not there."""
        if not self.has(name):
            self.save_table(name, make())
        return self.load_table(name)

    def drop(self, name: str) -> None:
        """Remove an array or a folder of them, if it is there."""
        path = self.path(name)
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)

    @contextmanager
    def held(self, identity: Mapping[str, str]) -> Generator[None]:
        """Make the folder this job's own, and this process's for as long as the block lasts.

        At its end it is removed, if `clear` has emptied it.
        """
        with ExitStack() as stack:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                stack.enter_context(locked(self.path(LOCK)))
            except BlockingIOError:
                got = f"{self.folder}, which another process uses"
                remedy = "Wait until it ends, or choose another."
                fail("cluster", "work", "of one process at a time", got, remedy)
            except OSError as error:
                self._refuse(error)
            self.claim(identity)
            yield
        with suppress(OSError):
            self.folder.rmdir()

    def clear(self) -> None:
        """Remove all that is in the folder, what says whose it is at the end."""
        for path in self.folder.iterdir():
            if path.name not in (IDENTITY, LOCK):
                self.drop(path.name)
        self.drop(IDENTITY)

    def claim(self, identity: Mapping[str, str]) -> None:
        """Make the folder this job's own, or refuse one that has files of anything else.

        At the end of the job it is removed, with all that is in it.
        """
        must = "a new folder, or that of the same job"
        others = self._names() if not self.has(IDENTITY) else []
        if others:
            got = f"{self.folder} with {some(others)}"
            fail("cluster", "work", must, got, "Choose another.")
        try:
            found = self.once(IDENTITY, lambda: dict(identity))
        except (OSError, ValueError) as error:
            self._refuse(error)
        other = sorted(name for name in identity if found.get(name) != identity[name])
        if other:
            got = f"{self.folder}, of a job with another {' and '.join(other)}"
            remedy = "Remove it, or choose another."
            fail("cluster", "work", must, got, remedy)

    def _refuse(self, error: Exception) -> NoReturn:
        reason = getattr(error, "strerror", None) or "its job.json is damaged"
        got, remedy = f"{self.folder} ({reason})", "Choose another folder."
        fail("cluster", "work", "a folder that can be written", got, remedy)

    def _names(self) -> list[str]:
        """Return what is in the folder, but for files that are not whole yet."""
        if not self.folder.is_dir():
            return []
        names = sorted(path.name for path in self.folder.iterdir())
        return [name for name in names if not name.startswith(PREFIX)]


class StoredRows:
    """An array in a file; rows are read, not mapped, so that memory holds what is used only."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with path.open("rb") as stream:
            np.lib.format.read_magic(stream)
            self.shape, _, self.dtype = np.lib.format.read_array_header_1_0(stream)
            self.start = stream.tell()
        self.row_size = int(np.prod(self.shape[1:], dtype=np.int64)) * self.dtype.itemsize

    def __len__(self) -> int:
        return self.shape[0]

    def read(self, first: int, last: int) -> Array:
        """Return the rows from `first` to `last`, that one not counted."""
        last = min(last, len(self))
        n_bytes = max(0, last - first) * self.row_size
        content = bytearray(n_bytes)
        with self.path.open("rb", buffering=0) as stream:
            stream.seek(self.start + first * self.row_size)
            view, n_read = memoryview(content), 0
            while n_read < n_bytes:
                added = stream.readinto(view[n_read:])
                if not added:
                    raise OSError(f"{self.path} is shorter than it says")
                n_read += added
        return np.frombuffer(content, self.dtype).reshape(-1, *self.shape[1:])

    def take(self, places: Array) -> Array:
        """Return some rows, in any order."""
        found = np.empty((len(places), *self.shape[1:]), self.dtype)
        order = np.argsort(places, kind="stable")
        for first in range(0, len(self), ROWS):
            low, high = np.searchsorted(places[order], [first, first + ROWS])
            if low < high:
                mine = order[low:high]
                found[mine] = self.read(first, first + ROWS)[places[mine] - first]
        return found

    def search(self, values: Array) -> list[int]:
        """Return where sorted numbers would have to be put, as `np.searchsorted` does."""
        mapped = np.load(self.path, mmap_mode="r")
        return np.searchsorted(mapped, values).tolist()
