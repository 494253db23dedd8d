from collections.abc import Callable

import numpy as np
import pytest

from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.splits import SplitProtocol, split_from_masks
from tests.conftest import Arrays
from tests.nodes.examples import clusters


@pytest.mark.parametrize("name", ["cora", "citeseer"])
def test_splits_of_the_program(reference_numbers: Callable[[str], Arrays], name: str) -> None:
    numbers = reference_numbers("citation_graphs.npz")
    labels = numbers[f"{name}_labels"]
    graph = NodeGraph.from_arrays(np.zeros((len(labels), len(labels))), None, labels)
    for place, split in enumerate(SplitProtocol(n_splits=3).splits(graph)):
        known = f"{name}_split{place}"
        assert np.array_equal(split.train, numbers[f"{known}_train"])
        assert np.array_equal(split.validation, numbers[f"{known}_val"])
        assert np.array_equal(split.seeds, numbers[f"{known}_torch_seeds"])
        together = np.concatenate([split.train, split.validation, split.test])
        assert np.array_equal(np.sort(together), np.arange(len(labels)))


def test_more_splits_and_inits_keep_the_first() -> None:
    graph = clusters()
    few, many = (SplitProtocol(5, 5, n_splits=n, n_inits=n).splits(graph) for n in (2, 150))
    for one, same in zip(few, many, strict=False):
        assert np.array_equal(one.train, same.train)
        assert one.seeds == same.seeds[:2]


def test_unlabeled_nodes_are_in_no_part() -> None:
    labels = clusters().labels.copy()
    labels[::2] = -1
    graph = NodeGraph.from_arrays(np.zeros((120, 120)), None, labels)
    split = next(SplitProtocol(3, 0).splits(graph))
    assert len(split.validation) == 0
    assert bool((labels[np.concatenate([split.train, split.test])] >= 0).all())
    assert str(SplitProtocol(3, 0)).startswith("3 train and 0 validation nodes a class, 100 splits")


def test_a_class_too_small() -> None:
    graph = NodeGraph.from_arrays(np.zeros((3, 3)), None, ["dog", "cat", "dog"])
    message = "must be 2 nodes of each class, got 1 of class 'cat'"
    with pytest.raises(ValueError, match=message):
        next(SplitProtocol(1, 1).splits(graph))


def test_masks() -> None:
    split = split_from_masks([True, False, False], [1], np.array([False, False, True]), (0,))
    parts = (split.train, split.validation, split.test)
    assert [part.tolist() for part in parts] == [[0], [1], [2]]
    with pytest.raises(ValueError, match="nodes in two parts"):
        split_from_masks([0], [0], [1], (0,))
    with pytest.raises(ValueError, match="`test` must be at least one node"):
        split_from_masks([0], [1], [], (0,))
