"""The first look at all files: is everything well, who has a label, and a sample of the points."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from diffresnet._support.checks import refuse
from diffresnet._support.words import some
from diffresnet.cluster.engine import Engine
from diffresnet.cluster.source import Source
from diffresnet.cluster.work import Array, Work
from diffresnet.files.points import WHAT, Points

N_SAMPLED = 20_000
"""Points that stand for all where shards and the space of the features are chosen."""

SPARE = 4
"""A file has at most this many times the points of the sample that equal files would have."""

BUCKET = 2**22
"""Ids that are compared at a time, about."""

MOST_REPEATED = 100
"""Hashes in two files that are looked at: of a billion ids one or two are alike by chance."""


@dataclass(frozen=True)
class Survey:
    """What the first look has found.

    Attributes:
        n_rows: of each file.
        sample: (S, 2) file and row of points that stand for all.
        features: (S, d) theirs.
        labeled: (n, 2) file and row of the points that have a label.
        labels: (n,) these.
    """

    n_rows: list[int]
    sample: Array
    features: Array
    labeled: Array
    labels: list[str]

    def encode(self, classes: Sequence[str]) -> list[int]:
        """Return the place of each label among the classes."""
        places = {name: place for place, name in enumerate(classes)}
        return [places[label] for label in self.labels]


def look_at_all(
    engine: Engine, work: Work, source: Source, given: Mapping[str, str] | None, seed: int
) -> Survey:
    """Look at all files, and check what they have together.

    Args:
        engine: that runs it.
        work: where it is kept.
        source: the files.
        given: labels by id; None for those in the files.
        seed: of the sample.

    Raises:
        ValueError: if a file is damaged or has other columns than the first, an id is twice, or a
            label has an id that is nowhere.
    """
    n_files = len(source.files)
    first = source.columns(0)
    n_each = min(N_SAMPLED, SPARE * N_SAMPLED // n_files + 1)  # files may be of unequal size
    missing = [one for one in range(n_files) if not work.has(_name(one))]
    look = partial(look_at, work, source, given=given, first=first, draw=(seed, n_each))
    engine.map(look, [(one,) for one in missing])
    tables = [work.load_table(_name(one)) for one in range(n_files)]
    check_ids(engine, work, source, [table["n_rows"] for table in tables])
    if given is not None:
        found = {name for table in tables for name in table["ids"]}
        lost = sorted(set(given) - found)
        if lost:
            got = f"{len(lost)} that are nowhere: {some(lost)}"
            refuse("--labels", f"labels of ids of {WHAT}", got, "Correct them, or leave them out.")
    return _collect(work, tables)


def look_at(
    work: Work,
    source: Source,
    file: int,
    *,
    given: Mapping[str, str] | None,
    first: Mapping[str, str],
    draw: tuple[int, int],
) -> None:
    """Look at one file, and write down what is in it.

    Args:
        work: where it is written to.
        source: the files.
        file: which.
        given: labels by id; None for those in the file.
        first: the columns of the first file.
        draw: the seed of the sample, and how many points of it come from the file.
    """
    _check_columns(first, source.columns(file), source, file)
    points = source.read(file)
    if points.features is None:
        refuse(WHAT, "tables with features", f"ids only in {source.files[file]}", "Add features.")
    _save_hashes(work, file, points.ids)
    rows, labels = _labeled_rows(points, given)
    seed, n_sampled = draw
    drawn = np.random.default_rng([seed, file]).permutation(len(points.ids))[:n_sampled]
    work.save(f"survey/{file}-sample.npy", points.features[drawn])
    table = {
        "n_rows": len(points.ids),
        "sample": drawn.tolist(),
        "rows": rows,
        "labels": labels,
        "ids": [points.ids[row] for row in rows],
    }
    work.save_table(_name(file), table)


def _name(file: int) -> str:
    return f"survey/{file}.json"


def _check_columns(
    first: Mapping[str, str], columns: Mapping[str, str], source: Source, file: int
) -> None:
    odd = sorted(set(first) ^ set(columns))
    if odd:
        names = [source.files[one].rsplit("/", 1)[-1] for one in (0, file)]
        where = names if odd[0] in first else names[::-1]
        got = f"{some(odd)} in {where[0]}, but not in {where[1]}"
        remedy = "Write them again, or move one of them to another folder."
        refuse(WHAT, "a folder of tables with the same columns", got, remedy)


def _labeled_rows(points: Points, given: Mapping[str, str] | None) -> tuple[list[int], list[str]]:
    """Return which points have a label, and these."""
    if given is None:
        own = points.labels or [""] * len(points.ids)
        rows = [row for row, label in enumerate(own) if label]
        return rows, [own[row] for row in rows]
    rows = [row for row, name in enumerate(points.ids) if name in given]
    return rows, [given[points.ids[row]] for row in rows]


def _hash(ids: Sequence[str]) -> Array:
    return pl.Series(ids, dtype=pl.String).hash(seed=0).to_numpy()


def _save_hashes(work: Work, file: int, ids: Sequence[str]) -> None:
    work.save(f"survey/{file}-ids.npy", np.sort(_hash(ids)))


def check_ids(engine: Engine, work: Work, source: Source, n_rows: Sequence[int]) -> None:
    """Refuse ids that are in two files; each process looks at some of their hashes only."""
    if len(n_rows) < 2 or work.has("survey/ids.json"):
        return
    n_buckets = max(1, sum(n_rows) // BUCKET)
    edges = [2**64 * one // n_buckets for one in range(1, n_buckets)]
    bounds = zip([0, *edges], [*edges, None], strict=True)
    find = partial(find_repeated, work, len(n_rows))
    for found in engine.map(find, [(low, high) for low, high in bounds]):
        for one in found:
            _refuse_twice(source, *one)
    work.save_table("survey/ids.json", {"are": "different"})


def find_repeated(
    work: Work, n_files: int, low: int, high: int | None
) -> list[tuple[int, int, int]]:
    """Return some hashes of a range that are in two files, each with these."""
    parts: list[Array] = []
    for file in range(n_files):
        stored = work.rows(f"survey/{file}-ids.npy")
        edges = [low] if high is None else [low, high]
        begin, *end = stored.search(np.array(edges, dtype=np.uint64))
        parts.append(stored.read(begin, end[0] if end else len(stored)))
    hashes = np.concatenate(parts)
    files = np.repeat(np.arange(n_files), [len(part) for part in parts])
    order = np.argsort(hashes, kind="stable")
    hashes, files = hashes[order], files[order]
    is_twice = (hashes[1:] == hashes[:-1]) & (files[1:] != files[:-1])
    places = np.flatnonzero(is_twice)[:MOST_REPEATED].tolist()
    return [(int(hashes[one]), int(files[one]), int(files[one + 1])) for one in places]


def _refuse_twice(source: Source, found: int, first: int, second: int) -> None:
    """Name an id that is in two files; different ids with one hash are none."""
    ids = [source.read(file).ids for file in (first, second)]
    theirs = [{one[row] for row in np.flatnonzero(_hash(one) == np.uint64(found))} for one in ids]
    for name in sorted(theirs[0] & theirs[1]):
        names = [source.files[file].rsplit("/", 1)[-1] for file in (first, second)]
        got = f"{some([name])} in {names[0]} and in {names[1]}"
        refuse(WHAT, "points with an id each of its own", got, "Keep one row of each.")


def _collect(work: Work, tables: Sequence[Mapping[str, Any]]) -> Survey:
    """Put together what was found in each file; larger ones have more points of the sample."""
    n_rows = [table["n_rows"] for table in tables]
    n_each = [-(-N_SAMPLED * one // sum(n_rows)) for one in n_rows]

    def pairs(rows: Sequence[Sequence[int]]) -> Array:
        found = [(file, row) for file, some_rows in enumerate(rows) for row in some_rows]
        return np.array(found, dtype=np.int64).reshape(-1, 2)

    filled = [(file, n) for file, n in enumerate(n_each) if n]
    features = [work.load(f"survey/{file}-sample.npy")[:n] for file, n in filled]
    return Survey(
        n_rows,
        pairs([table["sample"][:n] for table, n in zip(tables, n_each, strict=True)]),
        np.concatenate(features),
        pairs([table["rows"] for table in tables]),
        [label for table in tables for label in table["labels"]],
    )
