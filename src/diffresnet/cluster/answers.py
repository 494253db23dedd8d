"""Predictions as files: for each file of points a part of the same rows, in the same order."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from diffresnet._support.writing import write_whole, write_whole_folder
from diffresnet.cluster.shards import Numbering
from diffresnet.cluster.source import is_address, open_system, place_of, reaching
from diffresnet.cluster.work import Work
from diffresnet.files.parquet import PARQUET
from diffresnet.files.predictions import PARTS, encode_table
from diffresnet.files.results import check_apart, check_replaceable

OUT = "--out"
OWN = re.compile(PARTS.replace(".", r"\.").replace("*", r"\d{5,}"))
"""The names of parts, and of no others: those of Spark have more than digits."""


def part_name(file: int) -> str:
    """Return the name of the part for a file of points."""
    return PARTS.replace("*", f"{file:05}")


def write_part(
    work: Work,
    numbering: Numbering,
    classes: Sequence[str],
    file: int,
    labeled: Mapping[int, int],
) -> dict[str, Any]:
    """Write the predictions for the points of a file, and count them.

    Args:
        work: where the answers are, and the part goes.
        numbering: of the points.
        classes: their names.
        file: which.
        labeled: the class of each row that has a label.

    Returns:
        How many points have each class, and how many no label reaches.
    """
    parts = []
    for shard in range(numbering.own.shape[1]):
        first = int(numbering.starts[file, shard] - numbering.bounds[shard])
        stored = work.rows(f"answers/{shard}.npy")
        parts.append(stored.read(first, first + int(numbering.own[file, shard])))
    order = work.load(f"files/{file}/rows.npy")
    answers = np.empty((len(order), 4))
    answers[order] = np.concatenate(parts)
    rows = np.array(list(labeled), dtype=np.int64)
    answers[rows, 0] = np.array(list(labeled.values()), dtype=np.int64)
    answers[rows, 1:] = 1
    found = answers[:, 0].astype(np.int64)
    ids = pl.read_parquet(work.path(f"files/{file}/ids.parquet"))["id"].to_list()
    table = encode_table(
        ids,
        np.array(classes, dtype=np.str_)[found],
        (answers[:, 1], answers[:, 2]),
        answers[:, 3] > 0,
        PARQUET,
    )
    write_whole(work.path(f"parts/{part_name(file)}"), table)
    counts = np.bincount(found, minlength=len(classes))
    return {"counts": counts.tolist(), "n_unreached": int((answers[:, 3] == 0).sum())}


def check_out(out: str, inputs: Sequence[str]) -> None:
    """Refuse a place for parts where something else would be lost.

    A folder of this machine is replaced, and so may have nothing but parts. Neither it nor an
    address may be, or have, or be in an input.
    """
    with reaching(out, OUT, "written"):
        system, place = place_of(out)
    others = [path for one, path in map(place_of, inputs) if one == system]
    if is_address(out):
        check_apart(place, OUT, others)
    else:
        check_replaceable(Path(out), OUT, PARTS, [Path(one) for one in others])


def publish(work: Work, n_files: int, out: str) -> None:
    """Bring all parts to where they are wanted.

    A folder of this machine is there whole or not at all. At an address, parts of an earlier job
    that had more are removed at the end, and all else stays.
    """
    names = [part_name(file) for file in range(n_files)]
    if not is_address(out):
        write_whole_folder(Path(out), _contents(work, names))
        return
    with reaching(out, OUT, "written"):
        system, folder = open_system(out)
        system.makedirs(folder, exist_ok=True)
        for name in names:
            system.put_file(str(work.path(f"parts/{name}")), f"{folder.rstrip('/')}/{name}")
        system.invalidate_cache()
        for path in system.ls(folder, detail=False):
            name = path.rsplit("/", 1)[-1]
            if OWN.fullmatch(name) and name not in names:
                system.rm_file(path)


def _contents(work: Work, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    for name in names:
        yield name, work.path(f"parts/{name}").read_bytes()
