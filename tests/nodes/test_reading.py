from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from diffresnet._support.notices import Notice
from diffresnet.nodes.citation import SIZES
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.reading import parse_steps, read_node_graph, standardized
from diffresnet.nodes.standardization import CODE_STEPS

NODES = "id,label,f,g\na,x,1,0\nb,,0,1\nc,y,1,1\n"


def read(name: Path, nodes: Path | None, **options: Any) -> NodeGraph:
    return read_node_graph(str(name), nodes, **{"id_column": None, "label_column": None, **options})


def save_graph(path: Path, links: Any, words: Any, labels: Any, **more: Any) -> Path:
    parts: dict[str, Any] = {"labels": np.array(labels), **more}
    for name, values in (("adj", links), ("attr", words)):
        matrix = sparse.csr_array(np.asarray(values, dtype=np.float32))
        parts |= {f"{name}_{part}": getattr(matrix, part) for part in ("data", "indices", "indptr")}
        parts[f"{name}_shape"] = np.array(matrix.shape)
    np.savez(path, **parts)
    return path


def test_links_and_nodes(tmp_path: Path) -> None:
    links, nodes = tmp_path / "links.csv", tmp_path / "nodes.csv"
    links.write_text("from,to\na,b\nc,a\n")
    nodes.write_text(NODES)
    graph = read(links, nodes)
    assert graph.adjacency.toarray().tolist() == [[0, 1, 1], [1, 0, 0], [1, 0, 0]]
    assert graph.features.toarray().tolist() == [[1, 0], [0, 1], [1, 1]]
    assert graph.labels.tolist() == [0, -1, 1]
    assert graph.class_names == ("x", "y")
    nodes.write_text(NODES.replace("a,x", "a,-1"))
    with pytest.warns(Notice, match=r"nodes.csv: '-1' \(1 time\) among the labels means no label"):
        assert read(links, nodes).labels.tolist() == [-1, -1, 0]
    nodes.write_text(NODES)
    links.write_text("from,to\na,b\nc,z\n")
    with pytest.raises(ValueError, match="GRAPH must be links of ids in --nodes"):
        read(links, nodes)
    with pytest.raises(ValueError, match="--nodes must be left out with a citation graph"):
        read(Path("cora"), nodes)
    with pytest.raises(ValueError, match="--nodes must be given with a table of links"):
        read(links, None)
    nodes.write_text(NODES.replace("label", "kind"))
    with pytest.raises(ValueError, match="--label-column must be one of the columns"):
        read(links, nodes, label_column="topic")
    nodes.write_text("id,f\na,1\nb,2\nc,3\n")
    with pytest.raises(ValueError, match="--nodes must be a file with a column 'label'"):
        read(links, nodes)


def test_a_file(tmp_path: Path) -> None:
    path = save_graph(tmp_path / "one.npz", [[0, 1], [1, 0]], [[1], [2]], [0, 1])
    assert read(path, None).n_links == 1
    with pytest.raises(ValueError, match="GRAPH must be a file that exists"):
        read(tmp_path / "none.npz", None)
    with pytest.raises(ValueError, match="GRAPH must be a file that ends in"):
        read(tmp_path / "one.txt", None)


def test_which_steps() -> None:
    words = NodeGraph.from_arrays([[0, 1], [1, 0]], [[1], [2]], [0, 1])
    numbers = NodeGraph.from_arrays([[0, 1], [1, 0]], [[1], [-2]], [0, 1])
    links = ("undirected", "without-loops", "largest-component")
    assert parse_steps(None, words) == (*links, "binary-features", "row-features")
    assert parse_steps(None, numbers) == links
    halves = NodeGraph.from_arrays([[0, 1], [1, 0]], [[0.5], [1.5]], [0, 1])
    assert parse_steps(None, halves) == links
    assert parse_steps("none", words) == ()
    assert parse_steps("binary,undirected", words) == ("binary", "undirected")
    with pytest.raises(ValueError, match="--standardize must be 'none', or of 'undire"):
        parse_steps("binary,both", words)


def test_graphs_that_cannot_diffuse() -> None:
    directed = NodeGraph.from_arrays([[0, 1], [0, 0]], None, [0, 1])
    with pytest.raises(ValueError, match="GRAPH must be undirected"):
        standardized(directed, ("binary",))
    empty = NodeGraph.from_arrays(np.zeros((3, 3)), None, [0, 1, 1])
    with pytest.raises(ValueError, match="a graph with links, got 3 nodes without any"):
        standardized(empty, CODE_STEPS)
    alike = NodeGraph.from_arrays([[0, 1], [1, 0]], None, ["x", "x"])
    with pytest.raises(ValueError, match="a graph of two classes or more, got 1 among 2"):
        standardized(alike, CODE_STEPS)


def test_of_the_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = NodeGraph.from_arrays([[0, 1], [1, 0]], [[0.5], [2]], [0, 1])
    monkeypatch.setitem(SIZES, "cora", (2, 1, 1))
    assert parse_steps(None, graph) == CODE_STEPS


def test_a_name_that_is_none() -> None:
    with pytest.raises(ValueError, match="must be a file, or one of 'cora', 'citeseer'"):
        read(Path("nope"), None)


def test_a_file_that_has_features_itself(tmp_path: Path) -> None:
    nodes = tmp_path / "nodes.csv"
    nodes.write_text(NODES)
    path = save_graph(tmp_path / "graph.npz", np.eye(3), np.eye(3), [0, 1, 1])
    with pytest.raises(ValueError, match="--nodes must be left out with an"):
        read(path, nodes)
