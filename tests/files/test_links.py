import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import sparse

from diffresnet.files.links import read_graph

IDS = ["a", "b", "c"]


@pytest.mark.parametrize(
    ("text", "weight"),
    [
        ("from,to\na,b\nc,b\n", 1),
        ("from,to\na,b\nb,a\nc,b\nc,b\n", 1),  # both directions, and twice: one link
        ("from,to,w\na,b,2\nb,c,2\n", 2),
        ("from,to,w\na,b,1\nb,a,2\nb,c,2\nb,c,0.5\n", 2),
        ("weight,from,to\n2,a,b\n2,b,c\n", 2),
    ],
)
def test_a_table_of_links(tmp_path: Path, text: str, weight: float) -> None:
    (tmp_path / "e.csv").write_text(text)
    expected = weight * np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    graph = read_graph(tmp_path / "e.csv", IDS)
    assert graph.format == "csr"
    np.testing.assert_array_equal(graph.toarray(), expected)


def test_parquet(tmp_path: Path) -> None:
    pl.DataFrame({"i": [0], "j": [2]}).write_parquet(tmp_path / "e.parquet")
    graph = read_graph(tmp_path / "e.parquet", ["0", "1", "2"])
    assert graph.toarray().tolist() == [[0, 0, 1], [0, 0, 0], [1, 0, 0]]


def test_a_sparse_matrix(tmp_path: Path) -> None:
    directed = sparse.csr_array(np.array([[0, 3, 0], [1, 0, 0], [0, 0, 0]]))
    sparse.save_npz(tmp_path / "e.npz", directed)
    graph = read_graph(tmp_path / "e.npz", IDS)
    assert graph.toarray().tolist() == [[0, 3, 0], [3, 0, 0], [0, 0, 0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("i,j\na,x\ny,b\n", "links of ids in FEATURES, got 1 that FEATURES does not have: 'y'"),
        ("i,j,w\na,b,-1\n", "weights of zero or more, got negative, missing or infinite ones."),
        ("i,j,w\na,b,1\na,c,\n", "weights of zero or more, got negative, missing or infinite"),
        ("i,j,w\na,b,x\n", "numbers as weights, got the column 'w' with String. Correct it"),
        ("i,j,w\na,b,0\n", "links between points, got .*e.csv without any. Add some."),
        ("i,j,k,w\na,b,1,1\n", "a table of two columns of ids .* with 'i', 'j', 'k', 'w'. Leave"),
        ("i\na\n", "a table of two columns of ids and perhaps one of weights, got .* with 'i'."),
        (
            "a,b\nb,c\n",
            "a table with names in its first row, got .* with the ids 'a', 'b'. Add a row",
        ),
    ],
)
def test_bad_tables(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "e.csv").write_text(text)
    with pytest.raises(ValueError, match=f"--graph must be {message}"):
        read_graph(tmp_path / "e.csv", IDS)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.eye(2), r"of shape \(3, 3\), as there are points in FEATURES, got \(2, 2\). Give"),
        (-np.eye(3), "weights of zero or more, got negative"),
    ],
)
def test_bad_matrices(tmp_path: Path, matrix: Any, message: str) -> None:
    sparse.save_npz(tmp_path / "e.npz", sparse.csr_array(matrix))
    with pytest.raises(ValueError, match=message):
        read_graph(tmp_path / "e.npz", IDS)


def test_a_file_that_is_no_matrix(tmp_path: Path) -> None:
    np.savez(tmp_path / "e.npz", x=np.eye(3))
    with pytest.raises(ValueError, match=r"a sparse matrix or a table, .* Write it by `sc"):
        read_graph(tmp_path / "e.npz", IDS)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"indptr": np.array([0, 10**7, 2, 3])}, "a sparse matrix with indices inside of it, got"),
        ({"indptr": np.array([0, 10**7, 0, 0])}, "a sparse matrix with indices inside of it, got"),
        ({"indices": np.array([0, 1, 10**7])}, "a sparse matrix with indices inside of it, got"),
        ({"indptr": np.array([0, 1])}, r"a sparse matrix, got .*\(index pointer size"),
        ({"data": np.array(["a", "b", "c"])}, "numbers as weights, got <U1. Write them as numbers"),
        ({"indices": np.array([0, np.nan, 1])}, "a sparse matrix with integers as indices, got fl"),
        ({"indptr": np.array([0, 1, 2, 3j])}, "a sparse matrix with integers as indices, got comp"),
        ({"shape": np.array([10**12, 10**12])}, r"of shape \(3, 3\)"),
        (
            {"format": np.array("odd")},
            "a sparse matrix or a table, got .* with 'indices', ",
        ),
        ({"format": np.array([1, 2])}, "a sparse matrix or a table"),
    ],
)
def test_indices_are_checked_before_anything_is_converted(
    tmp_path: Path, parts: dict[str, Any], message: str
) -> None:
    sparse.save_npz(tmp_path / "e.npz", sparse.csr_array(np.eye(3)))
    with np.load(tmp_path / "e.npz") as loaded:
        arrays = dict(loaded) | parts
    np.savez(tmp_path / "e.npz", **arrays)
    with pytest.raises(ValueError, match=f"--graph must be {message}"):
        read_graph(tmp_path / "e.npz", IDS)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia"])
def test_every_format_that_scipy_writes(tmp_path: Path, kind: str) -> None:
    weights = np.array([[0, 3, 0], [3, 0, 1], [0, 1, 0]])
    sparse.save_npz(tmp_path / "e.npz", getattr(sparse, f"{kind}_array")(weights))
    assert read_graph(tmp_path / "e.npz", IDS).toarray().tolist() == weights.tolist()


def test_a_format_of_many_numbers_is_none(tmp_path: Path) -> None:
    path = tmp_path / "w.npz"
    np.savez(path, format=np.zeros(1_000_000), shape=np.array([2, 2]), data=np.ones(1))
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="must be a sparse matrix or a table"):
            read_graph(path, ["a", "b"])
        assert tracemalloc.get_traced_memory()[1] < 30_000_000
    finally:
        tracemalloc.stop()
