"""Distillation in closed form: a student learns the answer for all nodes from their features."""

import torch
from torch import Tensor

RIDGE = 3e-3
"""Of the student, times the number of nodes."""


class Student:
    """Ridge regression of probabilities of all nodes on points, the mean over several channels.

    For points z (N, d) and probabilities T with the mean m, z (z'z + ridge N I)^-1 z' (T - m) + m.
    Labels are few, nodes are many: what the answer has in common with features of nodes stays, what
    it has not is left out (Yang and others, *Extract the Knowledge of Graph Neural Networks and Go
    Beyond it*, distill into networks).

    Args:
        channels: the points (N, d) of each channel.
        ridge: times the number of nodes.

    Examples:
        A node that is like two others is taught what the two are.

        >>> points = torch.tensor([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
        >>> taught = Student([points]).learn(torch.eye(2)[[0, 0, 1, 1]])
        >>> taught[2].argmax()
        tensor(0)
    """

    def __init__(self, channels: list[Tensor], ridge: float = RIDGE) -> None:
        self.factors = [_factors(points, ridge * len(points)) for points in channels]

    def learn(self, probabilities: Tensor) -> Tensor:
        """Return what the student says, (N, K), rows of sum one, of a teacher's probabilities."""
        mean = probabilities.mean(dim=0)
        rest = probabilities - mean
        said = [basis @ (shrunk.mT @ rest) for basis, shrunk in self.factors]
        return torch.stack(said).mean(dim=0) + mean

    def mix(self, logs: Tensor, weight: float = 0.5) -> Tensor:
        """Return log-probabilities (N, K) of teacher and student together, none below 1e-6.

        Args:
            logs: (N, K) the teacher's.
            weight: of the student, at most 1.
        """
        probabilities = logs.exp()
        both = torch.lerp(probabilities, self.learn(probabilities), weight).clamp(min=1e-6)
        return (both / both.sum(dim=1, keepdim=True)).log()


def _factors(points: Tensor, ridge: float) -> tuple[Tensor, Tensor]:
    """Return B and C (N, r) with B C' = z (z'z + ridge I)^-1 z'."""
    if points.shape[0] < points.shape[1]:
        values, basis = torch.linalg.eigh((points @ points.mT).double())
        basis = basis.to(points)
    else:
        values, vectors = torch.linalg.eigh((points.mT @ points).double())
        large = values > 1e-6 * values.max().clamp(min=1e-30)
        values, vectors = values[large], vectors[:, large]
        basis = points @ (vectors / values.sqrt()).to(points)
    values = values.clamp(min=0)
    return basis, basis * (values / (values + ridge)).to(points)
