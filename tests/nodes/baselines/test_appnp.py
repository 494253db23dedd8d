from diffresnet.nodes.baselines.appnp import Appnp
from diffresnet.nodes.training import NodeSchedule
from tests.nodes.baselines.accuracy import accuracy_of


def test_learns() -> None:
    assert (
        accuracy_of(Appnp(dropout=0.2, schedule=NodeSchedule(learning_rate=0.05, n_epochs=100)))
        > 0.6
    )
