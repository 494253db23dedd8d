from dataclasses import replace

import torch

from diffresnet.learning.directions import find_directions
from diffresnet.learning.prototype_settings import PrototypeSettings
from tests.estimators.parts.examples import CLASSES, labels, view

SETTINGS = PrototypeSettings()


def test_classes_are_found() -> None:
    seen = view(0.1)
    (found,) = find_directions(seen, [labels(5)], seen.points, SETTINGS)
    assert torch.equal(found.score(seen.points).argmax(dim=1), CLASSES)
    assert torch.allclose(found.refined.norm(dim=1), torch.ones(3))


def test_means_are_nearest_by_distance() -> None:
    seen, own = view(0.1), labels(5)
    settings = replace(SETTINGS, refined_weight=0.0)
    (found,) = find_directions(seen, [own], seen.points, settings, sharper=2.0)
    for one in range(3):
        mean = seen.points[own.rows[own.classes == one]].mean(dim=0)
        distances = (seen.points - mean).square().sum(dim=1)
        # Points have length one: |x - m|^2 = 1 - 2 nearness.
        nearness = found.score(seen.points)[:, one] / (2 * SETTINGS.sharpness)
        assert torch.allclose(distances, 1 - 2 * nearness, atol=1e-5)


def test_fitted_points_are_scored_as_points_on_the_sphere() -> None:
    seen = view(0.1)
    (found,) = find_directions(seen, [labels(5)], seen.points, SETTINGS)
    scores = found.score_fitted(seen, seen.raw, seen.lengths)
    assert torch.allclose(scores, found.score(seen.points), atol=1e-4)
