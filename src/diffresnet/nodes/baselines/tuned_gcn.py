"""GCN with the settings of *Classic GNNs are Strong Baselines*."""

from dataclasses import dataclass

from diffresnet.nodes.baselines.convolution import Convolution
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.method import Solve
from diffresnet.nodes.training import NodeSchedule

SCHEDULE = NodeSchedule(0.001, 5e-4, n_epochs=500, patience=500)


@dataclass(frozen=True)
class TunedGcn:
    """Wider, deeper and trained longer, with the settings of Luo and others (2024) for Cora.

    They have others for other graphs. Two things are not theirs: weight decay is that of the first
    layer alone, and the epoch that is kept is the best by loss or accuracy of validation nodes.

    Attributes:
        width: of the hidden layers.
        n_layers: at least 2.
        dropout: before each layer.
        schedule: of training.
    """

    width: int = 512
    n_layers: int = 3
    dropout: float = 0.7
    schedule: NodeSchedule = SCHEDULE

    name = "GCN, tuned"
    is_random = True

    def prepare(self, graph: NodeGraph) -> Solve:
        """Take the features and the links."""
        settings = self.width, self.n_layers, self.dropout, self.schedule
        return Convolution("gcn", *settings).prepare(graph)
