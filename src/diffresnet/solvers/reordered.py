"""The trajectory of gradient descent, in another order of operations: far fewer of them.

With one residual block, logits = P (X W3' + H A') + b3, where H = relu(B), B = X W1' + b1, A = W3 W2
(a column more stands for b2). Three things make it cheap, and change nothing but rounding:

- Nothing of size N x M is made behind the block, and diffusion acts on K columns.
- B itself can be followed in place of W1 and b1: its gradient is (X X' + 1) dB, and weight decay
  and momentum act on B as they do on W1.
- The gradients of W2 have rank K. So W2 stays what it was at the start, times a number, minus a
  weighted sum of products U_s' R_s of the epochs s so far, with U = W3 and R = dA.
"""

import torch
from torch import Tensor

from diffresnet.solvers.tasks import BlockParameters, Initial, Schedule, Tasks

MEMORY = 2**22
"""How many numbers of the initial W2 of several tasks are worked on at a time."""


def solve_reordered(tasks: Tasks, schedule: Schedule, initial: Initial) -> Tensor:
    """Return the logits (T, N, K) of every point after training, equal to `solve_by_descent`.

    Args:
        tasks: what to learn.
        schedule: of gradient descent.
        initial: gives the parameters that the training of each task starts from.
    """
    n_tasks, _, n_features = tasks.points.shape
    n_together = max(1, MEMORY // n_features**2)
    logits: list[Tensor] = []
    with torch.no_grad():
        for start in range(0, n_tasks, n_together):
            some = tasks[start : start + n_together]
            parameters = [initial(start + which) for which in range(len(some.points))]
            stacked = (torch.stack(tensors).to(some.points) for tensors in zip(*parameters, strict=True))
            logits.append(_Training(some, schedule, BlockParameters(*stacked)).run())
    return torch.cat(logits)


class _Training:
    """The state of training, for tasks that are trained side by side."""

    def __init__(self, tasks: Tasks, schedule: Schedule, start: BlockParameters) -> None:
        self.tasks, self.schedule = tasks, schedule
        n_tasks, _, n_features = tasks.points.shape
        self.hidden = tasks.points @ start.fc1_weight.mT + start.fc1_bias.unsqueeze(1)
        self.hidden_velocity = torch.zeros_like(self.hidden)
        self.hidden_gram = tasks.gram + 1
        self.classifier = start.classifier_weight.clone()
        self.classifier_velocity = torch.zeros_like(self.classifier)
        self.bias = start.classifier_bias.unsqueeze(1)
        self.bias_velocity = torch.zeros_like(self.bias)
        # W2 with b2 as its last column: at the start, and the factors of its gradients.
        self.inner = torch.cat([start.fc2_weight, start.fc2_bias.unsqueeze(-1)], dim=-1)
        n_rows = schedule.n_epochs * tasks.n_classes
        self.lefts = tasks.points.new_empty(n_tasks, n_rows, n_features)
        self.rights = tasks.points.new_empty(n_tasks, n_rows, n_features + 1)
        # What W2 and its velocity are made of: the start first, then the gradient of every epoch.
        self.shares = tasks.points.new_zeros(schedule.n_epochs + 1)
        self.shares[0] = 1
        self.share_velocities = torch.zeros_like(self.shares)

    def run(self) -> Tensor:
        """Train, and return the logits."""
        for epoch, rate in enumerate(self.schedule.rates()):
            self._step(epoch, rate)
        return self._logits(self._compose(self.schedule.n_epochs), self.hidden.relu())

    def _compose(self, epoch: int) -> Tensor:
        """Return A = W3 [W2 b2]."""
        whole = self.shares[0] * (self.classifier @ self.inner)
        if epoch > 0:
            past = slice(0, epoch * self.tasks.n_classes)
            alike = (self.classifier @ self.lefts[:, past].mT) * self._past_shares(epoch)
            whole.baddbmm_(alike, self.rights[:, past])
        return whole

    def _past_shares(self, epoch: int) -> Tensor:
        return self.shares[1 : epoch + 1].repeat_interleave(self.tasks.n_classes)

    def _logits(self, composed: Tensor, active: Tensor) -> Tensor:
        scores = self.tasks.points @ self.classifier.mT
        scores.baddbmm_(active, composed[..., :-1].mT)
        # The rows of P sum to 1, so that what is the same for all points passes through it.
        return self.tasks.diffuse(scores) + composed[..., -1].unsqueeze(1) + self.bias

    def _step(self, epoch: int, rate: float) -> None:
        tasks = self.tasks
        composed = self._compose(epoch)
        active = self.hidden.relu()
        errors = tasks.loss_gradient(self._logits(composed, active))
        if not tasks.sees_unlabeled:
            whole = errors.new_zeros(*tasks.points.shape[:2], tasks.n_classes)
            whole[:, : tasks.n_labeled] = errors
            errors = whole
        bias_gradient = errors.sum(dim=1, keepdim=True)
        spread = tasks.diffuse(errors)  # P is symmetric
        right = torch.cat([spread.mT @ active, bias_gradient.mT], dim=-1)
        left = self.classifier.clone()
        classifier_gradient = spread.mT @ tasks.points + self.shares[0] * (right @ self.inner.mT)
        if epoch > 0:
            past = slice(0, epoch * tasks.n_classes)
            alike = (right @ self.rights[:, past].mT) * self._past_shares(epoch)
            classifier_gradient.baddbmm_(alike, self.lefts[:, past])
        hidden_errors = torch.ops.aten.threshold_backward(spread @ composed[..., :-1], active, 0)
        decay, momentum = self.schedule.weight_decay, self.schedule.momentum
        self.hidden_velocity.baddbmm_(self.hidden_gram, hidden_errors, beta=momentum)
        self.hidden_velocity.add_(self.hidden, alpha=decay)
        self.hidden.add_(self.hidden_velocity, alpha=-rate)
        for value, velocity, gradient in (
            (self.classifier, self.classifier_velocity, classifier_gradient),
            (self.bias, self.bias_velocity, bias_gradient),
        ):
            velocity.mul_(momentum).add_(gradient).add_(value, alpha=decay)
            value.add_(velocity, alpha=-rate)
        self._keep(epoch, left, right, rate)

    def _keep(self, epoch: int, left: Tensor, right: Tensor, rate: float) -> None:
        """Take the step of W2: keep the factors of its gradient, and change the shares."""
        rows = slice(epoch * self.tasks.n_classes, (epoch + 1) * self.tasks.n_classes)
        self.lefts[:, rows], self.rights[:, rows] = left, right
        gradient = torch.zeros_like(self.shares)
        gradient[epoch + 1] = 1
        gradient.add_(self.shares, alpha=self.schedule.weight_decay)
        self.share_velocities.mul_(self.schedule.momentum).add_(gradient)
        self.shares.add_(self.share_velocities, alpha=-rate)
