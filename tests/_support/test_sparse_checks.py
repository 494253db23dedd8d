from typing import Any

import numpy as np
import pytest
import torch
from scipy import sparse

from diffresnet._support.sparse_checks import check_sparse

FORMATS = ("csr", "csc", "bsr", "coo", "dia", "lil", "dok")


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("family", ["array", "matrix"])
def test_good_ones_pass_unchanged(kind: str, family: str) -> None:
    given = np.array([[0, 2, 0, 1], [3, 0, 0, 0], [0, 0, 0, 0], [0, 0, 7, 0]], dtype=float)
    for wide in (given, given[:2], given[:, :3], np.zeros((3, 4))):
        matrix: Any = getattr(sparse, f"{kind}_{family}")(wide)
        check_sparse("f: `m`", matrix)
        assert (matrix.toarray() == wide).all()


def test_other_good_ones_pass() -> None:
    check_sparse("f: `m`", np.eye(2))
    check_sparse("f: `m`", None)
    check_sparse("f: `m`", sparse.csr_array(np.array([0.0, 1.0, 0.0])))
    check_sparse("f: `m`", sparse.bsr_array(np.eye(6), blocksize=(2, 3)))
    spare = sparse.csr_array((np.ones(5), np.zeros(5, int), np.array([0, 1, 2])), shape=(2, 2))
    check_sparse("f: `m`", spare)  # more entries are stored than used
    wide = torch.arange(24.0).reshape(4, 6)
    for tensor in (
        wide,
        wide.to_sparse_coo(),
        wide.to_sparse_csr(),
        wide.to_sparse_csc(),
        wide.to_sparse_bsr((2, 3)),
        wide.to_sparse_bsc((2, 3)),
        torch.zeros(3, 2).to_sparse_csr(),
    ):
        check_sparse("f: `m`", tensor)


def broken(kind: str, **parts: Any) -> Any:
    """Return a matrix (4, 4) some of whose parts were replaced behind its back."""
    matrix = getattr(sparse, f"{kind}_array")(np.roll(np.eye(4), 1, axis=1))
    for name, part in parts.items():
        setattr(matrix, name, part)
    return matrix


HUGE = 10**7
WRAPPED = np.array([0, 2**31 - 1, -2, 4, 4], dtype=np.int32)
"""Starts whose differences overflow to positive numbers."""


@pytest.mark.parametrize(
    ("matrix", "reason"),
    [
        (broken("csr", indptr=np.array([0, HUGE, 2, 3, 4])), "starts of rows that decrease"),
        (broken("csr", indptr=np.array([0, HUGE, 0, 0, 0])), "starts of rows that decrease"),
        (broken("csr", indptr=WRAPPED), "starts of rows that decrease"),
        (broken("csr", indptr=np.array([0, 1, 2, 3, 5])), "or go beyond its entries"),
        (broken("csr", indptr=np.array([0, 1, 2, 3])), r"starts of rows of shape \(4,\)"),
        (broken("csr", indptr=np.arange(5.0)), r"starts of rows of shape \(5,\)"),
        (broken("csc", indices=np.array([0, 1, 2, HUGE])), "indices outside of 0 to 3"),
        (broken("csc", indices=np.array([0, 1, 2, -1])), "indices outside of 0 to 3"),
        (broken("csr", data=np.ones(3)), "or go beyond its entries"),
        (broken("csr", data=np.ones(5)), r"indices of shape \(4,\) for 5 entries"),
        (broken("bsr", indices=np.array([0, 1, 2, HUGE])), "indices outside of 0 to 3"),
        (broken("coo", coords=(np.arange(4), np.array([0, 1, 2, HUGE]))), "indices outside"),
        (broken("coo", coords=(np.arange(3), np.arange(4))), r"of shape \(3,\) for 4 entries"),
        (broken("dia", offsets=np.array([1, HUGE])), "indices outside of 0 to 6"),
        (broken("dia", offsets=np.array([1, -(2**63)])), "indices outside of 0 to 6"),
        (broken("lil", rows=np.array([[0], [1], [2, 3], []], dtype=object)), "for 1 entries"),
        (broken("lil", rows=np.array([[0], [1], [2], [HUGE]], dtype=object)), "outside of 0 to 3"),
    ],
)
def test_bad_ones_are_refused(matrix: Any, reason: str) -> None:
    message = f"f: `m` must be a sparse matrix with indices inside of it, got another .*{reason}"
    with pytest.raises(ValueError, match=message) as error:
        check_sparse("f: `m`", matrix)
    assert str(error.value).endswith("Make it again, or pass a copy.")


def compressed(layout: torch.layout, starts: list[int], places: list[int]) -> torch.Tensor:
    parts = torch.tensor(starts), torch.tensor(places), torch.ones(len(places))
    return torch.sparse_compressed_tensor(
        *parts, size=(3, 3), layout=layout, check_invariants=False
    )


@pytest.mark.parametrize("layout", [torch.sparse_csr, torch.sparse_csc])
def test_bad_tensors_are_refused(layout: torch.layout) -> None:
    check_sparse("f: `m`", compressed(layout, [0, 1, 2, 3], [2, 1, 0]))
    for starts, places in (([0, HUGE, 2, 3], [0, 1, 2]), ([0, 1, 2, 3], [0, 1, HUGE])):
        with pytest.raises(ValueError, match="f: `m` must be a sparse matrix with indices inside"):
            check_sparse("f: `m`", compressed(layout, starts, places))
    with pytest.raises(ValueError, match="a batch of matrices"):
        check_sparse("f: `m`", torch.ones(2, 2, 2).to_sparse_csr())


def test_entries_of_another_shape() -> None:
    matrix = sparse.csr_array(np.eye(3))
    matrix.data = matrix.data[:, None]
    with pytest.raises(ValueError, match=r"another \(entries of shape \(3, 1\)\)"):
        check_sparse("F", matrix)
