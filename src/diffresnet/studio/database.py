"""The SQLite file of a studio: opened by one process at a time."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from diffresnet._support.checks import refuse
from diffresnet._support.words import reason_of

FORMAT = "diffresnet studio 2"
WHAT = "The studio file"
DAMAGE = (sqlite3.Error, ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError)
"""What reading a damaged file raises."""

SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE points (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, digest TEXT NOT NULL) STRICT;
CREATE TABLE gestures (
    number INTEGER PRIMARY KEY, time TEXT NOT NULL, who TEXT NOT NULL, kind TEXT NOT NULL,
    said TEXT NOT NULL, is_undone INTEGER NOT NULL DEFAULT 0, classes TEXT NOT NULL) STRICT;
CREATE TABLE changes (
    gesture INTEGER NOT NULL REFERENCES gestures(number) ON DELETE CASCADE,
    point INTEGER NOT NULL REFERENCES points(number), before INTEGER NOT NULL,
    after INTEGER NOT NULL, PRIMARY KEY (gesture, point)) STRICT, WITHOUT ROWID;
"""


@contextmanager
def reading(path: Path) -> Generator[None]:
    """Refuse a file in the block that is damaged, in one sentence; it may be of a stranger."""
    try:
        yield
    except DAMAGE as error:
        if str(error).startswith(WHAT):
            raise
        got = f"{path} ({reason_of(error) or type(error).__name__})"
        refuse(WHAT, "whole", got, "Take a copy of it, or choose another by --file.")


def connect(path: Path) -> sqlite3.Connection:
    """Open a file for one process alone, so that what is committed is on the disk.

    Raises `ValueError` if another studio has it open, or it cannot be written.
    """
    base: sqlite3.Connection | None = None
    try:
        base = sqlite3.connect(path, timeout=1, isolation_level=None, check_same_thread=False)
        base.execute("PRAGMA locking_mode = EXCLUSIVE")  # a second studio would not see this one
        base.execute("PRAGMA journal_mode = WAL")
        base.execute("PRAGMA synchronous = FULL")
        base.execute("PRAGMA foreign_keys = ON")
        base.execute("PRAGMA trusted_schema = OFF")
    except (sqlite3.Error, UnicodeDecodeError) as error:  # a damaged name cannot be said
        if base is not None:
            base.close()
        if "locked" in str(error):
            remedy = "Close the other studio, or choose another file by --file."
            refuse(WHAT, "one that no other studio has open", path, remedy)
        got = f"{path} ({reason_of(error)})"
        refuse(WHAT, "one that can be read and written", got, "Choose another by --file.")
    return base


def is_empty(base: sqlite3.Connection) -> bool:
    """Tell whether a file has nothing in it: it is new, or its first process was killed."""
    try:
        return base.execute("SELECT count(*) FROM sqlite_schema").fetchone() == (0,)
    except (sqlite3.Error, UnicodeDecodeError):  # it is damaged
        return False


def check_format(base: sqlite3.Connection, path: Path) -> None:
    """Refuse a file that is none of a studio."""
    try:
        found = read_meta(base).get("format")
    except (sqlite3.Error, UnicodeDecodeError):
        found = None
    if found != FORMAT:
        remedy = "Choose another by --file."
        refuse(WHAT, "one that the studio wrote", f"{path}, something else", remedy)


def read_meta(base: sqlite3.Connection) -> dict[str, str]:
    """Return what is kept about the file, by name."""
    return dict(base.execute("SELECT name, value FROM meta").fetchall())
