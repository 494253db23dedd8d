from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diffresnet.cluster.work import ROWS, Work

ARRAY = np.random.default_rng(0).standard_normal((ROWS + 100, 3)).astype(np.float32)


def test_arrays_come_back(tmp_path: Path) -> None:
    work = Work(tmp_path)
    work.save("folder/x.npy", ARRAY)
    np.testing.assert_array_equal(work.load("folder/x.npy"), ARRAY)
    work.save_rows("folder/y.npy", ARRAY.shape, np.float32, [ARRAY[:7], ARRAY[7:]])
    np.testing.assert_array_equal(np.load(tmp_path / "folder" / "y.npy"), ARRAY)
    empty = ARRAY[:0]
    work.save("empty.npy", empty)
    assert work.rows("empty.npy").read(0, 5).shape == (0, 3)


def test_rows_are_read_where_they_are_asked_for(tmp_path: Path) -> None:
    work = Work(tmp_path)
    work.save("x.npy", ARRAY)
    rows = work.rows("x.npy")
    np.testing.assert_array_equal(rows.read(5, 9), ARRAY[5:9])
    np.testing.assert_array_equal(rows.read(ROWS, 10 * ROWS), ARRAY[ROWS:])
    places = np.array([ROWS + 3, 0, ROWS - 1, 0])
    np.testing.assert_array_equal(rows.take(places), ARRAY[places])
    work.save("sorted.npy", np.arange(0, 20, 2))
    assert work.rows("sorted.npy").search(np.array([0, 3, 40])) == [0, 2, 10]


def test_a_file_that_was_cut_is_not_taken_for_whole(tmp_path: Path) -> None:
    work = Work(tmp_path)
    work.save("x.npy", ARRAY)
    path = tmp_path / "x.npy"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(OSError, match=r"x.npy is shorter than it says"):
        work.rows("x.npy").read(ROWS, len(ARRAY))


def test_what_fails_leaves_nothing(tmp_path: Path) -> None:
    work = Work(tmp_path)

    def blocks() -> list[Any]:
        raise OSError("no")

    with pytest.raises(OSError, match="no"):
        work.save_rows("x.npy", (3,), np.float32, (block for block in blocks()))
    assert not work.has("x.npy")


def test_tables_are_made_once(tmp_path: Path) -> None:
    work = Work(tmp_path)
    assert work.once("n.json", lambda: {"n": 1}) == {"n": 1}
    assert work.once("n.json", lambda: {"n": 2}) == {"n": 1}
    work.drop("n.json")
    work.drop("n.json")
    assert not work.has("n.json")
