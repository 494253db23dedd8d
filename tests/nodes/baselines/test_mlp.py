from diffresnet.nodes.baselines.mlp import Mlp
from tests.nodes.baselines.accuracy import SHORT, accuracy_of


def test_learns() -> None:
    assert accuracy_of(Mlp(schedule=SHORT)) > 0.4
