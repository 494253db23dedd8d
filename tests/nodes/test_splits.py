from collections.abc import Callable

import numpy as np
import pytest

from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.splits import GivenSplit, SplitProtocol
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
    assert str(SplitProtocol(3, 0)).startswith(
        "3 train and 0 validation nodes per class, seed 42, 100"
    )


def test_a_class_too_small() -> None:
    graph = NodeGraph.from_arrays(np.zeros((3, 3)), None, ["dog", "cat", "dog"])
    message = "must be 2 nodes of each class, got 1 of class 'cat'"
    with pytest.raises(ValueError, match=message):
        next(SplitProtocol(1, 1).splits(graph))


def test_the_split_of_the_data() -> None:
    masks = {"train_mask": [True, False, False, True], "test_mask": [False, False, True, False]}
    masks = {name: np.array(mask) for name, mask in masks.items()}
    graph = NodeGraph.from_arrays(np.ones((4, 4)), None, [0, 1, 1, -1], masks=masks)
    (split,) = GivenSplit(n_inits=3).splits(graph)
    parts = (split.train, split.validation, split.test)
    assert [part.tolist() for part in parts] == [[0], [], [2]]
    assert len(split.seeds) == 3
    assert str(GivenSplit()) == "the split that comes with the data, seed 42, x 20 inits"
    (later,) = GivenSplit().splits(graph.only([1, 2, 0]))
    assert (later.train.tolist(), later.test.tolist()) == ([2], [1])
    with pytest.raises(ValueError, match="GivenSplit: `test_mask` must be of some nodes"):
        next(GivenSplit().splits(graph.only([0, 1])))
    with pytest.raises(ValueError, match="`graph` must be one that comes with a split, got one wi"):
        next(GivenSplit().splits(clusters()))
    with pytest.raises(ValueError, match="`val_mask` must be apart from the other masks"):
        NodeGraph.from_arrays(
            np.ones((4, 4)), None, [0, 1, 1, -1], masks=masks | {"val_mask": masks["train_mask"]}
        )
    with pytest.raises(ValueError, match=r"`val_mask` must be booleans of shape \(4,\)"):
        NodeGraph.from_arrays(np.ones((4, 4)), None, [0, 1, 1, 1], masks={"val_mask": [1, 2]})


def test_several_splits_of_the_data() -> None:
    train = np.eye(3, 6, dtype=bool)
    test = np.roll(train, 3, axis=1)
    several = [
        NodeGraph.from_arrays(np.ones((6, 6)), None, [0, 1, 1, 0, 1, 0], masks=masks)
        for masks in (
            {"train_mask": train, "test_mask": test},
            {"train_mask": train.T, "test_mask": test.T},  # as in PyTorch Geometric
        )
    ]
    assert several[0] == several[1]
    found = list(GivenSplit(n_inits=2).splits(several[0]))
    assert [(one.train.tolist(), one.test.tolist()) for one in found] == [
        ([place], [place + 3]) for place in range(3)
    ]
    assert len({one.seeds for one in found}) == 3
    part = several[0].select([1, 4, 0, 3, 2, 5])
    assert [one.train.tolist() for one in GivenSplit().splits(part)] == [[2], [0], [4]]
