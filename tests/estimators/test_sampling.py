import torch

from diffresnet.estimators.sampling import LabelSampling, proportions_beforehand
from diffresnet.learning.labels import Labels


def beforehand(*counts: int, sampling: LabelSampling = "auto") -> list[float]:
    classes = torch.repeat_interleave(torch.arange(len(counts)), torch.tensor(counts))
    labels = Labels(torch.arange(len(classes)), classes, len(counts))
    return proportions_beforehand(labels, sampling).proportions.tolist()


def test_even_counts_say_nothing_and_others_do() -> None:
    assert beforehand(5, 5, 5, 5) == [0.25] * 4
    assert beforehand(100, 100, 96, 100) == [0.25] * 4
    assert beforehand(17, 2) == [18 / 21, 3 / 21]


def test_what_is_known_of_the_draws_is_believed() -> None:
    assert beforehand(17, 2, sampling="per class") == [0.5, 0.5]
    assert beforehand(5, 5, sampling="random") == [0.5, 0.5]
    assert beforehand(6, 4, sampling="random") == [7 / 12, 5 / 12]


def test_even_counts_of_random_draws_are_random_all_the_same() -> None:
    labels = Labels(torch.arange(10), torch.arange(10) % 2, 2)
    assert proportions_beforehand(labels, "random").is_random
    assert not proportions_beforehand(labels, "auto").is_random
