from pathlib import Path

import numpy as np
import pytest
import torch
import typer

from diffresnet.cli.banks import check_tasks, choose_split, load_bank
from diffresnet.fewshot import EpisodeShape, FeatureBank
from tests.paper.examples import N_EXAMPLES, save_bank, small_bank

UNSPLIT = FeatureBank(torch.eye(4), torch.tensor([0, 0, 1, 1]), ("a", "b"))


def test_loads_a_bank(tmp_path: Path) -> None:
    bank = load_bank(save_bank(tmp_path / "birds.npz"))
    torch.testing.assert_close(bank.features, small_bank().features)
    assert bank.class_names == small_bank().class_names


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(typer.BadParameter, match=r"There is no file .*none\.npz"):
        load_bank(tmp_path / "none.npz")


def test_a_file_of_something_else(tmp_path: Path) -> None:
    np.savez(tmp_path / "bad.npz", points=np.eye(3))
    with pytest.raises(typer.BadParameter, match="a file with `features` and `labels`"):
        load_bank(tmp_path / "bad.npz")


@pytest.mark.parametrize(
    ("wish", "found"), [(None, "test"), ("test", "test"), ("train", "train"), ("all", None)]
)
def test_choice_of_a_split(wish: str | None, found: str | None) -> None:
    assert choose_split(small_bank(), wish) == found


def test_a_bank_without_splits() -> None:
    assert choose_split(UNSPLIT, None) is None
    assert choose_split(UNSPLIT, "all") is None
    with pytest.raises(typer.BadParameter, match=r"no split 'test'.*it has none\. Choose 'all'"):
        choose_split(UNSPLIT, "test")


def test_an_unknown_split() -> None:
    message = r"no split 'novel'.*it has 'test', 'train'\. Choose one of these, or 'all'"
    with pytest.raises(typer.BadParameter, match=message):
        choose_split(small_bank(), "novel")


def test_tasks_that_cannot_be_drawn() -> None:
    check_tasks(small_bank(), "test", EpisodeShape(5, N_EXAMPLES - 15, 15))
    with pytest.raises(typer.BadParameter, match="class 'bird 0' with 22 examples"):
        check_tasks(small_bank(), "test", EpisodeShape(5, N_EXAMPLES - 14, 15))
    with pytest.raises(typer.BadParameter, match="the number of classes in the split 'train'"):
        check_tasks(small_bank(), "train", EpisodeShape(5, 1, 15))
