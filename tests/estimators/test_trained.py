import torch

from diffresnet import DiffusionOperator, build_weights
from diffresnet.estimators.trained import train_network
from diffresnet.learning.labels import Labels
from tests.estimators.examples import clusters


def test_network_learns_and_leaves_randomness_alone() -> None:
    given, classes = clusters()
    points = torch.from_numpy(given).float()
    operator = DiffusionOperator(build_weights(points, 8))
    labels = Labels(torch.tensor([0, 40, 80]), torch.tensor([0, 1, 2]), 3)
    before = torch.random.get_rng_state()
    found = [
        train_network(
            points,
            operator,
            labels,
            step_size=0.5,
            n_steps=5,
            generator=torch.Generator().manual_seed(0),
        )
        for _ in range(2)
    ]
    assert torch.equal(found[0], found[1])
    assert torch.equal(torch.random.get_rng_state(), before)
    assert (found[0].argmax(dim=1).numpy() == classes).all()
