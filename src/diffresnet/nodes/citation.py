"""The citation graphs of the paper's experiments (Section 5.2)."""

from pathlib import Path

from diffresnet._support.checks import check_choice
from diffresnet.datasets.download import download
from diffresnet.datasets.files import find_given_file
from diffresnet.nodes.graph import NodeGraph

SOURCE = "https://github.com/shchur/gnn-benchmark/raw/master/data/npz/"
"""Of Shchur and others, Pitfalls of Graph Neural Network Evaluation (MIT licence)."""

CHECKSUMS = {
    "cora": "068e22d90c3849b4057dfb05851741428992af058efcd4e7ebb4186f3d581de2",
    "citeseer": "280278b21b434c047922e8389518861416fb3ad39389c27865ff0e6bbb0aaab7",
    "pubmed": "759ea377aca8009defb40837be186d6752d4cca421f336fc13eeb7f1f07e82b3",
}
SIZES = {
    "cora": (2485, 5069, 1433),
    "citeseer": (2110, 3668, 3703),
    "pubmed": (19717, 44324, 500),
}
"""Nodes, links and features of each, standardized."""


def find_citation_graph(name: str) -> Path:
    """Return the file of a graph: in `DIFFRESNET_DATA`, in the cache, or downloaded to there.

    Whatever is in the cache is compared with a checksum; `DIFFRESNET_DATA` is the user's word.

    Args:
        name: ``"cora"``, ``"citeseer"`` or ``"pubmed"``.

    Raises:
        ValueError: if it has another name.
        OSError: if it is nowhere and cannot be downloaded.
    """
    check_choice("find_citation_graph", "name", name, tuple(CHECKSUMS))
    place = f"graphs/{name}.npz"
    return find_given_file(place) or download(f"{SOURCE}{name}.npz", place, CHECKSUMS[name])


def recognize(graph: NodeGraph) -> str | None:
    """Return which of the citation graphs a standardized graph is, by its sizes."""
    found = graph.n_nodes, graph.n_links, graph.features.shape[1]
    return next((name for name, sizes in SIZES.items() if sizes == found), None)
