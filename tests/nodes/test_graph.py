import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from diffresnet.nodes.graph import NodeGraph

LINKS = np.array([[0, 1, 0], [1, 0, 2], [0, 2, 0]])


def test_parts_of_a_file(tmp_path: Path) -> None:
    links, words = sparse.csr_array(LINKS), sparse.csr_array(np.eye(3, 2))
    parts: dict[str, Any] = {"labels": np.array([1, 0, 1]), "class_names": np.array(["a", "b"])}
    for name, matrix in (("adj", links), ("attr", words)):
        parts |= {f"{name}_{part}": getattr(matrix, part) for part in ("data", "indices", "indptr")}
        parts[f"{name}_shape"] = np.array(matrix.shape)
    path = tmp_path / "graph.npz"
    np.savez(path, **parts)
    graph = NodeGraph.from_file(path)
    assert np.array_equal(graph.adjacency.toarray(), LINKS)
    assert graph.features.shape == (3, 2)
    assert graph.class_names == ("a", "b")
    assert graph.labels.tolist() == [1, 0, 1]


def test_the_split_of_a_file(tmp_path: Path) -> None:
    graph = NodeGraph.from_arrays(
        LINKS, None, [0, 1, 1], masks={"train_mask": np.array([True, False, False])}
    )
    again = NodeGraph.from_geometric(graph.to_geometric())
    assert again.given_split is not None
    assert again.given_split.tolist() == [0, -1, -1]
    assert again.only([2, 0]).adjacency.toarray().tolist() == [[0, 0], [0, 0]]
    path = tmp_path / "graph.npz"
    empty = {"data": [], "indices": [], "indptr": [0, 0], "shape": [1, 1]}
    parts: dict[str, Any] = {
        f"{name}_{part}": empty[part] for name in ("adj", "attr") for part in empty
    }
    np.savez(path, labels=np.array([0]), test_mask=np.array([True]), **parts)
    read = NodeGraph.from_file(path)
    assert read.given_split is not None
    assert read.given_split.tolist() == [2]


def test_not_a_graph(tmp_path: Path) -> None:
    path = tmp_path / "graph.npz"
    np.savez(path, labels=np.arange(3))
    with pytest.raises(ValueError, match=r"NodeGraph.from_file: `path` must be an .npz file with"):
        NodeGraph.from_file(path)
    path.write_bytes(b"no zip")
    with pytest.raises(ValueError, match=r"NodeGraph.from_file: `path` must be a \.npz or"):
        NodeGraph.from_file(path)


def test_edges_are_a_matrix() -> None:
    graph = NodeGraph.from_edges([[0, 1], [1, 2]], None, ["x", None, ""], weights=[1.0, 2.0])
    assert np.array_equal(graph.adjacency.toarray(), np.triu(LINKS))
    assert np.array_equal(graph.features.toarray(), np.eye(3))
    assert graph.labels.tolist() == [0, -1, -1]
    assert graph.class_names == ("x",)


def test_geometric_there_and_back() -> None:
    graph = NodeGraph.from_arrays(LINKS, np.eye(3, 2), [0, 1, -1])
    again = NodeGraph.from_geometric(graph.to_geometric())
    assert np.array_equal(again.adjacency.toarray(), LINKS)
    assert np.array_equal(again.features.toarray(), np.eye(3, 2))
    assert again.labels.tolist() == [0, 1, -1]


@pytest.mark.parametrize(
    "labels",
    [
        ["a", "b", -1],
        ["a", "b", float("nan")],
        ["a", "b", None],
        [0, 1, -1],
        np.array([0.0, 1.0, np.nan]),
        np.array(["a", "b", ""]),
    ],
)
def test_labels_that_are_not_known(labels: Any) -> None:
    graph = NodeGraph.from_arrays(LINKS, None, labels)
    assert graph.labels.tolist() == [0, 1, -1]
    assert graph.class_names in (("a", "b"), ("0", "1"))


def test_classes_of_a_part() -> None:
    whole = NodeGraph.from_arrays(LINKS, None, ["a", "b", "c"])
    graph, part = whole.only([2, 0]), whole.select([2, 0])
    assert graph.labels.tolist() == [1, 0]
    assert graph.class_names == ("a", "c")
    assert part.labels.tolist() == [2, 0]
    assert part.class_names == whole.class_names
    assert part.features.toarray().tolist() == graph.features.toarray().tolist()


@pytest.mark.parametrize("part", ["adj_indices", "adj_indptr", "attr_indices"])
def test_broken_files(tmp_path: Path, part: str) -> None:
    path = tmp_path / "graph.npz"
    matrix = {"data": [1.0], "indices": [0], "indptr": [0, 1], "shape": [1, 1]}
    parts: dict[str, Any] = {
        f"{name}_{key}": np.array(value)
        for name in ("adj", "attr")
        for key, value in matrix.items()
    }
    np.savez(path, labels=np.array([0]), **parts)
    assert NodeGraph.from_file(path).n_nodes == 1
    parts[part] = parts[part] + 7
    np.savez(path, labels=np.array([0]), **parts)
    with pytest.raises(ValueError, match=r"`path` must be an .npz file with"):
        NodeGraph.from_file(path)
    np.savez_compressed(path, labels=np.arange(5000), **parts)
    content = bytearray(path.read_bytes())
    content[60:400] = bytes(340)
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"`path` must be a \.npz or \.npy file"):
        NodeGraph.from_file(path)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((np.ones((2, 3)), None, [0, 1]), "`adjacency` must be square, got shape (2, 3)"),
        ((-LINKS, None, [0, 1, 2]), "`adjacency` must be non-negative"),
        (
            (LINKS, [[0.0], [np.nan], [1.0]], [0, 1, 2]),
            "`features` must be finite, got NaN or more than 3e38 in 1 row(s): 1",
        ),
        ((LINKS, np.eye(2), [0, 1, 2]), "`features` must be of 3 nodes"),
        ((LINKS, np.empty((3, 0)), [0, 1, 2]), "`features` must be at least one a node"),
        ((LINKS, None, [0, 1]), "`labels` must be of 3 nodes"),
        ((LINKS, None, [[0, 1, 2]]), "`labels` must be one-dimensional"),
        (
            (LINKS, None, [0, 1, 2], ["a"]),
            "`labels` must be numbers below the number of class names (1)",
        ),
        (("links", None, [0]), "`adjacency` must be a matrix"),
    ],
)
def test_wrong_arrays(given: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"NodeGraph.from_arrays: {message}")):
        NodeGraph.from_arrays(*given)


def test_wrong_parts() -> None:
    with pytest.raises(ValueError, match=r"`weights` must be of shape \(1,\)"):
        NodeGraph.from_edges([[0, 1]], None, [0, 1], weights=[1.0, 2.0])
    with pytest.raises(ValueError, match="`masks` must be of train_mask, val_mask, test_mask"):
        NodeGraph.from_arrays(LINKS, None, [0, 1, 2], masks={"train": np.ones(3, dtype=bool)})
    data = NodeGraph.from_arrays(LINKS, None, [0, 1, 2]).to_geometric()
    data.y = None
    with pytest.raises(ValueError, match="from_geometric: `data` must be with `y`, got none"):
        NodeGraph.from_geometric(data)


@pytest.mark.parametrize(
    ("edges", "message"),
    [([[0, 3]], "numbers of nodes, 0 to 2, got 3"), ([0, 1], "integers of shape (E, 2)")],
)
def test_wrong_edges(edges: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"`edges` must be {message}")):
        NodeGraph.from_edges(edges, None, [0, 1, 2])


def test_indices_outside_are_refused_before_a_conversion(tmp_path: Path) -> None:
    bad = sparse.csc_array(LINKS)
    bad.indptr = np.array([0, 10**7, 0, 0])
    for given, argument in (((bad, np.eye(3)), "adjacency"), ((LINKS, bad), "features")):
        with pytest.raises(ValueError, match=f"`{argument}` must be a sparse matrix with indices"):
            NodeGraph.from_arrays(*given, [0, 1, 0])
    parts: dict[str, Any] = {"data": bad.data, "indices": bad.indices, "indptr": bad.indptr}
    parts["shape"] = np.array([3, 3])
    named = {f"{name}_{part}": value for name in ("adj", "attr") for part, value in parts.items()}
    np.savez(tmp_path / "graph.npz", labels=np.array([0, 1, 0]), **named)
    with pytest.raises(ValueError, match=r"NodeGraph.from_file: `path` must be an .npz file with"):
        NodeGraph.from_file(tmp_path / "graph.npz")


def test_parts_that_are_no_indices_or_too_large(tmp_path: Path) -> None:
    path = tmp_path / "graph.npz"
    matrix = {"data": [1.0], "indices": [0], "indptr": [0, 1], "shape": [1, 1]}
    parts: dict[str, Any] = {
        f"{name}_{key}": np.array(value)
        for name in ("adj", "attr")
        for key, value in matrix.items()
    }
    for name in ("attr_indices", "attr_shape"):
        wrong: dict[str, Any] = parts | {name: parts[name] + 1j}
        np.savez(path, labels=np.array([0]), **wrong)
        with pytest.raises(ValueError, match=r"attr_indptr must be .* integers as indices, got co"):
            NodeGraph.from_file(path)
    large: dict[str, Any] = parts | {"attr_data": np.array([1e300])}
    np.savez(path, labels=np.array([0]), **large)
    with pytest.raises(ValueError, match="`features` must be finite, got NaN or more than 3e38"):
        NodeGraph.from_file(path)


def test_names_of_classes_that_are_one_number() -> None:
    with pytest.raises(
        ValueError, match=r"numbers below the number of class names \(1\), got 0 to"
    ):
        NodeGraph.from_arrays(np.eye(2), np.eye(2), [0, 1], class_names=np.array(0.5))
