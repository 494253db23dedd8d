import pytest
import torch

from diffresnet.estimators.points import Places
from diffresnet.estimators.solvers.solved_mixture import SolvedMixture
from diffresnet.learning.labels import Labels


class Fixed:
    """A part whose scores are given."""

    def __init__(self, name: str, scores: torch.Tensor) -> None:
        self.name, self.scores, self.held_out = name, scores, scores

    def score(self, places: Places) -> torch.Tensor:
        return places.read(self.scores)


LEFT = torch.tensor([[2.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
RIGHT = torch.tensor([[0.0, 4.0], [4.0, 0.0], [0.0, 0.0]])
PARTS = (Fixed("left", LEFT), Fixed("right", RIGHT))
BIASES = torch.tensor([0.5, -0.5]).double()


def mixture() -> SolvedMixture:
    return SolvedMixture.of(PARTS, (1.0, 0.25), BIASES, spreads=(1.0, 2.0))


def test_scores_are_weighted_sums() -> None:
    expected = LEFT + 0.25 * RIGHT + BIASES.float()
    assert torch.allclose(mixture().score(Places(None)), expected)


def test_influences_sum_to_one_and_are_said() -> None:
    assert sum(mixture().influences) == pytest.approx(1)
    assert mixture().remarks == ("How much each way of learning decides: left 67%, right 33%.",)


def test_probabilities_of_held_out_labels() -> None:
    labels = Labels(torch.tensor([5, 7, 9]), torch.tensor([0, 1, 0]), 2)
    seen = torch.tensor([True, False, True])
    found = mixture().with_held_out(labels).held_out
    assert found is not None
    assert found.rows.tolist() == [5, 9]
    expected = (LEFT + 0.25 * RIGHT + BIASES)[seen].softmax(dim=1)
    assert torch.allclose(torch.from_numpy(found.probabilities), expected.double())
