from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from diffresnet.fewshot import EpisodeIndices, Episodes, EpisodeSampler, EpisodeShape, FeatureBank
from tests.fewshot.examples import random_bank, random_episodes

SHAPES = [
    EpisodeShape(),
    EpisodeShape(5, 5, 15),
    EpisodeShape(5, (1, 4, 2, 8, 3), 7),
    EpisodeShape(1, 1, 1),
    EpisodeShape(6, 3, 1),
    EpisodeShape(5, 1, 15, dirichlet=2.0),
    EpisodeShape(5, (5, 1, 1, 2, 3), 15, dirichlet=0.3),
    EpisodeShape(1, 1, 1, dirichlet=2.0),
]


def counts_of(labels: torch.Tensor, n_ways: int) -> list[int]:
    return torch.bincount(labels, minlength=n_ways).tolist()


@pytest.mark.parametrize("shape", SHAPES)
def test_tasks_are_what_they_say(shape: EpisodeShape) -> None:
    bank = random_bank()
    drawn = EpisodeSampler(bank, shape).draw(range(40))
    assert drawn.support.shape == drawn.support_labels.shape == (40, shape.n_support)
    assert drawn.query.shape == drawn.query_labels.shape == (40, shape.n_query)
    assert drawn.classes.shape == (40, shape.n_ways)
    for task in range(40):
        support, query = drawn.support[task], drawn.query[task]
        both = torch.cat([support, query])
        assert len(both.unique()) == len(both)  # no row twice, so none in both
        classes = drawn.classes[task]
        assert len(classes.unique()) == shape.n_ways
        assert torch.equal(bank.labels[support], classes[drawn.support_labels[task]])
        assert torch.equal(bank.labels[query], classes[drawn.query_labels[task]])
        assert counts_of(drawn.support_labels[task], shape.n_ways) == list(shape.shots)
        counts = counts_of(drawn.query_labels[task], shape.n_ways)
        assert sum(counts) == shape.n_query
        if shape.dirichlet is None:
            assert counts == [shape.n_queries] * shape.n_ways
    assert len(drawn.seeds.unique()) == 40


@pytest.mark.parametrize("shape", SHAPES)
def test_a_task_depends_on_seed_and_number_only(shape: EpisodeShape) -> None:
    bank = random_bank()
    together = EpisodeSampler(bank, shape, seed=3).draw(range(30))
    sampler = EpisodeSampler(bank, shape, seed=3)
    sampler.draw([5])
    numbers = [29, 7, 7, 0]
    some = sampler.draw(numbers)
    for name in EpisodeIndices._fields:
        assert torch.equal(getattr(some, name), getattr(together, name)[numbers]), name
    other = EpisodeSampler(bank, shape, seed=4).draw(range(30))
    assert not torch.equal(other.query, together.query)
    assert len(torch.cat([other.seeds, together.seeds]).unique()) == 60


def test_nothing_else_is_drawn_from() -> None:
    sampler = EpisodeSampler(random_bank(), EpisodeShape())
    torch.manual_seed(0)
    np.random.seed(0)
    first = sampler.draw([1])
    torch.manual_seed(1)
    np.random.seed(1)
    state = torch.get_rng_state()
    again = sampler.draw([1])
    assert torch.equal(torch.get_rng_state(), state)
    assert all(torch.equal(x, y) for x, y in zip(first, again, strict=True))


def test_every_class_and_example_is_drawn_alike() -> None:
    bank = random_bank((20,) * 10)
    drawn = EpisodeSampler(bank, EpisodeShape(2, 1, 3)).draw(range(2000))
    classes = torch.bincount(drawn.classes.flatten(), minlength=10)
    assert (classes - 400).abs().max() < 5 * 400**0.5
    for rows in (drawn.support, drawn.query):
        expected = rows.numel() / 200
        counts = torch.bincount(rows.flatten(), minlength=200)
        assert (counts - expected).abs().max() < 5 * expected**0.5
    first_way = torch.bincount(drawn.classes[:, 0], minlength=10)
    assert (first_way - 200).abs().max() < 5 * 200**0.5


@given(
    sizes=st.lists(st.integers(2, 12), min_size=3, max_size=5),
    dirichlet=st.sampled_from([1e-3, 0.1, 2.0, 1e4]),
    n_shots=st.integers(1, 2),
    data=st.data(),
)
def test_dirichlet_totals_are_exact_and_possible(
    sizes: list[int], dirichlet: float, n_shots: int, data: st.DataObject
) -> None:
    bank = random_bank(sizes, n_features=1)
    room = sum(sorted(size - n_shots for size in sizes)[:3])
    if room < 3:
        return
    shape = EpisodeShape(3, n_shots, data.draw(st.integers(1, room // 3)), dirichlet=dirichlet)
    drawn = EpisodeSampler(bank, shape, seed=data.draw(st.integers(0, 99))).draw(range(5))
    for classes, labels in zip(drawn.classes, drawn.query_labels, strict=True):
        counts = counts_of(labels, 3)
        assert sum(counts) == shape.n_query
        for label, count in zip(classes.tolist(), counts, strict=True):
            assert 0 <= count <= sizes[label] - n_shots


def test_dirichlet_proportions() -> None:
    bank = random_bank((200,) * 5, n_features=1)

    def counts(dirichlet: float) -> torch.Tensor:
        shape = EpisodeShape(5, 1, 20, dirichlet=dirichlet)
        labels = EpisodeSampler(bank, shape).draw(range(400)).query_labels
        return torch.tensor([counts_of(row, 5) for row in labels]).double()

    for dirichlet in (0.5, 2.0, 50.0):
        found = counts(dirichlet)
        assert (found.mean(dim=0) - 20).abs().max() < 3
        # Var p_k = (1/5)(4/5) / (5 a + 1)
        expected = 100 * (0.16 / (5 * dirichlet + 1)) ** 0.5
        assert float(found.std()) == pytest.approx(expected, rel=0.1)
    assert (counts(1e6) == 20).all()
    assert (counts(0.02).max(dim=1).values > 90).double().mean() > 0.7  # and no NaN


def test_a_split_is_kept_to() -> None:
    bank = random_bank((20,) * 12).with_class_split(6, 2)
    drawn = EpisodeSampler(bank, EpisodeShape(4, 1, 5), split="test").draw(range(20))
    rows = set(bank.rows("test").tolist())
    assert set(drawn.support.flatten().tolist()) <= rows
    assert set(drawn.query.flatten().tolist()) <= rows


def test_all_examples_of_a_class_may_be_used() -> None:
    bank = random_bank((6, 6, 6))
    drawn = EpisodeSampler(bank, EpisodeShape(3, 2, 4)).draw([0])
    both = torch.cat([drawn.support, drawn.query], dim=1)[0]
    assert both.sort().values.tolist() == list(range(18))
    drawn = EpisodeSampler(bank, EpisodeShape(3, 2, 4, dirichlet=0.1)).draw(range(9))
    assert (torch.stack([torch.bincount(row) for row in drawn.query_labels]) == 4).all()


def test_shape_counts() -> None:
    shape = EpisodeShape(3, (1, 4, 2), 7)
    assert shape.shots == (1, 4, 2)
    assert (shape.n_support, shape.n_query, shape.n_points) == (7, 21, 28)
    assert EpisodeShape(4, 2, 3).shots == (2, 2, 2, 2)


def test_fill_looks_features_up() -> None:
    bank = random_bank()
    drawn = EpisodeSampler(bank, EpisodeShape(3, 2, 4)).draw(range(5))
    mean = bank.base_mean()
    episodes = Episodes.fill(drawn, bank.features, mean)
    assert episodes.n_classes == 3
    assert episodes.n_support == 6
    assert episodes.base_mean is mean
    assert episodes.seeds is drawn.seeds
    for task in range(5):
        for place, row in enumerate(drawn.support[task].tolist()):
            assert torch.equal(episodes.support[task, place], bank.features[row])
        for place, row in enumerate(drawn.query[task].tolist()):
            assert torch.equal(episodes.query[task, place], bank.features[row])
    assert torch.equal(episodes.points[:, :6], episodes.support)
    assert torch.equal(episodes.points[:, 6:], episodes.query)


def test_another_device() -> None:
    episodes = random_episodes(2)
    moved = replace(episodes, rectified=episodes.query[:, :3]).to("meta")
    assert moved.rectified is not None
    assert moved.base_mean is not None
    for tensor in (moved.support, moved.query, moved.labels, moved.base_mean, moved.rectified):
        assert tensor.device.type == "meta"
    assert moved.n_classes == 3
    assert moved.seeds is episodes.seeds  # read one by one: they stay
    bare = replace(episodes, base_mean=None).to("meta")
    assert bare.base_mean is None
    assert bare.rectified is None


def small_class() -> FeatureBank:
    return random_bank((30, 9, 30))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: EpisodeSampler(small_class(), EpisodeShape(2, 5, 5)),
            "EpisodeSampler: `n_shots` must be at most what each class has (5 + 5 examples), "
            "got class 'class 1' with 9 examples in the bank. Lower `n_shots` or `n_queries`.",
        ),
        (
            lambda: EpisodeSampler(small_class(), EpisodeShape(2, (1, 6), 4)),
            "EpisodeSampler: `n_shots` must be at most what each class has (6 + 4 examples), "
            "got class 'class 1' with 9 examples in the bank. Lower `n_shots` or `n_queries`.",
        ),
        (
            lambda: EpisodeSampler(small_class(), EpisodeShape(2, 10, 1, dirichlet=2.0)),
            "EpisodeSampler: `n_shots` must be at most what each class has (10 + 0 examples), "
            "got class 'class 1' with 9 examples in the bank. Lower `n_shots` or `n_queries`.",
        ),
        (
            lambda: EpisodeSampler(small_class(), EpisodeShape(2, 5, 15, dirichlet=2.0)),
            "EpisodeSampler: `n_queries` must be at most what 2 classes have left (29 examples), "
            "got 30 in all. Lower `n_queries`.",
        ),
        (
            lambda: EpisodeSampler(small_class(), EpisodeShape(4, 1, 1)),
            "EpisodeSampler: `n_ways` must be between 1 and the number of classes in the bank (3), "
            "got 4. Lower `n_ways`.",
        ),
        (
            lambda: EpisodeSampler(
                small_class().with_class_split(1, 1), EpisodeShape(2, 1, 1), split="val"
            ),
            "EpisodeSampler: `n_ways` must be between 1 and the number of classes in the split "
            "'val' (1), got 2. Lower `n_ways`.",
        ),
        (
            lambda: EpisodeSampler(small_class(), EpisodeShape(2, 1, 1), seed=-1),
            "EpisodeSampler: `seed` must be at least 0, got -1. Raise `seed`.",
        ),
        (
            lambda: EpisodeShape(0),
            "EpisodeShape: `n_ways` must be at least 1, got 0. Raise `n_ways`.",
        ),
        (
            lambda: EpisodeShape(n_shots=0),
            "EpisodeShape: `n_shots` must be at least 1, got 0. Raise `n_shots`.",
        ),
        (
            lambda: EpisodeShape(2, (1, 0)),
            "EpisodeShape: `n_shots` must be at least 1, got 0. Raise `n_shots`.",
        ),
        (
            lambda: EpisodeShape(3, (1, 2)),
            "EpisodeShape: `n_shots` must be one number, or one for each of 3 classes, "
            "got 2 numbers. Match `n_ways`.",
        ),
        (
            lambda: EpisodeShape(n_queries=0),
            "EpisodeShape: `n_queries` must be at least 1, got 0. Raise `n_queries`.",
        ),
        (
            lambda: EpisodeShape(dirichlet=0.0),
            "EpisodeShape: `dirichlet` must be a finite positive number, got 0. "
            "Pass a positive `dirichlet`.",
        ),
    ],
)
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match="must be") as error:
        call()
    assert str(error.value) == message


def test_more_classes_than_there_is_memory_for() -> None:
    with pytest.raises(ValueError, match=r"`n_ways` must be at most 1,000,000, got 9223372036854"):
        EpisodeShape(n_ways=2**63 - 1)
