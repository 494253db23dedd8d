import json
from typing import Any

import pytest

from few_label_sets import CELLS, SETS
from few_label_summary import BEST, OURS, summarize_all
from tests.docs.pages import ROOT

RESULTS = ROOT / "docs/results"


def read(name: str) -> list[dict[str, Any]]:
    return json.loads((RESULTS / name).read_text())["results"]


def test_the_kept_summary_is_that_of_the_kept_results() -> None:
    found, kept = summarize_all(read("few_labels.json")), read("few_labels_summary.json")
    for one, other in zip(found, kept, strict=True):
        assert one == pytest.approx(other)


def made(method: str, name: str, cell: str, accuracies: list[float]) -> dict[str, Any]:
    place = {"method": method, "set": name, "labels": cell, "accuracies": accuracies}
    return place | {"calibration_error": 0.25}


def test_a_contest_of_two() -> None:
    results = [made(OURS, name, cell, [0.5, 0.7, 0.0]) for name in SETS for cell in CELLS]
    results += [made("k-NN", name, cell, [0.4, 0.6]) for name in SETS for cell in CELLS]
    results[-1]["accuracies"] = [0.9, 1.0]
    other, ours, best, sure, *kinds, count = summarize_all(results)
    assert ours["rank"] == pytest.approx(1 + 1 / len(results) * 2)
    assert ours["1"] == pytest.approx(0.6)  # of the draws that both have
    assert best == {"method": BEST} | {cell: other[cell] for cell in CELLS}
    assert sure["1"] == 0.25
    assert kinds[0]["1"] == pytest.approx(0.1)
    n_cells = len(SETS) * len(CELLS)
    wanted = {"all": n_cells, "ahead": n_cells - 1, "lost": 0, "sets": len(SETS)}
    assert count == {"count": "cells"} | wanted
