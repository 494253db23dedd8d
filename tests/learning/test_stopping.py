import pytest
import torch
from torch import nn

from diffresnet.learning import EarlyStopping


def record(loss: float, accuracy: float) -> dict[str, float]:
    return {"validation_loss": loss, "validation_accuracy": accuracy}


def test_better_in_either_counts() -> None:
    rule, model = EarlyStopping(patience=2), nn.Linear(1, 1)
    assert not rule.update(record(1.0, 0.5), model)
    assert not rule.update(record(2.0, 0.6), model)  # a worse loss, a better accuracy
    assert (rule.best_loss, rule.best_accuracy) == (1.0, 0.6)
    assert not rule.update(record(1.5, 0.5), model)
    assert not rule.update(record(1.0, 0.1), model)  # a tie counts
    assert (rule.best_loss, rule.best_accuracy) == (1.0, 0.6)
    assert not rule.update(record(1.1, 0.5), model)
    assert rule.update(record(1.1, 0.5), model)


def test_without_accuracy_only_the_loss_counts() -> None:
    rule, model = EarlyStopping(patience=1), nn.Linear(1, 1)
    assert not rule.update(record(1.0, float("nan")), model)
    assert not rule.update(record(0.5, float("nan")), model)
    assert rule.update(record(0.6, float("nan")), model)


def test_restores_the_best() -> None:
    rule, model = EarlyStopping(patience=5), nn.Linear(1, 1)
    rule.restore(model)  # nothing kept yet: nothing happens
    best = model.weight.detach().clone()
    rule.update(record(1.0, 0.5), model)
    with torch.no_grad():
        model.weight += 1
    rule.update(record(2.0, 0.4), model)
    rule.restore(model)
    assert torch.equal(model.weight, best)


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="EarlyStopping: `patience` must be at least 1, got 0"):
        EarlyStopping(patience=0)
    with pytest.raises(
        ValueError, match="a function that reports 'validation_loss', got only loss"
    ):
        EarlyStopping(patience=1).update({"loss": 1.0}, nn.Linear(1, 1))
