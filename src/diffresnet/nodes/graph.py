"""A graph whose nodes have features, and of which some have labels."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from scipy import sparse

from diffresnet._support.checks import fail
from diffresnet._support.extras import needs_extra
from diffresnet._support.sparse_checks import check_parts, check_sparse
from diffresnet.diffusion.operator import DiffusionOperator
from diffresnet.files.arrays import read_arrays
from diffresnet.graph.weights import graph_weights
from diffresnet.learning.labels import UNLABELED, encode_labels, name_classes
from diffresnet.nodes.masks import MASKS, SPLIT_PARTS, encode_split, masks_in


@dataclass(frozen=True, eq=False)
class NodeGraph:
    """Nodes, links and features; make it with one of the `from_...` functions, which check it.

    Two graphs are equal if all their numbers are.

    Attributes:
        adjacency: (N, N) sparse, non-negative weights of links.
        features: (N, F) sparse.
        labels: (N,) the class of each node as a number, -1 where there is none.
        class_names: the name of each class.
        given_split: (N,) the number in `SPLIT_PARTS` of the part that each node belongs to, -1 for
            none; (G, N) for several splits; None if the data come without one.
    """

    adjacency: sparse.csr_array
    features: sparse.csr_array
    labels: npt.NDArray[np.int64]
    class_names: tuple[str, ...]
    given_split: npt.NDArray[np.int8] | None = None

    @property
    def n_nodes(self) -> int:
        """The number N of nodes."""
        return self.adjacency.shape[0]

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.class_names)

    @property
    def n_links(self) -> int:
        """The number of links: of an undirected graph each counts once."""
        return self.adjacency.nnz // 2

    @cached_property
    def digest(self) -> str:
        """A short name of the numbers of the graph."""
        parts = (self.adjacency, self.features)
        arrays = [array for part in parts for array in (part.indptr, part.indices, part.data)]
        words = f"{self.features.shape} {self.class_names}"
        split = np.empty(0) if self.given_split is None else self.given_split
        summed = sha256(words.encode())
        for array in (*arrays, self.labels, split):
            summed.update(np.ascontiguousarray(array).tobytes())
        return summed.hexdigest()[:16]

    def __getstate__(self) -> dict[str, Any]:
        # Other processes make the operator themselves: it is larger than the graph.
        return {name: value for name, value in vars(self).items() if name != "operator"}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NodeGraph) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    @cached_property
    def operator(self) -> DiffusionOperator:
        """Diffusion over W = D^-1/2 (A + I) D^-1/2, D the degrees of A + I, in float32."""
        return DiffusionOperator(graph_weights(self.adjacency)).to(torch.float32)

    @classmethod
    def from_arrays(
        cls,
        adjacency: Any,
        features: Any,
        labels: Any,
        class_names: Any = None,
        masks: Mapping[str, Any] | None = None,
    ) -> "NodeGraph":
        """Make a graph from matrices, dense or sparse.

        Args:
            adjacency: (N, N) weights of links.
            features: (N, F); None for nodes without features, which get the unit matrix.
            labels: (N,) of any type; -1, None, NaN or "" where there is no label.
            class_names: the name of each class, if `labels` are numbers from 0 up.
            masks: a split that comes with the data, such as that of Planetoid: (N,) booleans for
                each of `SPLIT_PARTS`; (G, N) or (N, G) for several splits.

        Raises:
            ValueError: if a matrix has another shape, or holds NaN, infinity or, in the
                adjacency, a negative number; if a node is in two parts of the split.

        Examples:
            >>> graph = NodeGraph.from_arrays([[0, 1], [1, 0]], [[1.0, 0.0], [0.0, 1.0]], [0, 1])
            >>> graph.n_nodes, graph.n_links, graph.class_names
            (2, 1, ('0', '1'))
        """
        function = "NodeGraph.from_arrays"
        links = _sparse(function, "adjacency", adjacency)
        n_nodes = links.shape[0]
        if links.ndim != 2 or links.shape[1] != n_nodes:
            remedy = "Pass one row and one column a node."
            fail(function, "adjacency", "square", f"shape {links.shape}", remedy)
        if links.nnz and links.data.min() < 0:
            remedy = "Weights say how strong a link is: use 0 for none."
            fail(function, "adjacency", "non-negative", links.data.min(), remedy)
        shown = sparse.eye_array(n_nodes, format="csr", dtype=np.float32)
        if features is not None:
            shown = _sparse(function, "features", features)
            if shown.ndim == 2 and shown.shape[1] == 0:
                remedy = "Pass None for nodes without features."
                fail(function, "features", "at least one a node", "none", remedy)
        if shown.shape[0] != n_nodes:
            got, remedy = f"{shown.shape[0]} rows", "Pass one row a node."
            fail(function, "features", f"of {n_nodes} nodes, as `adjacency`", got, remedy)
        encoded, classes = encode_labels(function, "labels", labels)
        names = None if class_names is None else np.ravel(class_names).tolist()
        if len(encoded) != n_nodes:
            got, remedy = f"{len(encoded)} labels", "Pass one a node, -1 where there is none."
            fail(function, "labels", f"of {n_nodes} nodes, as `adjacency`", got, remedy)
        split = encode_split(function, masks, n_nodes) if masks else None
        return cls(links, shown, encoded, name_classes(function, "labels", classes, names), split)

    def select(self, nodes: Any) -> "NodeGraph":
        """Return the graph of some nodes, as numbers or booleans, and of the links among them."""
        return NodeGraph(
            sparse.csr_array(self.adjacency[nodes][:, nodes]),
            sparse.csr_array(self.features[nodes]),
            self.labels[nodes],
            self.class_names,
            None if self.given_split is None else self.given_split[..., nodes],
        )

    def only(self, nodes: Any) -> "NodeGraph":
        """Return what `select` returns, without the classes that none of the nodes belongs to."""
        part = self.select(nodes)
        kept = np.unique(part.labels[part.labels >= 0])
        labels = np.where(part.labels >= 0, np.searchsorted(kept, part.labels), UNLABELED)
        names = tuple(self.class_names[one] for one in kept)
        return replace(part, labels=labels, class_names=names)

    @classmethod
    def from_file(cls, path: str | Path) -> "NodeGraph":
        """Read an `.npz` file with the CSR parts `adj_*` and `attr_*`, and `labels`.

        It may have the names of the classes, `class_names`, and a split, `SPLIT_PARTS`. Nothing in
        it is unpickled.

        Raises:
            ValueError: if it is no such file.
            FileNotFoundError: if there is none.
        """
        parts = read_arrays(Path(path), "NodeGraph.from_file: `path`", wanted=_is_wanted)
        try:
            matrices = [_from_parts(parts, name) for name in ("adj", "attr")]
            labels = parts["labels"]
        except (KeyError, ValueError, TypeError, IndexError, OverflowError) as error:
            must = (
                "an .npz file with adj_data, adj_indices, adj_indptr, adj_shape, attr_..., labels"
            )
            remedy = "Save the CSR parts of the adjacency and of the features under these names."
            return fail("NodeGraph.from_file", "path", must, f"{path} ({error})", remedy)
        masks = masks_in(parts)
        return cls.from_arrays(matrices[0], matrices[1], labels, parts.get("class_names"), masks)

    @classmethod
    def from_edges(
        cls,
        edges: Any,
        features: Any,
        labels: Any,
        *,
        weights: Any = None,
        class_names: Any = None,
        masks: Mapping[str, Any] | None = None,
    ) -> "NodeGraph":
        """Make a graph from a list of links.

        Args:
            edges: (E, 2) numbers of the nodes that are linked.
            features: (N, F), as for `from_arrays`.
            labels: (N,), as for `from_arrays`.
            weights: (E,) of the links; 1 if not given.
            class_names: as for `from_arrays`.
            masks: as for `from_arrays`.

        Raises:
            ValueError: as `from_arrays`; if a link names a node that is not there.
        """
        function, n_nodes = "NodeGraph.from_edges", len(np.asarray(labels, dtype=object))
        pairs = np.asarray(edges)
        if pairs.ndim != 2 or pairs.shape[1] != 2 or not np.issubdtype(pairs.dtype, np.integer):
            got = f"shape {pairs.shape} of {pairs.dtype}"
            fail(function, "edges", "integers of shape (E, 2)", got, "Pass two nodes a link.")
        wrong = (pairs < 0) | (pairs >= n_nodes)
        if wrong.any():
            must, got = f"numbers of nodes, 0 to {n_nodes - 1}", int(pairs[wrong][0])
            fail(function, "edges", must, got, "Number the nodes in the order of `labels`.")
        values = np.ones(len(pairs)) if weights is None else np.asarray(weights, dtype=float)
        if values.shape != (len(pairs),):
            must, got = f"of shape ({len(pairs)},), as there are links", f"shape {values.shape}"
            fail(function, "weights", must, got, "Pass one a link.")
        shape = (n_nodes, n_nodes)
        links = sparse.coo_array((values, (pairs[:, 0], pairs[:, 1])), shape=shape).tocsr()
        return cls.from_arrays(links, features, labels, class_names, masks)

    @classmethod
    def from_geometric(cls, data: Any) -> "NodeGraph":
        """Make a graph from PyTorch Geometric's `Data` with `edge_index`, `x`, `y` and masks."""
        for name in ("edge_index", "y"):
            if data.get(name) is None:
                remedy = "Add it, with -1 for missing labels."
                fail("NodeGraph.from_geometric", "data", f"with `{name}`", "none", remedy)
        names = ("edge_index", "y", "x", "edge_weight", *SPLIT_PARTS)
        given = {name: data.get(name) for name in names}
        for name, value in given.items():
            check_sparse(f"NodeGraph.from_geometric: `data.{name}`", value)
        arrays: dict[str, Any] = {
            name: (value.to_dense() if value.is_sparse else value).detach().cpu().numpy()
            for name, value in given.items()
            if value is not None
        }
        masks = {name: arrays[name] for name in SPLIT_PARTS if name in arrays}
        return cls.from_edges(
            arrays["edge_index"].T,
            arrays.get("x"),
            arrays["y"],
            weights=arrays.get("edge_weight"),
            masks=masks,
        )

    def to_geometric(self) -> Any:
        """Return PyTorch Geometric's `Data` of this graph; needs the extra `graphs`."""
        with needs_extra("NodeGraph.to_geometric", "graphs"):
            from torch_geometric.data import Data  # noqa: PLC0415
        links = self.adjacency.tocoo()
        index = torch.from_numpy(np.stack([links.row, links.col]).astype(np.int64))
        masks = {
            name: torch.from_numpy((self.given_split == place).T.copy())
            for place, name in enumerate(SPLIT_PARTS)
            if self.given_split is not None
        }
        return Data(
            x=torch.from_numpy(self.features.toarray()),
            edge_index=index,
            edge_weight=torch.from_numpy(links.data),
            y=torch.from_numpy(self.labels),
            **masks,
        )


def _sparse(function: str, argument: str, matrix: Any) -> sparse.csr_array:
    check_sparse(f"{function}: `{argument}`", matrix)
    try:
        with np.errstate(over="ignore"):  # what becomes infinite is refused below
            rows: Any = sparse.csr_array(matrix, dtype=np.float32)
    except (TypeError, ValueError) as error:
        remedy = "Pass an array of numbers, or a SciPy sparse matrix."
        return fail(function, argument, "a matrix", f"{type(matrix).__name__} ({error})", remedy)
    rows.sum_duplicates()
    if not np.isfinite(rows.data).all():
        bad = np.unique(rows.tocoo().row[~np.isfinite(rows.data)])
        got = f"NaN or more than 3e38 in {len(bad)} row(s): {', '.join(map(str, bad[:5]))}"
        fail(function, argument, "finite", got, "Remove these nodes, or fill in or scale values.")
    return rows


def _is_wanted(name: str) -> bool:
    """Tell whether an array is of use: others, such as names of attributes, may be pickled."""
    parts = name.startswith(("adj_", "attr_")) and name != "attr_names"
    return parts or name in ("labels", "class_names", *MASKS)


def _from_parts(parts: dict[str, Any], name: str) -> sparse.csr_array:
    data, indices, starts, shape = (
        parts[f"{name}_{part}"] for part in ("data", "indices", "indptr", "shape")
    )
    check_parts(f"{name}_data, {name}_indices and {name}_indptr", data, indices, starts, shape)
    n_rows, n_columns = (int(size) for size in shape)
    matrix = sparse.csr_array((data, indices, starts), shape=(n_rows, n_columns))
    check_sparse(f"{name}_indices and {name}_indptr", matrix)
    return matrix
