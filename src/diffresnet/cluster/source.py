"""The files that points come from: a folder of Parquet files, here or at any fsspec address."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath
from typing import Any

import fsspec
import numpy as np
from fsspec.implementations.local import LocalFileSystem

from diffresnet._support.checks import refuse
from diffresnet._support.words import reason_of
from diffresnet._support.writing import scratch_folder
from diffresnet.files.frames import TableFile
from diffresnet.files.ids import choose_ids
from diffresnet.files.labels import DEFAULT_LABEL
from diffresnet.files.opening import is_folder, list_files
from diffresnet.files.parquet import PARQUET
from diffresnet.files.points import WHAT, Points, read_points

STATE = {
    *("size", "created", "mtime", "modified", "lastmodified", "updated", "generation", "versionid"),
    *("etag", "md5", "md5hash", "contentmd5", "crc32c", "digest", "checksum"),
}
"""What file systems call that which changes with a file, in small letters and digits alone."""


def is_address(text: str) -> bool:
    """Tell whether a text is an address such as s3://bucket/folder, rather than a path."""
    return "://" in text


@dataclass(frozen=True)
class Source:
    """The files of a folder, in order of name.

    Attributes:
        files: their paths or addresses.
        id_column: of the ids.
        label_column: of the labels, if there are any.
    """

    files: tuple[str, ...]
    id_column: str
    label_column: str

    @classmethod
    def of(cls, folder: str, id_column: str | None, label_column: str | None) -> "Source":
        """Look at a folder, or one file.

        Raises:
            ValueError: if there are no such files, or they have no rows, or no ids.
        """
        files = _list_remote(folder) if is_address(folder) else _list_local(Path(folder))
        label_column = label_column or DEFAULT_LABEL
        for file in files:
            with fetched(file) as path:
                table = TableFile(path, WHAT)
                if table.files[0].n_rows:
                    found = choose_ids(table, id_column, [label_column])
                    break
        else:
            refuse(WHAT, "tables with rows", f"{len(files)} without any", "Write them again.")
        if found is None:
            got, remedy = f"none in {file}", "Name the column by --id-column."
            refuse(WHAT, "tables with a column of ids", got, remedy)
        return cls(files, found, label_column)

    def columns(self, file: int) -> dict[str, str]:
        """Return the names and types of the columns of a file."""
        with fetched(self.files[file]) as path:
            kinds = TableFile(path, WHAT).files[0].kinds
        return {name: str(kind) for name, kind in kinds.items()}

    def states(self) -> list[dict[str, str]]:
        """Return what tells for each file whether it has changed: its size, time, or checksum."""
        return [_state_of(file) for file in self.files]

    def read(self, file: int) -> Points:
        """Read a file whole, and check it; without rows, as Spark may write it, it has no point.

        Raises:
            ValueError: if it is damaged, or something in it is wrong.
        """
        with fetched(self.files[file]) as path:
            table = TableFile(path, WHAT)
            if self.id_column not in table.columns:
                got = f"none in {path.name}"
                remedy = "Write it again, or move it to another folder."
                refuse(WHAT, f"tables with a column '{self.id_column}'", got, remedy)
            if not table.files[0].n_rows:
                return Points([], np.zeros((0, 0), np.float32), [])
            return read_points(path, id_column=self.id_column, label_column=self.label_column)


@contextmanager
def fetched(file: str) -> Generator[Path]:
    """Give a file as one of this machine, for as long as the block lasts."""
    if not is_address(file):
        yield Path(file)
        return
    with scratch_folder() as folder:
        path = folder / file.rsplit("/", 1)[-1]
        with reaching(file, WHAT, "read"):
            system, name = open_system(file)
            system.get_file(name, str(path))
        yield path


def _state_of(file: str) -> dict[str, str]:
    if not is_address(file):
        found = Path(file).stat()
        return {"size": str(found.st_size), "mtime": str(found.st_mtime_ns)}
    with reaching(file, WHAT, "read"):
        system, name = open_system(file)
        about = system.info(name)
    return {key: str(about[key]) for key in sorted(about) if _plain(key) in STATE}


def _plain(key: str) -> str:
    return "".join(letter for letter in key.lower() if letter.isalnum())


def open_system(address: str) -> tuple[Any, str]:
    """Return the file system of an address, and the name of it there."""
    return fsspec.core.url_to_fs(address)


@contextmanager
def reaching(address: str, what: str, done: str) -> Generator[None]:
    """Refuse an address where what is done in the block fails; `what` has named it."""
    try:
        yield
    except (OSError, ValueError, ImportError) as error:
        got, remedy = f"{address} ({reason_of(error)})", "Check it, and your rights."
        refuse(what, f"an address that can be {done}", got, remedy)


def place_of(name: str) -> tuple[Any, PurePath]:
    """Return the file system that a path or an address is in, and where it is there."""
    system, path = open_system(name)
    return system, Path(path) if isinstance(system, LocalFileSystem) else PurePosixPath(path)


def _list_local(path: Path) -> tuple[str, ...]:
    if is_folder(path):
        return tuple(str(one.resolve()) for one in list_files(path, WHAT, PARQUET))
    if path.suffix.lower() != PARQUET or not path.exists():
        got, remedy = path, "Check its name, or write the points as Parquet."
        refuse(WHAT, f"a folder of {PARQUET} files, with --cluster", got, remedy)
    return (str(path.resolve()),)


def _list_remote(address: str) -> tuple[str, ...]:
    with reaching(address, WHAT, "read"):
        system, name = open_system(address)
        system.invalidate_cache()  # of an earlier look
        found = sorted(system.ls(name, detail=False)) if system.isdir(name) else [name]
    files = [system.unstrip_protocol(one) for one in found if one.lower().endswith(PARQUET)]
    if not files:
        refuse(WHAT, f"a folder of {PARQUET} files", f"{address} with none", "Check its name.")
    return tuple(files)
