from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from diffresnet.cluster.learner import Gaussian, Scorer, Seen, learn
from diffresnet.learning.labels import Labels


def make_seen(n_labeled: int) -> tuple[Seen, torch.Tensor]:
    """Return three clear clusters, of which the first rows have a label each."""
    generator = torch.Generator().manual_seed(0)
    classes = torch.arange(150) % 3
    centers = torch.eye(3)[:, :3]
    points = centers[classes] + 0.15 * torch.randn(150, 3, generator=generator)
    modes = centers[classes] / 7 + 0.01 * torch.randn(150, 3, generator=generator)
    columns = torch.exp(-torch.cdist(points, points[:n_labeled]).square())
    labels = Labels(torch.arange(n_labeled), classes[:n_labeled], 3)
    rates = torch.tensor([0.0, 0.01, 0.02])
    return Seen(labels, modes, points, columns, rates, modes.mean(dim=0)), classes


def answer(scorer: Scorer, seen: Seen, components: Any) -> Any:
    spread = (seen.columns.double() @ scorer.spread).numpy()
    return scorer.answer(seen.modes.numpy(), seen.points.numpy(), spread, components)


@pytest.mark.parametrize("n_labeled", [3, 12, 60])
def test_clear_clusters_are_found(n_labeled: int) -> None:
    seen, classes = make_seen(n_labeled)
    scorer = replace(learn(seen, 0), components=np.array([4]))
    found = answer(scorer, seen, np.full(150, 4))
    assert (found[:, 0] == classes.numpy()).all()
    assert ((found[:, 1] > 1 / 3) & (found[:, 1] <= 1)).all()
    assert (found[:, 2] <= found[:, 1]).all()
    assert (found[:, 3] == 1).all()
    unreached = answer(scorer, seen, np.full(150, 5))
    np.testing.assert_allclose(unreached[:, 1:], np.tile([1 / 3, 0, 0], (150, 1)), atol=1e-12)


def test_the_kernel_is_centered_by_its_references() -> None:
    points = torch.randn(20, 3, generator=torch.Generator().manual_seed(0))
    kernel = Gaussian(points[:5], points, 0.7).rows(points)
    apart = torch.cdist(points.double(), points.double()).square()
    plain = (-0.7 * apart).exp()
    center = torch.eye(20).double() - 1 / 20
    torch.testing.assert_close(kernel, (center @ plain @ center)[:, :5])
