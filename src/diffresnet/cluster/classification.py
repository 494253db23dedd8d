"""Classify points that are too many for one machine: `classify`, on a Ray cluster or here."""

import errno
import shutil
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path

import diffresnet
from diffresnet._support.checks import check_count, check_real, fail, refuse
from diffresnet._support.words import some
from diffresnet.cluster.answers import check_out, publish
from diffresnet.cluster.engine import Engine, InProcess
from diffresnet.cluster.job import Job, Outcome
from diffresnet.cluster.ray_engine import connected
from diffresnet.cluster.settings import Settings
from diffresnet.cluster.source import Source, is_address
from diffresnet.cluster.work import Work
from diffresnet.files.labels import WHAT, read_label_table
from diffresnet.files.results import check_apart

HERE = "here"
"""The address of no cluster at all: everything runs in this process, one after the other."""

SUFFIX = ".work"
FULL = (errno.ENOSPC, errno.EDQUOT)
"""What systems call a full disk."""


def classify(
    points: str | Path,
    labels: str | Path | None = None,
    *,
    out: str | Path,
    cluster: str = "auto",
    id_column: str | None = None,
    label_column: str | None = None,
    n_top: int = 11,
    memory: float = 2.0,
    n_workers: int | None = None,
    work: str | Path | None = None,
    seed: int = 0,
) -> Outcome:
    """Label every point of a folder of Parquet files from the few that have a label.

    For each file of points there is a file of predictions, with the same rows in the same order and
    the columns id, label, probability, margin and reached. A call that was stopped, and is made
    again, finishes what is missing; at the end the folder of the job is removed.

    Args:
        points: the folder, or one file, or an fsspec address such as s3://bucket/points. A file
            must fit a worker.
        labels: .csv or .parquet with the columns id and label; None for those in `points`.
        out: the folder of the predictions, or an address. Earlier ones there are replaced; a folder
            with anything else in it is refused.
        cluster: the address host:port of a Ray cluster; ``"auto"``, for the one that RAY_ADDRESS
            names or, without that, a new one of this machine; or ``"here"``, for this process.
        id_column: by default "id", or what is called like one.
        label_column: by default "label".
        n_top: neighbors that the graph keeps, the point itself counted.
        memory: that a worker may take, in GB, about: the more, the fewer shards and blocks. A job
            that goes on with another one keeps its graph, and cuts it anew.
        n_workers: processes of a new cluster; as many as there are processors by default.
        work: the folder of the job, which all machines see under the same name; by default beside
            `out`.
        seed: of everything that is drawn.

    Raises:
        ValueError: if a file or an argument is wrong, no cluster answers at the address, or the
            disk is full; what was done is kept.
        ModuleNotFoundError: without the extra `cluster`, unless it runs here.
    """
    check_count("classify", "n_top", n_top, low=2)
    settings = Settings(
        n_top=n_top, seed=seed, memory=1e9 * check_real("classify", "memory", memory)
    )
    source = Source.of(str(points), id_column, label_column)
    given = None if labels is None else _read_labels(Path(labels), id_column, label_column)
    place = Work(_place_of(str(out), work))
    inputs = [str(points), *([] if labels is None else [str(labels)])]
    check_apart(place.folder, "--work", [Path(one) for one in inputs if not is_address(one)])
    check_out(str(out), [*inputs, str(place.folder)])
    with place.held(_identity(source, given, settings)), _naming_a_full_disk(place.folder):
        with _engine(cluster, n_workers) as engine:
            outcome = Job(engine, place, source, given, settings).run()
        check_out(str(out), [*inputs, str(place.folder)])  # it may have been filled meanwhile
        publish(place, outcome.n_files, str(out))
        place.clear()
    return outcome


@contextmanager
def _naming_a_full_disk(folder: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        left = f"{shutil.disk_usage(folder).free / 1e6:,.0f} MB left"
        remedy = "Make room, and call again: what is done is kept."
        fail("classify", "work", "on a disk with room for it", f"{folder} with {left}", remedy)


def _engine(cluster: str, n_workers: int | None) -> AbstractContextManager[Engine]:
    return nullcontext(InProcess()) if cluster == HERE else connected(cluster, n_workers)


def _place_of(out: str, work: str | Path | None) -> Path:
    if work is not None:
        return Path(work).resolve()
    if is_address(out):
        must = f"given where --out is an address ({out})"
        refuse("--work", must, "none", "Name a folder that all machines see.")
    return Path(f"{Path(out).resolve()}{SUFFIX}")


def _read_labels(path: Path, id_column: str | None, label_column: str | None) -> dict[str, str]:
    """Return labels by id; rows without a label are left out."""
    found: dict[str, str] = {}
    names, labels = read_label_table(path, id_column=id_column, label_column=label_column)
    for name, label in zip(names, labels, strict=True):
        if label and found.setdefault(name, label) != label:
            refuse(WHAT, "one label for an id", f"different ones for {some([name])}", "Keep one.")
    return found


def _identity(
    source: Source, given: Mapping[str, str] | None, settings: Settings
) -> dict[str, str]:
    """Return what a job is of: files of another job must not be taken for its own."""

    def digest(content: object) -> str:
        return sha256(repr(content).encode()).hexdigest()

    return {
        "set of points": digest((source, source.states())),
        "set of labels": digest(None if given is None else sorted(given.items())),
        "setting": digest(sorted(asdict(replace(settings, memory=0)).items(), key=str)),
        "version": diffresnet.__version__,
    }
