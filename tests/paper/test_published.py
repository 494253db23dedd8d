from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from diffresnet.paper.published import (
    ABLATION_ACCURACY,
    FEWSHOT_ACCURACY,
    FEWSHOT_COLUMNS,
    LATER_ACCURACY,
    NODE_ACCURACY,
    NODE_GRAPHS,
    SYNTHETIC_ACCURACY,
)
from diffresnet.paper.settings import SYNTHETIC_EPOCHS


@pytest.mark.parametrize("way", ["with", "without"])
@pytest.mark.parametrize("name", ["moon", "circle", "spiral"])
def test_accuracies_are_those_of_the_program(
    name: str, way: str, reference_numbers: Callable[[str], dict[str, NDArray[np.float64]]]
) -> None:
    accuracy = reference_numbers(f"two_{name}_{way}_diffusion.npz")["accuracy"]
    expected = [round(100 * float(accuracy[epoch]), 1) for epoch in SYNTHETIC_EPOCHS]
    assert list(SYNTHETIC_ACCURACY[name][way]) == expected


def test_table_of_the_ablation() -> None:
    assert list(ABLATION_ACCURACY) == ["ResNet-18", "WRN"]
    for methods in ABLATION_ACCURACY.values():
        assert len(methods) == 5
        columns = list(zip(*methods.values(), strict=True))
        assert len(columns) == len(FEWSHOT_COLUMNS)
        # Internal Convection-Diffusion is bold in every column.
        assert all(max(column) == column[-1] for column in columns)
    # The sum over the printed table finds a slip in any cell.
    total = sum(
        sum(values) for methods in ABLATION_ACCURACY.values() for values in methods.values()
    )
    assert total == pytest.approx(4467.81)


def test_table_of_few_shot_methods() -> None:
    assert len(FEWSHOT_ACCURACY) == 32
    assert all(len(row.cells) == len(FEWSHOT_COLUMNS) for row in FEWSHOT_ACCURACY)
    ours = [row.cells for row in FEWSHOT_ACCURACY if row.method == "Diff-ResNet†"]
    assert [cells[0] for cells in ours] == [(71.11, 0.24), (73.47, 0.23)]
    assert [cells[5] for cells in ours] == [(91.12, 0.10), (92.96, 0.09)]
    assert FEWSHOT_ACCURACY[0].cells[2] is None
    cells = [cell for row in FEWSHOT_ACCURACY for cell in row.cells if cell is not None]
    assert len(cells) == 140
    assert sum(mean for mean, _ in cells) == pytest.approx(10499.46)
    assert sum(half for _, half in cells) == pytest.approx(55.06)


def test_table_of_graphs() -> None:
    assert NODE_ACCURACY["Diff-ResNet"][NODE_GRAPHS.index("pubmed")] == (80.1, 2.0)
    assert all(len(row) == len(NODE_GRAPHS) for row in NODE_ACCURACY.values())


def test_what_others_published() -> None:
    assert all(len(row.cells) == len(FEWSHOT_COLUMNS) for row in LATER_ACCURACY)
    assert {row.queries for row in LATER_ACCURACY} == {"balanced", "Dirichlet(2)"}
    for row in LATER_ACCURACY:
        assert row.source.startswith("README of ")
        assert all(cell is None or 50 < cell < 100 for cell in row.cells)
        for one_shot, five_shots in zip(row.cells[::2], row.cells[1::2], strict=True):
            assert (one_shot is None) == (five_shots is None)
            assert one_shot is None or five_shots is None or one_shot < five_shots
