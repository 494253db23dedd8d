import numpy as np

from diffresnet.nodes.folds import draw_folds


def test_every_node_is_held_out_once_but_lonely_ones() -> None:
    classes = np.array([0] * 7 + [1] * 3 + [2])
    folds = draw_folds(classes)
    assert len(folds) == 5
    assert sorted(np.concatenate(folds).tolist()) == list(range(10))
    for fold in folds:
        others = np.setdiff1d(np.arange(11), fold)
        assert set(classes[others]) == {0, 1, 2}


def test_one_label_per_class_cannot_be_held_out() -> None:
    assert draw_folds(np.arange(4)) == []
    assert draw_folds(np.arange(0)) == []


def test_drawn_folds_are_others_every_time() -> None:
    classes, generator = np.array([0] * 6 + [1] * 6), np.random.default_rng(0)
    first, second = (draw_folds(classes, 2, generator) for _ in range(2))
    for folds in (first, second):
        assert sorted(np.concatenate(folds).tolist()) == list(range(12))
        assert [np.bincount(classes[fold]).tolist() for fold in folds] == [[3, 3], [3, 3]]
    assert set(first[0].tolist()) not in [set(fold.tolist()) for fold in second]
