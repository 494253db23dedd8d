"""Answers in a file: SQLite beside the data, one transaction a gesture.

Nothing is ever written over but whether a gesture is undone: the state is what all others, in their
order, add up to. A table of points holds the ids of those that were ever answered.
"""

import json
import sqlite3
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from diffresnet._support.checks import refuse
from diffresnet._support.words import count, reason_of, some
from diffresnet.studio.classes import StudioClass, check_room, is_sound
from diffresnet.studio.database import (
    FORMAT,
    SCHEMA,
    WHAT,
    check_format,
    connect,
    is_empty,
    read_meta,
    reading,
)
from diffresnet.studio.history import (
    NONE_OF_THESE,
    NOT_ANSWERED,
    SKIPPED,
    ClassChange,
    Gesture,
    State,
)

SUFFIX = ".studio.sqlite"
NO_CLASS = (NOT_ANSWERED, NONE_OF_THESE, SKIPPED)


class Storage:
    """A studio file.

    It may be used from any thread, by one at a time.

    Args:
        path: of the file; it is made if there is none.
        ids: of the points, in the order of their rows.
        about: what a new file keeps: where the data are, and how they were read.
        digest: rows to what tells their points apart where ids do not; "" is anything.

    Raises:
        ValueError: if it is no such file, or has answers for points that are not there.
    """

    def __init__(
        self,
        path: Path,
        ids: Sequence[str],
        about: Mapping[str, Any],
        digest: Callable[[Sequence[int]], Sequence[str]] | None = None,
    ) -> None:
        self.path, self.ids, self.digest = path, ids, digest
        self.base = connect(path)
        try:
            self._numbers, self._rows = self._begin(about)
        except BaseException:
            self.close()
            raise

    def _begin(self, about: Mapping[str, Any]) -> tuple[dict[int, int], Any]:
        """Make the tables of a new file, or check those there are; return the points."""
        if is_empty(self.base):
            with self._transaction():
                for statement in SCHEMA.split(";"):
                    self.base.execute(statement)
                kept = {"format": FORMAT, "version": "0", "about": json.dumps(dict(about))}
                self.base.executemany("INSERT INTO meta VALUES (?, ?)", kept.items())
        check_format(self.base, self.path)
        with reading(self.path):
            return self._match_points()

    @property
    def version(self) -> int:
        """How often something was done, undone or redone."""
        return int(read_meta(self.base)["version"])

    def read_state(self) -> State:
        """Return what all gestures that are not undone add up to.

        Raises:
            ValueError: if the file is damaged.
        """
        with reading(self.path):
            state = self._add_up()
            strange = set(np.unique(state.answers).tolist()) - {*state.classes, *NO_CLASS}
            if strange or not all(map(is_sound, state.classes.values())):
                raise ValueError("it has answers or classes that are none")
            check_room(state.next_class)
        return state

    def _add_up(self) -> State:
        answers = np.full(len(self.ids), NOT_ANSWERED, dtype=np.int32)
        changes = self.base.execute(
            "SELECT c.point, c.after FROM changes c JOIN gestures g ON g.number = c.gesture "
            "WHERE NOT g.is_undone ORDER BY g.number"
        ).fetchall()
        if changes:
            points, after = np.array(changes, dtype=np.int64).T
            answers[self._rows[points]] = after
        classes: dict[int, StudioClass] = {}
        next_class = 0
        for text, is_undone in self.base.execute(
            "SELECT classes, is_undone FROM gestures ORDER BY number"
        ):
            for number, (_, new) in _read_classes(text).items():
                next_class = max(next_class, number + 1)
                if not is_undone:
                    classes.pop(number, None)
                    classes |= {} if new is None else {number: new}
        kept = int(read_meta(self.base).get("next_class", 0))
        ordered = {number: classes[number] for number in sorted(classes)}
        return State(answers, ordered, max(next_class, kept))

    def record(self, gesture: Gesture, who: str, next_class: int) -> int:
        """Add a gesture; what was undone before is gone. Return the version.

        When this returns, the gesture is on the disk.
        """
        try:
            return self._insert(gesture, who, next_class)
        except BaseException:
            self._numbers, self._rows = self._match_points()  # without those of this gesture
            raise

    def _insert(self, gesture: Gesture, who: str, next_class: int) -> int:
        with self._transaction():
            self.base.execute("DELETE FROM gestures WHERE is_undone")
            classes = json.dumps(_write_classes(gesture.classes))
            now = datetime.now(UTC).isoformat(timespec="milliseconds")
            number = self.base.execute(
                "INSERT INTO gestures (time, who, kind, said, classes) VALUES (?, ?, ?, ?, ?)",
                (now, who, gesture.kind, gesture.said, classes),
            ).lastrowid
            points = self._number_points(gesture.rows.tolist())
            befores, afters = gesture.before.tolist(), gesture.after.tolist()
            self.base.executemany(
                "INSERT INTO changes VALUES (?, ?, ?, ?)",
                zip([number] * len(points), points, befores, afters, strict=True),
            )
            self._keep("next_class", str(next_class))
            return self._count_up()

    def last_done(self) -> tuple[int, Gesture] | None:
        """Return the gesture that can be undone, with its number."""
        return self._read_gesture("WHERE NOT is_undone ORDER BY number DESC")

    def first_undone(self) -> tuple[int, Gesture] | None:
        """Return the gesture that can be redone, with its number."""
        return self._read_gesture("WHERE is_undone ORDER BY number")

    def said(self) -> tuple[str | None, str | None]:
        """Return what undo and redo would take back and do again, in words."""
        found: list[str | None] = []
        for which in (
            "WHERE NOT is_undone ORDER BY number DESC",
            "WHERE is_undone ORDER BY number",
        ):
            row = self.base.execute(f"SELECT said FROM gestures {which} LIMIT 1").fetchone()  # noqa: S608
            found.append(None if row is None else row[0])
        return found[0], found[1]

    def mark(self, number: int, *, is_undone: bool) -> int:
        """Keep that a gesture is undone, or done again. Return the version."""
        with self._transaction():
            self.base.execute(
                "UPDATE gestures SET is_undone = ? WHERE number = ?", (int(is_undone), number)
            )
            return self._count_up()

    def close(self) -> None:
        """Close the file."""
        self.base.close()

    @contextmanager
    def _transaction(self) -> Generator[None]:
        """Keep all that is done in the block, or nothing of it."""
        try:
            self.base.execute("BEGIN IMMEDIATE")
            yield
            self.base.execute("COMMIT")
        except BaseException as error:
            if self.base.in_transaction:  # SQLite may have given up by itself
                self.base.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                got = f"{self.path} ({reason_of(error)})"
                refuse(WHAT, "one that can be written", got, "Make room for it, and try again.")
            raise

    def _count_up(self) -> int:
        version = self.version + 1
        self._keep("version", str(version))
        return version

    def _keep(self, name: str, value: str) -> None:
        self.base.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    def _read_gesture(self, which: str) -> tuple[int, Gesture] | None:
        row = self.base.execute(
            f"SELECT number, kind, said, classes FROM gestures {which} LIMIT 1"  # noqa: S608
        ).fetchone()
        if row is None:
            return None
        number, kind, said, classes = row
        changes = self.base.execute(
            "SELECT point, before, after FROM changes WHERE gesture = ?", (number,)
        ).fetchall()
        points, before, after = np.array(changes, dtype=np.int64).reshape(-1, 3).T
        rows, changed = self._rows[points], _read_classes(classes)
        small = before.astype(np.int32), after.astype(np.int32)
        return number, Gesture(kind, said, rows, *small, changed)

    def _match_points(self) -> tuple[dict[int, int], Any]:
        """Return the number of each known row, and the row of each number; raise if one is gone."""
        asked = "SELECT number, id, digest FROM points ORDER BY number"
        known = self.base.execute(asked).fetchall()
        places = {name: row for row, name in enumerate(self.ids)} if known else {}
        missing = [name for _, name, _ in known if name not in places]
        if missing:
            got = f"{self.path} with answers for {count(len(missing), 'missing id')}: "
            remedy = "Open the data it was made with, or choose another file by --file."
            refuse(WHAT, "one of these data", got + some(missing, 10), remedy)
        rows = np.array([-1, *(places[name] for _, name, _ in known)], dtype=np.int64)
        self._check_digests([name for _, name, _ in known], [one for *_, one in known], rows[1:])
        return {int(row): number for number, row in enumerate(rows) if number}, rows

    def _digests(self, rows: Sequence[int]) -> Sequence[str]:
        return [""] * len(rows) if self.digest is None else self.digest(rows)

    def _check_digests(self, names: list[str], kept: list[str], rows: Any) -> None:
        """Raise if points have the ids of answered ones, and are others."""
        now = self._digests(rows.tolist())
        both = zip(names, kept, now, strict=True)
        others = [name for name, before, after in both if before and after and before != after]
        if others:
            changed = f"{count(len(others), 'other row')} in the place of answered ones"
            got = f"{self.path}, and data without ids that have {changed}: {some(others, 10)}"
            remedy = (
                "Open the data it was made with, give the rows ids, or choose another by --file."
            )
            refuse(WHAT, "one of these data", got, remedy)

    def _number_points(self, rows: list[int]) -> list[int]:
        """Return the numbers of points, new ones for those that have none."""
        new = [row for row in rows if row not in self._numbers]
        first = len(self._rows)
        fresh = {row: first + place for place, row in enumerate(new)}
        self.base.executemany(
            "INSERT INTO points VALUES (?, ?, ?)",
            (
                (number, self.ids[row], digest)
                for (row, number), digest in zip(
                    fresh.items(), self._digests(list(fresh)), strict=True
                )
            ),
        )
        self._numbers |= fresh
        self._rows = np.concatenate([self._rows, np.array(new, dtype=np.int64)])
        return [self._numbers[row] for row in rows]


def read_about(path: Path) -> dict[str, Any]:
    """Return what a studio file says about its data."""
    base = connect(path)
    try:
        check_format(base, path)
        with reading(path):
            return dict(json.loads(read_meta(base)["about"]))
    finally:
        base.close()


def _write_classes(classes: Mapping[int, ClassChange]) -> dict[str, list[Any]]:
    return {
        str(number): [None if one is None else asdict(one) for one in change]
        for number, change in classes.items()
    }


def _read_classes(text: str) -> dict[int, ClassChange]:
    found: dict[int, ClassChange] = {}
    for number, pair in json.loads(text).items():
        before, after = (None if one is None else StudioClass(**one) for one in pair)
        found[int(number)] = before, after
    return found
