import errno
import os
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import polars as pl
import pytest

from diffresnet.cluster import classify
from diffresnet.cluster import work as stored
from diffresnet.cluster.job import Job
from tests.cluster.examples import (
    FEATURES,
    LABELS,
    predictions,
    write_file,
    write_labels,
    write_points,
)

SMALL = FEATURES[:120]


@pytest.fixture
def points(tmp_path: Path) -> Path:
    return write_points(tmp_path / "points", 2, SMALL)


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    return write_labels(tmp_path / "labels.csv")


def run(points: Any, labels: Path | None, **others: Any) -> Any:
    out = others.pop("out", Path(str(points) + "-predicted"))
    return classify(points, labels, out=out, cluster="here", **others)


def test_a_folder_in_a_folder_out(tmp_path: Path, points: Path, labels: Path) -> None:
    outcome = run(points, labels, out=tmp_path / "out")
    found = predictions(tmp_path / "out")
    assert found["id"].to_list() == [f"p{row}" for row in range(len(SMALL))]
    assert [path.name for path in sorted((tmp_path / "out").iterdir())] == [
        "part-00000.parquet",
        "part-00001.parquet",
    ]
    assert outcome.counts == dict(sorted(outcome.counts.items()))
    assert sum(outcome.counts.values()) == outcome.n_points == len(SMALL)
    given = found.filter(pl.col("id").is_in(list(LABELS)))
    assert given["label"].to_list() == list(LABELS.values())
    assert set(given["probability"]) == {1.0}
    assert not (tmp_path / "out.work").exists()


def test_addresses_in_and_out(tmp_path: Path, points: Path, labels: Path) -> None:
    memory = fsspec.filesystem("memory")
    memory.put(str(points), "/cluster-points", recursive=True)
    run("memory://cluster-points", labels, out="memory://cluster-out", work=tmp_path / "work")
    run(points, labels, out=tmp_path / "here")
    memory.get("/cluster-out", str(tmp_path / "back"), recursive=True)
    assert predictions(tmp_path / "back").equals(predictions(tmp_path / "here"))
    with pytest.raises(ValueError, match="--work must be given where --out is an address"):
        run(points, labels, out="memory://cluster-out")
    with pytest.raises(ValueError, match=r"a folder of .parquet files, got memory"):
        run("memory://nowhere", labels, out=tmp_path / "no")


@pytest.mark.parametrize("names", [("9.parquet",), ("00.parquet", "0x.parquet", "9.parquet")])
def test_files_without_a_row_have_predictions_without_one(
    tmp_path: Path, points: Path, labels: Path, names: tuple[str, ...]
) -> None:
    """Spark and Dask often write such files."""
    run(points, labels, out=tmp_path / "without")
    for name in names:
        write_file(points / name, [], SMALL[:0])
    outcome = run(points, labels, out=tmp_path / "with")
    found = [pl.read_parquet(path) for path in sorted((tmp_path / "with").iterdir())]
    order = sorted(path.name for path in points.iterdir())
    assert [len(one) for one in found] == [0 if name in names else 60 for name in order]
    assert len({str(one.schema) for one in found}) == 1
    assert outcome.n_files == 2 + len(names)
    both = pl.concat(found), predictions(tmp_path / "without")
    assert both[0]["id"].equals(both[1]["id"])
    if len(names) == 1:  # else the files before it have other numbers, and so another sample
        assert both[0].equals(both[1])
    assert (both[0]["label"] == both[1]["label"]).sum() > 114


def test_files_that_all_have_no_row(tmp_path: Path, labels: Path) -> None:
    points = write_points(tmp_path / "none", 2, SMALL[:0])
    with pytest.raises(ValueError, match="FEATURES must be tables with rows, got 2 without any"):
        run(points, labels)


def test_files_with_other_columns(points: Path, labels: Path) -> None:
    pl.DataFrame({"id": ["q"], "vector": [[1.0]]}).write_parquet(points / "9.parquet")
    message = (
        "a folder of tables with the same columns, got 'embedding' and 'vector'|got 'embedding'"
    )
    with pytest.raises(ValueError, match=message):
        run(points, labels)


def test_a_damaged_file_is_named_and_the_rest_is_kept(points: Path, labels: Path) -> None:
    path = points / "1.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=r"FEATURES must be a .parquet table, got .*1.parquet"):
        run(points, labels)


def test_labels_of_ids_that_are_nowhere(tmp_path: Path, points: Path) -> None:
    labels = write_labels(tmp_path / "more.csv", {**LABELS, "nobody": "1", "nothing": "2"})
    message = "labels of ids of FEATURES, got 2 that are nowhere: 'nobody', 'nothing'"
    with pytest.raises(ValueError, match=message):
        run(points, labels)


def test_ids_that_are_in_two_files(points: Path, labels: Path) -> None:
    write_file(points / "9.parquet", ["new", "p3"], SMALL[:2])
    with pytest.raises(ValueError, match=r"got 'p3' in 0.parquet and in 9.parquet. Keep one"):
        run(points, labels)


def test_different_labels_of_one_id(tmp_path: Path, points: Path) -> None:
    path = tmp_path / "torn.csv"
    path.write_text("id,label\np0,1\np0,2\n")
    with pytest.raises(ValueError, match="one label for an id, got different ones for 'p0'"):
        run(points, path)


def test_one_class_only(tmp_path: Path, points: Path) -> None:
    with pytest.raises(ValueError, match="labels of two classes or more, got one class only"):
        run(points, write_labels(tmp_path / "one.csv", {"p0": "1"}))


def test_tables_without_ids(tmp_path: Path, labels: Path) -> None:
    folder = tmp_path / "none"
    folder.mkdir()
    pl.DataFrame({"x": [1.0, 2.0]}).write_parquet(folder / "0.parquet")
    with pytest.raises(ValueError, match="tables with a column of ids, got none in"):
        run(folder, labels)


def test_what_is_no_folder_of_parquet(tmp_path: Path, labels: Path) -> None:
    with pytest.raises(ValueError, match=r"a folder of .parquet files, with --cluster, got"):
        run(tmp_path / "missing", labels)


def test_points_that_are_no_numbers(points: Path, labels: Path) -> None:
    broken = SMALL[:2].copy()
    broken[1, 0] = np.nan
    write_file(points / "9.parquet", ["n0", "n1"], broken)
    with pytest.raises(ValueError, match="missing or infinite ones in 1 row: 'n1'"):
        run(points, labels)


def test_a_full_disk_loses_nothing(
    tmp_path: Path, points: Path, labels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    save, n_saved = stored.Work.save_rows, 0

    def save_some(*given: Any) -> None:
        nonlocal n_saved
        n_saved += 1
        if n_saved > 25:
            raise OSError(errno.ENOSPC, "No space left on device")
        save(*given)

    with monkeypatch.context() as patched:
        patched.setattr(stored.Work, "save_rows", save_some)
        message = r"`work` must be on a disk with room for it, got .*out.work with [\d,]+ MB left."
        with pytest.raises(ValueError, match=message):
            run(points, labels, out=out)
    assert not out.exists()
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "out.work").rglob("survey/*")}
    assert kept
    run(points, labels, out=out)
    assert len(predictions(out)) == len(SMALL)


def test_other_faults_of_a_disk_are_passed_on(
    points: Path, labels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(stored.Work, "save_rows", fail)
    with pytest.raises(OSError, match="Input/output error"):
        run(points, labels)


def test_the_folder_of_another_job(
    tmp_path: Path, points: Path, labels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "work"

    def stop(_: Job) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Job, "run", stop)
        with pytest.raises(KeyboardInterrupt):
            run(points, labels, work=work)
    with pytest.raises(ValueError, match=r"of a job with another setting. Remove it"):
        run(points, labels, work=work, n_top=5)
    with monkeypatch.context() as patched:
        patched.setattr(Job, "run", stop)
        with pytest.raises(KeyboardInterrupt):  # it would go on
            run(points, labels, work=work, memory=1.0)
    fewer = write_labels(tmp_path / "fewer.csv", dict(list(LABELS.items())[:20]))
    with pytest.raises(ValueError, match=r"of a job with another set of labels. Remove it"):
        run(points, fewer, work=work)
    (work / "job.json").write_text("{")
    with pytest.raises(ValueError, match=r"its job.json is damaged"):
        run(points, labels, work=work)


def contents(folder: Path) -> dict[str, bytes]:
    found = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


@pytest.mark.parametrize(
    ("where", "sentence"),
    [
        (".", "--out must be a folder without inputs, got"),
        ("points", "--out must be another folder than those that are used, got"),
        ("points/below", "--out must be another folder than those that are used, got"),
        ("notes", "--out must be a new folder, or one with part-.* only, got .* with 'mine.txt'"),
        ("w/out", "--out must be another folder than those that are used, got"),
    ],
)
def test_what_is_no_prediction_is_never_replaced(
    tmp_path: Path, points: Path, labels: Path, where: str, sentence: str
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("years of work")
    before = contents(tmp_path)
    with pytest.raises(ValueError, match=sentence):
        run(points, labels, out=tmp_path / where, work=tmp_path / "w")
    assert contents(tmp_path) == before


def test_an_address_that_has_the_input_is_refused(tmp_path: Path, labels: Path) -> None:
    home = tmp_path / "home"
    points = write_points(home, 1, SMALL)
    (points / "0.parquet").rename(points / "part-00000.parquet")
    before = contents(home)
    for given, out in ((f"file://{home}", home), (home, f"file://{home}")):
        with pytest.raises(ValueError, match="--out must be another folder than those that are"):
            run(given, labels, out=out, work=tmp_path / "w")
    with pytest.raises(ValueError, match="--out must be a folder without inputs, got"):
        run(home / "part-00000.parquet", labels, out=f"file://{home}", work=tmp_path / "w")
    memory = fsspec.filesystem("memory")
    memory.put(str(home), "/own-points", recursive=True)
    with pytest.raises(ValueError, match="--out must be another folder than those that are used"):
        run("memory://own-points", labels, out="memory://own-points/below", work=tmp_path / "w")
    assert contents(home) == before


def test_a_folder_that_is_filled_meanwhile_is_kept(
    tmp_path: Path, points: Path, labels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, whole = tmp_path / "out", Job.run

    def fill(job: Job) -> Any:
        out.mkdir()
        (out / "mine.txt").write_text("new")
        return whole(job)

    with monkeypatch.context() as patched:
        patched.setattr(Job, "run", fill)
        with pytest.raises(ValueError, match="--out must be a new folder, or one with part"):
            run(points, labels, out=out)
    (out / "mine.txt").unlink()
    run(points, labels, out=out)
    run(points, labels, out=out)  # over predictions
    assert len(predictions(out)) == len(SMALL)


def test_a_folder_for_the_job_with_something_in_it(
    tmp_path: Path, points: Path, labels: Path
) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "mine.txt").write_text("years of work")
    before = contents(tmp_path)
    message = r"`work` must be a new folder, or that of the same job, got .*home with 'mine.txt'"
    with pytest.raises(ValueError, match=message):
        run(points, labels, out=tmp_path / "out", work=tmp_path / "home")
    with pytest.raises(ValueError, match="--work must be a folder without inputs, got"):
        run(points, labels, out="memory://elsewhere", work=tmp_path)
    assert contents(tmp_path) == before


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such locks")
def test_two_jobs_do_not_share_a_folder(
    tmp_path: Path, points: Path, labels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, whole = tmp_path / "work", Job.run

    def run_beside(job: Job) -> Any:
        monkeypatch.setattr(Job, "run", whole)
        message = r"`work` must be of one process at a time, got .*work, which another process uses"
        with pytest.raises(ValueError, match=message):
            run(points, labels, out=tmp_path / "second", work=work)
        return whole(job)

    monkeypatch.setattr(Job, "run", run_beside)
    run(points, labels, out=tmp_path / "first", work=work)
    assert len(predictions(tmp_path / "first")) == len(SMALL)
    assert not work.exists()


def test_a_folder_for_the_job_that_cannot_be_made(
    tmp_path: Path, points: Path, labels: Path
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match=r"a folder that can be written, got .*file/work \(No"):
        run(points, labels, out=tmp_path / "out", work=tmp_path / "file" / "work")


@pytest.mark.parametrize(("name", "value"), [("n_top", 1), ("memory", -1.0)])
def test_arguments_out_of_range(points: Path, labels: Path, name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"classify: `{name}` must be"):
        run(points, labels, **{name: value})
