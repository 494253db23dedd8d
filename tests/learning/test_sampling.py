import numpy as np
import pytest
import torch

from diffresnet.estimators import DiffResNetClassifier
from diffresnet.learning.labels import Labels
from diffresnet.learning.sampling import LabelSampling, proportions_beforehand


def beforehand(*counts: int, sampling: LabelSampling = "auto") -> list[float]:
    classes = torch.repeat_interleave(torch.arange(len(counts)), torch.tensor(counts))
    labels = Labels(torch.arange(len(classes)), classes, len(counts))
    return proportions_beforehand(labels, sampling).proportions.tolist()


def shrunken(*counts: int) -> list[float]:
    """Return the shrunken proportions, by the formula of Hausser and Strimmer."""
    total, even = sum(counts), 1 / len(counts)
    found = [count / total for count in counts]
    by_chance = sum(one * (1 - one) / (total - 1) for one in found)
    part = min(1.0, by_chance / sum((one - even) ** 2 for one in found))
    mixed = [part * even + (1 - part) * one for one in found]
    return [(one * total + 0.5) / (total + 0.5 * len(counts)) for one in mixed]


def test_even_counts_say_nothing_and_others_do() -> None:
    assert beforehand(5, 5, 5, 5) == [0.25] * 4
    assert beforehand(100, 100, 96, 100) == [0.25] * 4
    assert beforehand(17, 2) == pytest.approx(shrunken(17, 2))
    assert shrunken(17, 2)[0] > 0.8


def test_what_is_known_of_the_draws_is_believed() -> None:
    assert beforehand(17, 2, sampling="per class") == [0.5, 0.5]
    assert beforehand(5, 5, sampling="random") == [0.5, 0.5]
    assert beforehand(6, 4, sampling="random") == pytest.approx([0.5, 0.5])  # as chance has it
    assert beforehand(9, 5, 1, sampling="random") == pytest.approx(shrunken(9, 5, 1))
    assert beforehand(1, 1, 2, sampling="random") == pytest.approx([1 / 3] * 3)


def test_even_counts_of_random_draws_are_random_all_the_same() -> None:
    labels = Labels(torch.arange(10), torch.arange(10) % 2, 2)
    assert proportions_beforehand(labels, "random").n_random == 10
    assert proportions_beforehand(labels, "auto").n_random == 0


def test_what_labels_are_and_what_they_speak_for() -> None:
    labels = Labels(torch.arange(10), torch.tensor([0] * 7 + [1] * 3), 2)
    samplings: tuple[LabelSampling, LabelSampling] = ("random", "per class")
    for sampling in samplings:
        found = proportions_beforehand(labels, sampling)
        assert found.of_labels.tolist() == [8 / 12, 4 / 12]
        assert torch.allclose(found.biases.diff().exp(), torch.tensor(0.5).double())
    assert beforehand(7, 3, sampling="per class") == [0.5, 0.5]


def test_more_labels_of_one_class_do_not_make_it_more_common() -> None:
    generator = np.random.default_rng(0)
    classes = np.arange(400) % 2
    points = generator.standard_normal((400, 20))
    points[:, 0] += 2.0 * classes  # hardly told apart
    labels = np.full(400, -1)
    labels[np.flatnonzero(classes == 0)[:15]] = 0
    labels[np.flatnonzero(classes == 1)[:45]] = 1
    model = DiffResNetClassifier(label_sampling="per class").fit(points, labels)
    rest = labels == -1
    assert 0.3 < (model.transduction_[rest] == 0).mean() < 0.75
