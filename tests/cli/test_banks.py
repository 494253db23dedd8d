import pytest
import torch

from diffresnet.cli.banks import choose_split
from diffresnet.fewshot import EpisodeSampler, EpisodeShape, FeatureBank
from tests.paper.examples import N_EXAMPLES, small_bank

UNSPLIT = FeatureBank(torch.eye(4), torch.tensor([0, 0, 1, 1]), ("a", "b"))


@pytest.mark.parametrize(
    ("wish", "found"), [(None, "test"), ("test", "test"), ("train", "train"), ("all", None)]
)
def test_choice_of_a_split(wish: str | None, found: str | None) -> None:
    assert choose_split(small_bank(), wish) == found


def test_a_bank_without_splits() -> None:
    assert choose_split(UNSPLIT, None) is None
    assert choose_split(UNSPLIT, "all") is None
    with pytest.raises(ValueError, match=r"no split 'test'.*it has none\. Choose 'all'"):
        choose_split(UNSPLIT, "test")


def test_an_unknown_split() -> None:
    message = r"no split 'novel'.*it has 'test', 'train'\. Choose one of these, or 'all'"
    with pytest.raises(ValueError, match=message):
        choose_split(small_bank(), "novel")


def test_tasks_that_cannot_be_drawn() -> None:
    EpisodeSampler(small_bank(), EpisodeShape(5, N_EXAMPLES - 15, 15), split="test")
    with pytest.raises(ValueError, match="class 'bird 0' with 22 examples"):
        EpisodeSampler(small_bank(), EpisodeShape(5, N_EXAMPLES - 14, 15), split="test")
    with pytest.raises(ValueError, match="the number of classes in the split 'train'"):
        EpisodeSampler(small_bank(), EpisodeShape(5, 1, 15), split="train")
