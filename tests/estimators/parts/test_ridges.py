from dataclasses import replace

import torch

from diffresnet.estimators.parts.ridges import fit_ridges
from diffresnet.learning.labels import Labels
from tests.estimators.examples import clusters, fitted


def test_three_parts_with_features_and_one_without() -> None:
    given, codes = clusters()
    points, classes = fitted(given), torch.from_numpy(codes)
    rows = torch.cat([40 * one + torch.arange(4) for one in range(3)])
    labels = Labels(rows, classes[rows], 3)
    alone = replace(points, space=None, points=None, lengths=None)
    for known, n_parts in ((points, 3), (alone, 1)):
        parts, _ = fit_ridges(known, labels, 0.5, torch.Generator().manual_seed(0))
        assert len(parts) == n_parts
        for part in parts:
            assert bool((part.score(known.places).argmax(dim=1) == classes).all())
            assert bool((part.held_out.argmax(dim=1) == classes[rows]).all())
