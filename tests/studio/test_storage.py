import os
import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from diffresnet.studio import history
from diffresnet.studio.history import NOT_ANSWERED, State
from diffresnet.studio.storage import Storage, read_about

IDS = [f"p{row}" for row in range(6)]

KILLED = """
import os, signal, sys
from pathlib import Path
import numpy as np
from diffresnet.studio import history
from diffresnet.studio.storage import Storage

ids = [f"p{row}" for row in range(2000)]
storage = Storage(Path(sys.argv[1]), ids, {})
state = storage.read_state()
gesture = history.add_class(state, "cat", np.arange(0))
state = gesture.applied(state)
storage.record(gesture, "", state.next_class)
for row in range(2000):
    gesture = history.label(state, np.array([row]), 0)
    state = gesture.applied(state)
    storage.record(gesture, "", state.next_class)
    print(row, flush=True)
"""


def test_a_file_whose_first_process_was_killed_is_new(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    base = sqlite3.connect(path)
    base.execute("PRAGMA journal_mode = WAL")  # is all that was on the disk
    base.close()
    assert path.stat().st_size > 0
    storage = Storage(path, IDS, {"path": "points.npz"})
    assert storage.version == 0
    storage.close()
    assert read_about(path) == {"path": "points.npz"}


def rows(*given: int) -> np.ndarray:
    return np.array(given, dtype=np.int64)


def record(storage: Storage, gesture: history.Gesture, state: State) -> State:
    after = gesture.applied(state)
    storage.record(gesture, "me", after.next_class)
    return after


def filled(path: Path) -> tuple[Storage, State]:
    storage = Storage(path, IDS, {"path": "points.npz"})
    state = record(
        storage, history.add_class(storage.read_state(), "cat", rows(0, 4)), storage.read_state()
    )
    state = record(storage, history.add_class(state, "dog", rows(1)), state)
    return storage, record(storage, history.answer(state, rows(2), "skip"), state)


def same(one: State, other: State) -> bool:
    return (
        bool((one.answers == other.answers).all())
        and one.classes == other.classes
        and one.next_class == other.next_class
    )


def test_a_new_file_is_empty(tmp_path: Path) -> None:
    storage = Storage(tmp_path / "a.sqlite", IDS, {"path": "x"})
    assert (storage.read_state().answers == NOT_ANSWERED).all()
    assert storage.version == 0
    assert storage.said() == (None, None)
    assert storage.last_done() is None
    assert storage.first_undone() is None
    storage.close()
    assert read_about(tmp_path / "a.sqlite") == {"path": "x"}


def test_a_file_gives_back_what_was_recorded(tmp_path: Path) -> None:
    storage, state = filled(tmp_path / "a.sqlite")
    assert same(storage.read_state(), state)
    storage.close()
    again = Storage(tmp_path / "a.sqlite", IDS, {})
    assert same(again.read_state(), state)
    assert again.version == 3
    assert again.said() == ("skip 1 point", None)
    again.close()


def test_undo_and_redo_survive_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    storage, whole = filled(path)
    for _ in range(3):
        found = storage.last_done()
        assert found is not None
        storage.mark(found[0], is_undone=True)
    storage.close()
    storage = Storage(path, IDS, {})
    assert (storage.read_state().answers == NOT_ANSWERED).all()
    assert storage.read_state().next_class == 2
    assert storage.said() == (None, "add the class cat and label 2 points with it")
    while (found := storage.first_undone()) is not None:
        storage.mark(found[0], is_undone=False)
    assert same(storage.read_state(), whole)
    storage.close()


def test_a_new_gesture_forgets_what_was_undone(tmp_path: Path) -> None:
    storage, _ = filled(tmp_path / "a.sqlite")
    found = storage.last_done()
    assert found is not None
    storage.mark(found[0], is_undone=True)
    state = storage.read_state()
    record(storage, history.label(state, rows(5), 1), state)
    assert storage.first_undone() is None
    assert storage.read_state().answers.tolist() == [0, 1, -1, -1, 0, 1]
    storage.close()


def test_data_in_another_order_and_with_more_points_have_the_same_answers(tmp_path: Path) -> None:
    storage, _ = filled(tmp_path / "a.sqlite")
    storage.close()
    storage = Storage(tmp_path / "a.sqlite", ["new", *reversed(IDS)], {})
    assert storage.read_state().answers.tolist() == [-1, -1, 0, -1, -3, 1, 0]
    storage.close()


def test_missing_ids_are_named(tmp_path: Path) -> None:
    storage, _ = filled(tmp_path / "a.sqlite")
    storage.close()
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        Storage(tmp_path / "a.sqlite", ["p0", "p3"], {})
    assert str(refused.value) == (
        f"The studio file must be one of these data, got {tmp_path / 'a.sqlite'} with answers for "
        "3 missing ids: 'p4', 'p1', 'p2'. Open the data it was made with, or choose "
        "another file by --file."
    )


def test_other_files_are_refused_and_left_alone(tmp_path: Path) -> None:
    other = tmp_path / "other.sqlite"
    base = sqlite3.connect(other)
    base.execute("CREATE TABLE mine (a)")
    base.commit()
    base.close()
    text = tmp_path / "text.sqlite"
    text.write_text("no database at all, but long enough to be looked at" * 30)
    for path in (other, text):
        before = path.read_bytes()
        with pytest.raises(ValueError, match="The studio file must be"):
            Storage(path, IDS, {})
        if path is text:
            assert path.read_bytes() == before
    with pytest.raises(ValueError, match="must be one that can be read and written"):
        Storage(tmp_path / "nowhere" / "a.sqlite", IDS, {})


def test_a_second_studio_is_refused(tmp_path: Path) -> None:
    storage, _ = filled(tmp_path / "a.sqlite")
    with pytest.raises(ValueError, match="must be one that no other studio has open"):
        Storage(tmp_path / "a.sqlite", IDS, {})
    storage.close()


def test_a_gesture_that_cannot_be_written_leaves_no_trace(tmp_path: Path) -> None:
    storage, state = filled(tmp_path / "a.sqlite")
    broken = history.label(state, rows(3, 5), 0)
    twice = history.Gesture("label", "", rows(3, 3), broken.before, broken.after)
    with pytest.raises(ValueError, match=r"must be one that can be written, got .*UNIQUE"):
        storage.record(twice, "", 2)
    assert same(storage.read_state(), state)
    state = record(storage, broken, state)
    assert same(storage.read_state(), state)
    storage.close()


def test_a_kill_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) == 37:
                os.kill(process.pid, signal.SIGKILL)
                break
        seen = [37, *(int(line) for line in process.stdout.read().split())]
    storage = Storage(path, [f"p{row}" for row in range(2000)], {})
    answers = storage.read_state().answers
    n_kept = int((answers == 0).sum())
    assert n_kept in (seen[-1] + 1, seen[-1] + 2)  # the last may be written, and not yet said
    assert (answers[:n_kept] == 0).all()
    assert storage.version == n_kept + 1
    storage.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE changes SET after = 2000000000",
        "UPDATE changes SET after = 7",
        "UPDATE gestures SET classes = 'x'",
        "UPDATE gestures SET classes = '{\"0\": 3}'",
        "UPDATE gestures SET classes = replace(classes, '#', 'url(')",
        "UPDATE gestures SET classes = replace(classes, 'shape', 'form')",
        "UPDATE meta SET value = 'many' WHERE name = 'next_class'",
        "UPDATE meta SET value = '99999999' WHERE name = 'next_class'",
        "DROP TABLE changes",
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, statement: str) -> None:
    path = tmp_path / "a.sqlite"
    storage, _ = filled(path)
    storage.close()
    base = sqlite3.connect(path)
    base.execute(statement)
    base.commit()
    base.close()
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        Storage(path, IDS, {}).read_state()
    assert str(refused.value).startswith("The studio file must be whole, got ")


def test_a_file_that_was_cut_short_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    storage, _ = filled(path)
    storage.close()
    content = path.read_bytes()
    for n_bytes in (len(content) // 4, len(content) // 2):
        path.write_bytes(content[:n_bytes])
        with pytest.raises(ValueError, match="The studio file must be"):
            Storage(path, IDS, {}).read_state()


def test_sentences_about_damage_are_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    path.write_bytes(b"SQLite format 3\0" + bytes(5000))
    for read in (lambda: Storage(path, IDS, {}), lambda: read_about(path)):
        with pytest.raises(ValueError) as refused:  # noqa: PT011
            read()
        assert "\n" not in str(refused.value)


def test_a_full_disk_is_one_sentence_and_the_next_gesture_works(tmp_path: Path) -> None:
    storage, state = filled(tmp_path / "a.sqlite")
    version = storage.version
    (n_pages,) = storage.base.execute("PRAGMA page_count").fetchone()
    storage.base.execute(f"PRAGMA max_page_count = {n_pages}")
    long = replace(history.label(state, rows(3, 5), 0), said="x" * 100_000)
    with pytest.raises(ValueError, match=r"must be one that can be written, got .*full.*Make room"):
        storage.record(long, "", 2)
    assert storage.version == version
    assert same(storage.read_state(), state)
    storage.base.execute("PRAGMA max_page_count = 100000")
    assert storage.record(long, "", 2) == version + 1
    storage.close()
