"""A plan that takes a moment: easy graphs under the names of citation graphs."""

from pathlib import Path

from diffresnet.nodes.splits import SplitProtocol
from diffresnet.paper.nodes.plan import NodePlan
from tests.nodes.examples import clusters


def small_node_plan(runs: Path | None = None) -> NodePlan:
    """Return a plan of two graphs and two splits."""
    graphs = {"cora": clusters(), "pubmed": clusters(seed=1)}
    return NodePlan(graphs, SplitProtocol(5, 5, n_splits=2, n_inits=1), runs=runs)
