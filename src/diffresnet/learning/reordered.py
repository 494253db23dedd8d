"""The trajectory of gradient descent, in another order of operations: far fewer of them.

With one residual block, logits = P (X W3' + H A'), where H = relu(B), B = X W1' + b1, A = W3 W2 (X
and H have a column of ones for b3 and b2). Three things make it cheap, and change nothing but
rounding:

- Nothing of size N x M is made behind the block, and diffusion acts on K columns.
- B itself can be followed in place of W1 and b1: its gradient is (X X' + 1) dB, and weight decay
  and momentum act on B as they do on W1.
- The gradients of W2 have rank K. So W2 stays what it was at the start, times a number, plus a
  weighted sum of products U_s' R_s of the epochs s so far, with U = W3 and R = dA.
"""

import torch
from torch import Tensor
from torch.nn.functional import pad

from diffresnet.learning.tasks import BlockParameters, Initial, Schedule, Tasks

ALIGNMENT = 16
"""Products are fastest where rows begin at a multiple of this many numbers."""


def solve_reordered(tasks: Tasks, schedule: Schedule, initial: Initial) -> Tensor:
    """Return the logits (T, K, N) of every point after training, equal to `solve_by_descent`."""
    # One task at a time: all of its numbers stay in the processor's cache.
    mixing = _mixing_weights(schedule)
    with torch.no_grad():
        trained = [
            _Training(tasks[which : which + 1], schedule, mixing, initial(which)).run()
            for which in range(len(tasks.points))
        ]
    return torch.stack(trained)


def _mixing_weights(schedule: Schedule) -> Tensor:
    """Return what W2 is made of, (n_epochs + 1, n_epochs + 1), a row an epoch.

    The first column is the weight of the start, the column s + 1 that of the gradient of epoch s.
    """
    weights = torch.zeros(schedule.n_epochs + 1, dtype=torch.float64)
    weights[0] = 1
    velocity = torch.zeros_like(weights)
    rows = [weights.clone()]
    for epoch, rate in enumerate(schedule.rates()):
        velocity = schedule.momentum * velocity + schedule.weight_decay * weights
        velocity[epoch + 1] += 1
        weights = weights - rate * velocity
        rows.append(weights)
    return torch.stack(rows)


class _Training:
    """The state of training one task. Matrices of K columns are kept as K rows: faster products."""

    def __init__(
        self, task: Tasks, schedule: Schedule, mixing: Tensor, start: BlockParameters
    ) -> None:
        self.task, self.schedule = task, schedule
        points, n_classes = task.points[0], task.n_classes
        start = BlockParameters(*(tensor.to(points) for tensor in start))
        n_points, self.n_features = points.shape
        width = (self.n_features // ALIGNMENT + 1) * ALIGNMENT
        self.points = self._widen(points, points.new_ones(n_points), width)
        self.classifier = self._widen(start.classifier_weight, start.classifier_bias, width)
        self.classifier_velocity = torch.zeros_like(self.classifier)
        self.hidden = torch.addmm(start.fc1_bias, points, start.fc1_weight.mT)
        self.hidden_velocity = torch.zeros_like(self.hidden)
        self.hidden_gram = task.gram[0] + 1
        self.active, self.errors = self.points.clone(), torch.empty_like(self.hidden)
        # W2 and b2 at the start, and the factors of the gradients since then.
        inner = self._widen(start.fc2_weight, start.fc2_bias, width)
        self.inner = pad(inner, (0, 0, 0, width - self.n_features))
        self.lefts = points.new_zeros(schedule.n_epochs * n_classes, width)
        self.rights = torch.empty_like(self.lefts)
        self.starts = mixing[:, 0].tolist()
        self.mixing = mixing[:, 1:].to(points).repeat_interleave(n_classes, dim=1)
        self.propagator = None if task.propagator is None else task.propagator[0]

    def _widen(self, matrix: Tensor, column: Tensor, width: int) -> Tensor:
        """Add a column, and columns of zeros up to `width`."""
        return pad(torch.column_stack([matrix, column]), (0, width - self.n_features - 1))

    def run(self) -> Tensor:
        """Train, and return the logits (K, N)."""
        for epoch, rate in enumerate(self.schedule.rates()):
            self._step(epoch, rate)
        return self._logits(self._compose(self.schedule.n_epochs))

    def _compose(self, epoch: int) -> Tensor:
        """Return A = W3 W2, with W3 b2 as a column."""
        past = epoch * self.task.n_classes
        alike = (self.classifier @ self.lefts[:past].mT).mul_(self.mixing[epoch, :past])
        start = self.classifier @ self.inner
        return start.addmm_(alike, self.rights[:past], beta=self.starts[epoch])

    def _logits(self, composed: Tensor) -> Tensor:
        torch.clamp_min(self.hidden, 0, out=self.active[:, : self.n_features])
        scores = self.classifier @ self.points.mT
        scores.addmm_(composed, self.active.mT)
        # The rows of P sum to 1, so that what is the same for all points passes through it.
        return scores if self.propagator is None else scores @ self.propagator

    def _spread(self, errors: Tensor) -> Tensor:
        """Return P times the errors, which are those of the first points, or of all."""
        if self.propagator is not None:
            return errors @ self.propagator[: errors.shape[1]]  # P is symmetric
        return pad(errors, (0, len(self.points) - errors.shape[1]))

    def _step(self, epoch: int, rate: float) -> None:
        n_features, past = self.n_features, epoch * self.task.n_classes
        composed = self._compose(epoch)
        logits = self._logits(composed)
        spread = self._spread(self.task.loss_gradient(logits.unsqueeze(0))[0])
        right = spread @ self.active
        alike = (right @ self.rights[:past].mT).mul_(self.mixing[epoch, :past])
        gradient = right @ self.inner.mT
        gradient.addmm_(alike, self.lefts[:past], beta=self.starts[epoch])
        gradient.addmm_(spread, self.points)
        torch.mm(spread.mT, composed[:, :n_features], out=self.errors)
        torch.ops.aten.threshold_backward.grad_input(
            self.errors, self.active[:, :n_features], 0, grad_input=self.errors
        )
        self.lefts[past : past + self.task.n_classes, :n_features] = self.classifier[:, :n_features]
        self.rights[past : past + self.task.n_classes] = right
        decay, momentum = self.schedule.weight_decay, self.schedule.momentum
        self.hidden_velocity.addmm_(self.hidden_gram, self.errors, beta=momentum)
        self.hidden_velocity.add_(self.hidden, alpha=decay)
        self.hidden.add_(self.hidden_velocity, alpha=-rate)
        self.classifier_velocity.mul_(momentum).add_(gradient).add_(self.classifier, alpha=decay)
        self.classifier.add_(self.classifier_velocity, alpha=-rate)
