from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from diffresnet.cluster import survey as module
from diffresnet.cluster.engine import InProcess
from diffresnet.cluster.source import Source
from diffresnet.cluster.survey import Survey, find_repeated, look_at_all
from diffresnet.cluster.work import Work
from tests.cluster.examples import FEATURES, LABELS, write_file, write_points


def look(folder: Path, points: Path, given: dict[str, str] | None) -> Survey:
    source = Source.of(str(points), None, None)
    return look_at_all(InProcess(), Work(folder), source, given, 0)


def write_unequal(folder: Path) -> list[Any]:
    """Write a large file and two small ones, and return the features of each."""
    parts = [FEATURES[:400], FEATURES[400:420], FEATURES[420:421]]
    folder.mkdir()
    row = 0
    for file, part in enumerate(parts):
        ids = [f"p{row + one}" for one in range(len(part))]
        write_file(folder / f"{file}.parquet", ids, part)
        row += len(part)
    return parts


def test_the_sample_has_rows_of_all_files_by_their_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "N_SAMPLED", 42)
    parts = write_unequal(tmp_path / "points")
    found = look(tmp_path / "work", tmp_path / "points", LABELS)
    assert found.n_rows == [400, 20, 1]
    for (file, row), features in zip(found.sample.tolist(), found.features, strict=True):
        np.testing.assert_array_equal(features, parts[file][row])
    assert len({tuple(one) for one in found.sample.tolist()}) == len(found.sample)
    assert Counter(found.sample[:, 0].tolist()) == {0: 40, 1: 2, 2: 1}
    labels = dict(zip(map(tuple, found.labeled.tolist()), found.labels, strict=True))
    assert labels == {(0, int(name[1:])): label for name, label in LABELS.items()}


def test_labels_of_the_files_themselves(tmp_path: Path) -> None:
    points = write_points(tmp_path / "points", 1, FEATURES[:4])
    path = points / "0.parquet"
    labels = pl.Series("label", ["a", None, "", "b"])
    pl.read_parquet(path).with_columns(labels).write_parquet(path)
    found = look(tmp_path / "work", points, None)
    assert found.labeled.tolist() == [[0, 0], [0, 3]]
    assert found.labels == ["a", "b"]


def test_repeated_hashes_are_those_of_two_files(tmp_path: Path) -> None:
    work, generator = Work(tmp_path), np.random.default_rng(0)
    files = [np.sort(generator.integers(2**64, size=300, dtype=np.uint64)) for _ in range(4)]
    files[3][[5, 200]] = files[1][[7, 290]]
    files[2][10] = files[2][11]  # different ids of one file may have the same hash
    for file, hashes in enumerate(files):
        work.save(f"survey/{file}-ids.npy", np.sort(hashes))
    truth = {
        (one, first, second)
        for first in range(4)
        for second in range(first + 1, 4)
        for one in set(files[first].tolist()) & set(files[second].tolist())
    }
    middle = 2**63
    halves = [find_repeated(work, 4, 0, middle), find_repeated(work, 4, middle, None)]
    assert {*halves[0], *halves[1]} == truth
    assert len(truth) == 2
    assert all(one[0] < middle for one in halves[0])


def test_different_ids_with_one_hash_are_none_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def same(ids: Sequence[str]) -> Any:
        return np.zeros(len(ids), np.uint64)

    monkeypatch.setattr(module, "_hash", same)
    points = write_points(tmp_path / "points", 2, FEATURES[:60])
    assert look(tmp_path / "work", points, LABELS).n_rows == [30, 30]
    write_file(points / "9.parquet", ["new", "p45"], FEATURES[:2])
    with pytest.raises(ValueError, match=r"got 'p45' in 1.parquet and in 9.parquet. Keep one"):
        look(tmp_path / "again", points, LABELS)


def test_files_of_many_ids_are_compared_in_several_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BUCKET", 50)
    points = write_points(tmp_path / "points", 3, FEATURES[:300])
    assert look(tmp_path / "work", points, LABELS).n_rows == [100, 100, 100]
    write_file(points / "9.parquet", ["p299"], FEATURES[:1])
    with pytest.raises(ValueError, match=r"got 'p299' in 2.parquet and in 9.parquet"):
        look(tmp_path / "again", points, LABELS)


def test_labels_are_encoded_by_their_places() -> None:
    empty: Any = np.zeros((0, 2))
    found = Survey([3], empty, empty, empty, ["b", "a", "b"])
    assert found.encode(["a", "b", "c"]) == [1, 0, 1]
