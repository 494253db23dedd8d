import numpy as np
import pytest
import torch
from scipy import sparse

from diffresnet.graph.attachment import attach_points, attach_rows

FITTED = torch.randn(60, 3, generator=torch.Generator().manual_seed(0))
NEW = torch.randn(7, 3, generator=torch.Generator().manual_seed(1)).double()


def test_new_points_hang_on_to_their_nearest() -> None:
    links = attach_points(NEW, FITTED, 6, 4).toarray()
    distances = torch.cdist(NEW, FITTED.double()).numpy()
    assert np.allclose(links.sum(axis=1), 1)
    for row, lengths in zip(links, distances, strict=True):
        near = np.argsort(lengths)[:5]
        assert set(np.flatnonzero(row)) == set(near)
        weights = np.exp(-((lengths[near] / lengths[near[2]]) ** 2))
        assert np.allclose(row[near], weights / weights.sum())


def test_a_point_on_top_of_others() -> None:
    same = torch.zeros(20, 3)
    links = attach_points(torch.zeros(1, 3).double(), same, 6, 4).toarray()
    assert np.allclose(links[links > 0], 0.2)


def test_given_links() -> None:
    links = attach_rows(sparse.csr_array([[1.0, 3], [0, 0]])).toarray()
    assert links.tolist() == [[0.25, 0.75], [0, 0]]
    with pytest.raises(ValueError, match=r"`X` must be non-negative, got -1"):
        attach_rows(np.array([[-1.0, 1]]))
