"""Runs in which labels are given one after the other: kept one by one, summed up, shown."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from diffresnet._support.writing import finite, write_whole
from diffresnet.measuring.statistics import difference_of, half_interval, percent


def kept(path: Path, run: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return what a run has found; it runs unless its file is there.

    Args:
        path: of the file.
        run: returns `accuracies` and `n_classes`, a number for each number of labels.
    """
    if not path.exists():
        write_whole(path, json.dumps(run()).encode())
    return json.loads(path.read_text())


def summed_up(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the mean accuracies of runs, with their intervals, and the classes that were found."""
    accuracies = np.array([one["accuracies"] for one in runs])
    return {
        "accuracy": accuracies.mean(axis=0).tolist(),
        "ci95": [finite(half_interval(column)) for column in accuracies.T],
        "accuracies": accuracies.tolist(),
        "n_classes": np.mean([one["n_classes"] for one in runs], axis=0).tolist(),
    }


def show(
    results: list[dict[str, Any]],
    sizes: Sequence[int],
    *,
    by: str,
    first: str,
    other: str | None = None,
) -> None:
    """Print a table, with how far one is above another, seed by seed.

    Args:
        results: what `summed_up` returned, with `set` and the name of what was compared.
        sizes: numbers of labels.
        by: the key of that name.
        first: the one that is compared.
        other: with which; None for the best of the others.
    """
    names = list(dict.fromkeys(result[by] for result in results))
    against = other or "the best other"
    print("\n| set | labels | " + " | ".join(names) + f" | {first} minus {against} |")
    print("|---" * (len(names) + 3) + "|")
    for which in dict.fromkeys(result["set"] for result in results):
        here = {one[by]: np.array(one["accuracies"]) for one in results if one["set"] == which}
        for column, size in enumerate(sizes):
            values = {name: runs[:, column] for name, runs in here.items()}
            shown = [percent(v.mean(), half_interval(v), digits=1) for v in values.values()]
            said = ""
            rest = {n: v.mean() for n, v in values.items() if n != first and other in (None, n)}
            if rest and first in values:
                best = max(rest, key=lambda name: rest[name])
                gap = difference_of(values[first], values[best])
                said = percent(gap.difference, gap.ci95, sign=True, digits=1)
                said += "" if other else f" ({best})"
            print(f"| {which} | {size} | {' | '.join(shown)} | {said} |")
