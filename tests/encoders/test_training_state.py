from pathlib import Path

import pytest
import torch
from torch import nn

from diffresnet.encoders.training_state import TrainingState


def _state(seed: int) -> TrainingState:
    torch.manual_seed(seed)
    network = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9)
    network(torch.ones(1, 3)).sum().backward()
    optimizer.step()
    return TrainingState(network, optimizer)


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    first, second = _state(0), _state(1)
    first.epoch, first.n_batches, first.totals = 3, 2, [1.0, 2.0, 3.0, 4.0]
    first.best, first.best_epoch, first.best_weights = 0.5, 2, {"a": torch.ones(2)}
    first.save(tmp_path / "s", "me")
    second.load(tmp_path / "s", "me")
    for name in ("epoch", "n_batches", "totals", "best", "best_epoch"):
        assert getattr(second, name) == getattr(first, name)
    assert torch.equal(second.best_weights["a"], torch.ones(2))
    for state in (first, second):
        state.network(torch.ones(1, 3)).sum().backward()
        state.optimizer.step()
    for a, b in zip(first.network.parameters(), second.network.parameters(), strict=True):
        assert torch.equal(a, b)


def test_the_state_of_another_training(tmp_path: Path) -> None:
    _state(0).save(tmp_path / "s", "me")
    with pytest.raises(ValueError, match=r"of other images or settings. Give the same ones, or"):
        _state(0).load(tmp_path / "s", "you")
