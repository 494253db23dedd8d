"""The graphs and splits that a node table or figure is computed on."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from diffresnet.measuring.runs import file_of
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.method import NodeMethod
from diffresnet.nodes.protocol import NodeResult, identify, run_protocol
from diffresnet.nodes.splits import GivenSplit, Protocol
from diffresnet.paper.published import PAPER

SOURCE = f"{PAPER} (Section 5.2)"


@dataclass(frozen=True)
class NodePlan:
    """Standardized graphs by name, their splits, and a folder that keeps runs to go on from."""

    graphs: Mapping[str, NodeGraph]
    protocol: Protocol
    n_jobs: int = 1
    runs: Path | None = None

    def run(self, name: str, method: NodeMethod) -> NodeResult:
        """Run a method on the graph of that name; other settings have another file of runs."""
        graph = self.graphs[name]
        resume = None
        if self.runs is not None:
            words = method.name.lower().replace(",", "").replace(" ", "-")
            resume = file_of(self.runs, f"{name}-{words}", identify(graph, method, self.protocol))
        return run_protocol(graph, method, self.protocol, resume=resume, n_jobs=self.n_jobs)

    def command(self, figure: str, *options: str) -> str:
        """Return the command that computes a table or figure on these splits."""
        graphs = f"--out {figure} --graphs {','.join(self.graphs)}"
        counts = f"--inits {self.protocol.n_inits}"
        if not isinstance(self.protocol, GivenSplit):
            counts = f"--splits {self.protocol.n_splits} {counts}"
        return " ".join(["diffresnet reproduce", figure, graphs, counts, *options])

    def describe(self) -> str:
        """Return sentences about the graphs and the splits."""
        graphs = "; ".join(
            f"{name.capitalize()}: {graph.n_nodes:,} nodes, {graph.n_links:,} links, "
            f"{graph.features.shape[1]:,} features, {graph.n_classes} classes"
            for name, graph in self.graphs.items()
        )
        return (
            f"{graphs}. Each is made undirected and binary, and only its largest component is "
            f"kept; features are made binary and divided by their sum. Protocol: {self.protocol}; "
            "all other nodes are tested."
        )
