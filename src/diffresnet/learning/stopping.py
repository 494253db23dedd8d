"""Early stopping by the rule of the authors' code (Appendix E.2)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from torch import nn

from diffresnet._support.checks import fail
from diffresnet._support.settings import Count, check_settings


@dataclass
class EarlyStopping:
    """Stop when validation has not become better for `patience` epochs, and go back to the best.

    An epoch is better if its validation loss is at most the best loss, *or* its validation accuracy
    at least the best accuracy, ties included: the rule of the authors' code. The parameters of
    the last better epoch are kept.

    Attributes:
        patience: epochs to wait; 50 in the paper.
        loss: the name under which `evaluate` reports the validation loss.
        accuracy: the name under which `evaluate` reports the validation accuracy.
    """

    patience: Count
    loss: str = "validation_loss"
    accuracy: str = "validation_accuracy"
    best_loss: float = field(default=float("inf"), init=False)
    best_accuracy: float = field(default=float("-inf"), init=False)
    n_waited: int = field(default=0, init=False)
    best_state: dict[str, Any] | None = field(default=None, init=False, repr=False)

    __post_init__ = check_settings

    def update(self, record: Mapping[str, float], model: nn.Module) -> bool:
        """Take note of an epoch; tell whether to stop."""
        for name in (self.loss, self.accuracy):
            if name not in record:
                must, got = f"a function that reports {name!r}", ", ".join(record) or "nothing"
                fail("EarlyStopping", "evaluate", must, f"only {got}", "Add it.")
        loss, accuracy = record[self.loss], record[self.accuracy]
        if not math.isnan(loss) and (loss <= self.best_loss or accuracy >= self.best_accuracy):
            self.best_loss = min(self.best_loss, loss)
            self.best_accuracy = max(self.best_accuracy, accuracy)
            self.n_waited = 0
            self.best_state = {name: t.detach().clone() for name, t in model.state_dict().items()}
            return False
        self.n_waited += 1
        return self.is_over

    @property
    def is_over(self) -> bool:
        """Whether patience has run out."""
        return self.n_waited >= self.patience

    def restore(self, model: nn.Module) -> None:
        """Give the model the parameters of its best epoch."""
        if self.best_state is not None:
            model.load_state_dict(self.best_state)

    def state_dict(self) -> dict[str, Any]:
        """Return what a checkpoint has to hold."""
        names = ("best_loss", "best_accuracy", "n_waited", "best_state")
        return {name: getattr(self, name) for name in names}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take up where a checkpoint left off."""
        for name, value in state.items():
            setattr(self, name, value)
