import torch

from diffresnet.learning.calibration import match_prior


def test_mean_probabilities_are_the_prior() -> None:
    scores = torch.randn(500, 3, generator=torch.Generator().manual_seed(0)).double()
    prior = torch.tensor([0.7, 0.2, 0.1]).double()
    bias = match_prior(scores, prior)
    means = (scores + bias).softmax(dim=1).mean(dim=0)
    assert torch.allclose(means, prior, atol=1e-6)
