from diffresnet.nodes.baselines.tuned_gcn import TunedGcn
from diffresnet.nodes.training import NodeSchedule
from tests.nodes.baselines.accuracy import accuracy_of


def test_learns() -> None:
    method = TunedGcn(64, dropout=0.3, schedule=NodeSchedule(0.01, n_epochs=60))
    assert accuracy_of(method) > 0.85
    assert (TunedGcn().width, TunedGcn().n_layers, TunedGcn().name) == (512, 3, "GCN, tuned")
