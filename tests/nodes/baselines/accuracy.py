"""How well a method does on an easy graph, soon."""

from diffresnet.nodes.method import NodeMethod
from diffresnet.nodes.protocol import run_protocol
from diffresnet.nodes.splits import SplitProtocol
from diffresnet.nodes.training import NodeSchedule
from tests.nodes.examples import clusters

SHORT = NodeSchedule(n_epochs=60)


def accuracy_of(method: NodeMethod) -> float:
    """Return the accuracy on one split of three clusters."""
    return run_protocol(clusters(), method, SplitProtocol(5, 5, n_splits=1, n_inits=1)).mean
