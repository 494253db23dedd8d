"""How much faster is training on a citation graph than its plain formulation, and what memory?

The plain formulation is what one writes down first: a dense FC1, the sparse Laplacian made again in
every step, torch's dropout before each diffusion step, and an evaluation that diffuses features.
"""

import multiprocessing
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, dropout

from diffresnet.nn.node_diff_resnet import NodeDiffResNet
from diffresnet.nodes.citation import find_citation_graph
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.kernel_method import KernelDiffResNet
from diffresnet.nodes.splits import SplitProtocol
from diffresnet.nodes.standardization import standardize
from diffresnet.paper.settings import NODE_SETTINGS
from timing import set_threads, take_turns, write_results


class PlainNetwork(nn.Module):
    """x + relu(FC1 x), r times {dropout, diffusion}, FC3, as it is written in the paper."""

    def __init__(self, graph: NodeGraph, name: str) -> None:
        super().__init__()
        settings, n_features = NODE_SETTINGS[name], graph.features.shape[1]
        self.step_size, self.n_steps = settings.step_size, settings.n_steps
        self.dropout = settings.dropout
        self.first = nn.Linear(n_features, n_features)
        self.last = nn.Linear(n_features, graph.n_classes)
        self.x = torch.from_numpy(graph.features.toarray())
        links = graph.adjacency.tocoo()
        loops = np.arange(graph.n_nodes)
        rows, columns = np.concatenate([links.row, loops]), np.concatenate([links.col, loops])
        roots = np.bincount(rows).astype(np.float32) ** -0.5
        self.index = torch.from_numpy(np.stack([rows, columns]).astype(np.int64))
        self.weights = torch.from_numpy(roots[rows] * roots[columns])

    def laplacian(self) -> Tensor:
        """Return Lambda - W as a sparse matrix."""
        n_nodes = len(self.x)
        degrees = torch.zeros(n_nodes).index_add(0, self.index[0], self.weights)
        diagonal = torch.arange(n_nodes).expand(2, -1)
        index = torch.cat([self.index, diagonal], dim=1)
        values = torch.cat([-self.weights, degrees])
        return torch.sparse_coo_tensor(
            index, values, (n_nodes, n_nodes), check_invariants=False
        ).coalesce()

    def forward(self) -> Tensor:
        """Return the logits of all nodes."""
        h = self.x + self.first(self.x).relu()
        for _ in range(self.n_steps):
            h = dropout(h, self.dropout, self.training)
            h = h - self.step_size * (self.laplacian() @ h)
        return self.last(h)


def load(name: str) -> NodeGraph:
    """Return a citation graph, standardized."""
    return standardize(NodeGraph.from_file(find_citation_graph(name)))


def make_fast(graph: NodeGraph, name: str) -> NodeDiffResNet:
    """Return our network."""
    settings = NODE_SETTINGS[name]
    return NodeDiffResNet(
        graph.features,
        graph.n_classes,
        graph.operator,
        step_size=settings.step_size,
        n_steps=settings.n_steps,
        dropout=settings.dropout,
    )


def against_plain(name: str, n_rounds: int) -> list[dict[str, Any]]:
    """Time a training step and an evaluation of both formulations, in turns."""
    graph = load(name)
    labels = torch.from_numpy(graph.labels)
    train = torch.from_numpy(next(SplitProtocol().splits(graph)).train)
    plain, fast = PlainNetwork(graph, name), make_fast(graph, name)
    optimizers: dict[nn.Module, torch.optim.Optimizer] = {
        one: torch.optim.Adam(one.parameters(), lr=0.01, weight_decay=5e-4, fused=fused)
        for one, fused in ((plain, False), (fast, True))
    }
    random = np.random.Generator(np.random.SFC64(0))

    def step(model: nn.Module, scores: Tensor) -> None:
        optimizers[model].zero_grad()
        cross_entropy(scores[train], labels[train]).backward()
        optimizers[model].step()

    def evaluate_plain() -> Tensor:
        with torch.no_grad():
            return plain.eval()()

    hidden = fast.hidden().detach()

    def evaluate_fast() -> Tensor:
        with torch.no_grad():
            return fast.test_scores(hidden)  # training makes the first part of the network

    steps = take_turns(
        {
            "plain": lambda: step(plain, plain.train()()),
            "diffresnet": lambda: step(fast, fast.train_scores(fast.hidden(), random)),
        },
        n_rounds,
    )
    evaluations = take_turns({"plain": evaluate_plain, "diffresnet": evaluate_fast}, n_rounds)
    alone = take_turns({"plain": evaluate_plain, "diffresnet": fast}, n_rounds)
    return [
        {
            "question": f"{what} on {name} against the plain formulation",
            "threads": torch.get_num_threads(),
            "times_faster": times["plain"]["median_seconds"]
            / times["diffresnet"]["median_seconds"],
            "times": times,
        }
        for what, times in (
            ("a training step", steps),
            ("an evaluation between two training steps", evaluations),
            ("an evaluation by itself", alone),
        )
    ]


def peak_memory(name: str) -> float:
    """Return the megabytes of this process after three training steps."""
    set_threads(1)
    graph = load(name)
    network = make_fast(graph, name)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01, fused=True)
    random = np.random.Generator(np.random.SFC64(0))
    for _ in range(3):
        optimizer.zero_grad()
        network.train_scores(network.hidden(), random).square().mean().backward()
        optimizer.step()
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def kernel_memory(name: str) -> float:
    """Return the megabytes of this process after one split by the kernel."""
    set_threads(1)
    graph = load(name)
    split = next(SplitProtocol().splits(graph))
    KernelDiffResNet().prepare(graph)(split, 0)
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def main() -> None:
    """Run everything with one thread."""
    set_threads(1)
    results = against_plain("cora", 7)
    for what, measure in (("training", peak_memory), ("the kernel", kernel_memory)):
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            megabytes = pool.apply(measure, ("pubmed",))
        results.append({"question": f"memory of {what} on pubmed, in all", "megabytes": megabytes})
    write_results("node_training", "python benchmarks/node_training.py", results)


if __name__ == "__main__":
    main()
