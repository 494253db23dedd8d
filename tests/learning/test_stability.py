import torch

from diffresnet.learning.directions import find_directions
from diffresnet.learning.prototype_settings import PrototypeSettings
from diffresnet.learning.stability import measure_stability
from tests.estimators.parts.examples import labels, view


def test_stability_of_clusters_and_of_noise() -> None:
    generator = torch.Generator().manual_seed(0)
    settings = PrototypeSettings()
    found: list[float] = []
    for noise in (0.1, 5.0):
        seen = view(noise)
        points = view(noise).points
        (directions,) = find_directions(seen, [labels(1)], points, settings)
        found.append(measure_stability(points, directions, generator, settings, n_restarts=4))
    assert found[0] > 0.99
    assert found[1] < 0.9
