from pathlib import Path

import fsspec
import numpy as np
import polars as pl
import pytest

from diffresnet.cluster.answers import part_name, publish, write_part
from diffresnet.cluster.shards import Numbering
from diffresnet.cluster.work import Work

NUMBERING = Numbering(np.array([[2, 0, 3], [1, 4, 0]]), np.zeros((2, 3), int))
CLASSES = ["ant", "bee", "cat"]
OWNERS = [[2, 0, 2, 0, 2], [1, 1, 0, 1, 1]]
"""The shard of each row of both files."""


def write_answers(work: Work) -> list[list[list[float]]]:
    """Write the answers of all shards, and return those of each row of each file."""
    generator = np.random.default_rng(0)
    n_points = NUMBERING.bounds.tolist()
    rows = generator.random((n_points[-1], 4))
    rows[:, 0], rows[:, 3] = (
        generator.integers(3, size=len(rows)),
        generator.random(len(rows)) < 0.7,
    )
    for shard in range(3):
        work.save(f"answers/{shard}.npy", rows[n_points[shard] : n_points[shard + 1]])
    taken, found = list(n_points), list[list[list[float]]]()
    for file, owners in enumerate(OWNERS):
        answers = [[]] * len(owners)
        order = [row for shard in range(3) for row, own in enumerate(owners) if own == shard]
        for row in order:
            answers[row] = rows[taken[owners[row]]].tolist()
            taken[owners[row]] += 1
        found.append(answers)
        work.save(f"files/{file}/rows.npy", np.array(order))
        ids = pl.DataFrame({"id": [f"{file}-{row}" for row in range(len(owners))]})
        ids.write_parquet(work.path(f"files/{file}/ids.parquet"))
    return found


def test_every_row_has_its_own_answer(tmp_path: Path) -> None:
    work = Work(tmp_path)
    truth = write_answers(work)
    for file, labeled in enumerate(({}, {1: 2, 4: 0})):
        counted = write_part(work, NUMBERING, CLASSES, file, labeled)
        found = pl.read_parquet(work.path(f"parts/{part_name(file)}"))
        names, n_unreached = list[str](), 0
        for row, answer in enumerate(truth[file]):
            given = [labeled[row], 1.0, 1.0, 1.0] if row in labeled else answer
            names.append(CLASSES[int(given[0])])
            n_unreached += given[3] == 0
            expected = (f"{file}-{row}", names[-1], given[1], given[2], bool(given[3]))
            assert found.row(row) == pytest.approx(expected)
        assert counted["counts"] == [names.count(name) for name in CLASSES]
        assert counted["n_unreached"] == n_unreached


def write_parts(work: Work) -> list[bytes]:
    contents = [b"first", b"second"]
    for file, content in enumerate(contents):
        path = work.path(f"parts/{part_name(file)}")
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    return contents


def test_parts_come_to_a_folder_or_an_address(tmp_path: Path) -> None:
    work = Work(tmp_path / "work")
    work.folder.mkdir()
    contents = write_parts(work)
    publish(work, 2, str(tmp_path / "out"))
    publish(work, 2, "memory://answers-out")
    memory = fsspec.filesystem("memory")
    for file, content in enumerate(contents):
        assert (tmp_path / "out" / part_name(file)).read_bytes() == content
        assert memory.cat(f"/answers-out/{part_name(file)}") == content


def test_parts_of_a_larger_job_do_not_stay_at_an_address(tmp_path: Path) -> None:
    work, memory = Work(tmp_path), fsspec.filesystem("memory")
    contents = write_parts(work)
    names = [part_name(7), part_name(123_456), "part-00001-of-spark.parquet", "mine.txt"]
    for name in names:
        memory.pipe(f"/fewer/{name}", b"old")
    publish(work, 2, "memory://fewer")
    found = {path.rsplit("/", 1)[-1]: memory.cat(path) for path in memory.ls("/fewer", False)}
    new = {part_name(file): content for file, content in enumerate(contents)}
    assert found == new | dict.fromkeys(names[2:], b"old")


def test_an_address_that_cannot_be_written(tmp_path: Path) -> None:
    work = Work(tmp_path)
    write_parts(work)
    with pytest.raises(ValueError, match=r"--out must be an address that can be written, got no"):
        publish(work, 2, "nothing://there")
