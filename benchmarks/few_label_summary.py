"""What the contest of few labels says in all: the tables of the docs, from its kept results.

Nothing is run again. `few_labels_summary.json` has the mean accuracy of every method over all sets,
its mean rank, how far it is behind the best method of a cell (in the mean, and in one cell of ten),
the best baseline of each cell, and how our classifier stands beside it by kind. In each cell those
draws count that all ranked methods have.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from diffresnet.measuring.statistics import half_interval
from few_label_baselines import TOLD
from few_label_sets import CELLS, GRAPHS, KINDS, SETS
from few_labels import LARGEST_LOSS, OURS, Place, Result, accuracies_of, place
from timing import keep_results, kept_results

BEST = "the best baseline of each cell"


def summarize_all(kept: Sequence[Result]) -> list[dict[str, Any]]:
    """Return a row for each method, one for the best baselines, the kinds, and the cells."""
    results = {place(result): result for result in kept}
    here = {(name, cell): _ranked(results, name, cell) for name, cell in product(SETS, CELLS)}
    methods = sorted({method for found in here.values() for method in found})
    return [
        *({"method": one} | _stand(here, one) | _means(here, one) for one in methods),
        {"method": BEST} | {c: _mean_best(here, SETS, c) for c in CELLS},
        {"calibration": "ours"} | {c: _calibration(results, c) for c in CELLS},
        *({"kind": kind} | _gaps(here, names) for kind, names in KINDS.items() if names != GRAPHS),
        _count(results, here),
    ]


Ranked = dict[tuple[str, str], dict[str, float]]


def _ranked(results: dict[Place, Result], name: str, cell: str) -> dict[str, float]:
    found = accuracies_of(results, name, cell).items()
    return {method: float(values.mean()) for method, values in found if TOLD not in method}


def _means(here: Ranked, method: str) -> dict[str, float]:
    return {cell: float(np.mean([here[name, cell][method] for name in SETS])) for cell in CELLS}


def _stand(here: Ranked, method: str) -> dict[str, float]:
    """Return the mean rank of a method, and how far it is behind the best of each cell."""
    above = [sum(other > one[method] for other in one.values()) for one in here.values()]
    behind = [max(one.values()) - one[method] for one in here.values()]
    return {
        "rank": float(np.mean(above)) + 1,
        "behind": float(np.mean(behind)),
        "behind in one cell of ten": float(np.quantile(behind, 0.9)),
    }


def _best(found: dict[str, float]) -> float:
    return max(value for method, value in found.items() if method != OURS)


def _mean_best(here: Ranked, names: Sequence[str], cell: str) -> float:
    return float(np.mean([_best(here[name, cell]) for name in names]))


def _calibration(results: dict[Place, Result], cell: str) -> float:
    return float(np.mean([results[OURS, name, cell]["calibration_error"] for name in SETS]))


def _gaps(here: Ranked, names: Sequence[str]) -> dict[str, float]:
    ours = {cell: float(np.mean([here[name, cell][OURS] for name in names])) for cell in CELLS}
    return {cell: value - _mean_best(here, names, cell) for cell, value in ours.items()}


def _count(results: dict[Place, Result], here: Ranked) -> dict[str, Any]:
    """Return in how many cells our classifier is at or above the best baseline, or clearly not."""
    ahead, lost = 0, 0
    for (name, cell), found in here.items():
        every = accuracies_of(results, name, cell)
        best = next(m for m, value in found.items() if m != OURS and value == _best(found))
        paired = every[OURS] - every[best]
        ahead += bool(paired.mean() >= 0)
        lost += bool(paired.mean() + half_interval(paired) < -LARGEST_LOSS)
    return {"count": "cells", "all": len(here), "ahead": ahead, "lost": lost, "sets": len(SETS)}


def main() -> None:
    """Write the summary."""
    command = "python benchmarks/few_label_summary.py"
    keep_results("few_labels_summary", command, summarize_all(kept_results("few_labels")))


if __name__ == "__main__":
    main()
