import numpy as np
import pytest
import torch
from torch import Tensor

from diffresnet.nodes.class_shares import SharesAdapted, adapt_to_shares
from diffresnet.nodes.kernel_method import KernelDiffResNet
from diffresnet.nodes.protocol import run_protocol
from diffresnet.nodes.splits import SplitProtocol
from tests.nodes.examples import clusters

SHARES = (0.8, 0.15, 0.05)
CENTERS = 1.5 * np.eye(3)


def points(random: np.random.Generator, labels: np.ndarray) -> Tensor:
    """Return the logits, right for even classes, of points around the center of their class."""
    drawn = CENTERS[labels] + random.normal(size=(len(labels), 3))
    return torch.from_numpy(drawn @ CENTERS.T)  # all centers are equally far from 0


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_as_good_as_with_the_true_shares(scale: float) -> None:
    random = np.random.default_rng(0)
    even = np.repeat([0, 1, 2], 100)
    uneven = random.choice(3, 20_000, p=SHARES)
    labels = torch.from_numpy(np.concatenate([even, uneven]))
    scores, validation = points(random, labels.numpy()), torch.arange(300)
    found = adapt_to_shares(scale * scores, validation, labels[validation])
    assert torch.allclose(found.exp().sum(dim=1), torch.ones(len(labels)).double())
    shares = found.exp().mean(dim=0)
    assert torch.allclose(shares, torch.tensor(SHARES).double(), atol=0.05)
    best = scores + torch.tensor(SHARES).log()
    plain, adapted, ideal = (
        float((one.argmax(dim=1) == labels)[300:].double().mean()) for one in (scores, found, best)
    )
    assert plain + 0.03 < adapted
    assert adapted > ideal - 0.005


def test_uneven_validation_nodes_of_the_same_shares_change_little() -> None:
    random = np.random.default_rng(1)
    labels = torch.from_numpy(random.choice(3, 20_000, p=SHARES))
    scores = points(random, labels.numpy()) + torch.tensor(SHARES).log()
    validation = torch.arange(2000)
    found = adapt_to_shares(scores, validation, labels[validation])
    same = found.argmax(dim=1) == scores.argmax(dim=1)
    assert float(same.double().mean()) > 0.98


def test_few_validation_nodes() -> None:
    scores = torch.eye(3).repeat(10, 1)
    labels = torch.arange(3).repeat(10)
    for seen in ([0, 1, 2], [0, 1], [0]):  # all of them right; classes without any
        found = adapt_to_shares(scores, torch.tensor(seen), labels[seen])
        assert bool(found.isfinite().all())
        assert torch.equal(found.argmax(dim=1), labels)
    found = adapt_to_shares(torch.zeros(4, 2), torch.tensor([0]), torch.tensor([1]))
    assert bool(found.isfinite().all())  # scores that say nothing
    with pytest.raises(ValueError, match="adapt_to_shares: `validation` must be of some nodes"):
        adapt_to_shares(scores, torch.tensor([], dtype=torch.long), labels[:0])


def test_a_method_with_shares_adapted() -> None:
    graph, protocol = clusters(), SplitProtocol(5, 5, n_splits=2, n_inits=3)
    method = SharesAdapted(KernelDiffResNet())
    result = run_protocol(graph, method, protocol, show_progress=False)
    assert result.method == "Diff-ResNet, kernel, shares adapted"
    assert len(result.runs) == 2
    assert result.mean > 0.9
