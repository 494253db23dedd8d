"""Features as the classifier sees them: centered, of length one, and not too many."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.linalg import norm as sparse_norm
from sklearn.decomposition import TruncatedSVD
from torch import Tensor
from torch.nn.functional import normalize

N_KEPT = 256
"""Principal directions that the neighbors are searched in."""

N_FOR_CLASSES = 100
"""The first of them, which classes are told apart by; up to this many features stay as they are."""

LARGEST_COVARIANCE = 4096

FEW_FEATURES = 16
"""Below this the length of a point says much, and is kept by one more coordinate."""


@dataclass(frozen=True)
class FeatureSpace:
    """How features become points.

    Attributes:
        sketch: (d, k) what sparse features of very many columns are multiplied by first, or None.
        center: the mean of the features.
        spread: the typical length of centered features, if there are few; else None.
        directions: (d, p) principal directions, the first the largest, or None to keep all.
    """

    sketch: Tensor | None
    center: Tensor
    spread: Tensor | None
    directions: Tensor | None

    @classmethod
    def fit(cls, features: Any, seed: int) -> tuple["FeatureSpace", Tensor]:
        """Return the space of some features, and the features as points of it."""
        sketch = None
        n_points, n_features = features.shape
        if sparse.issparse(features) and n_features > LARGEST_COVARIANCE:
            reducer: Any = TruncatedSVD(min(N_KEPT, n_points - 1), random_state=seed)
            reducer.fit(_rows_of_length_one(features))
            sketch = torch.from_numpy(np.ascontiguousarray(reducer.components_.T)).float()
        dense = _to_dense(features, sketch)
        center, spread = dense.mean(dim=0), None
        if dense.shape[1] < FEW_FEATURES:
            largest = (dense - center).abs().max().clamp(min=torch.finfo(dense.dtype).tiny)
            spread = largest * ((dense - center) / largest).square().sum(dim=1).mean().sqrt()
            spread = spread.clamp(min=torch.finfo(dense.dtype).tiny)
        points = _to_sphere(dense - center, spread)
        directions = None
        if points.shape[1] > N_FOR_CLASSES:
            directions = _principal_directions(points, seed)
            points = points @ directions
        return cls(sketch, center, spread, directions), points

    def place(self, features: Any) -> Tensor:
        """Return new features as points."""
        dense = _to_dense(features, self.sketch)
        points = _to_sphere(dense - self.center, self.spread)
        return points if self.directions is None else points @ self.directions


def _to_sphere(moved: Tensor, spread: Tensor | None) -> Tensor:
    """Scale centered features to length one; few ones as seen from a point beside their plane."""
    if spread is not None:
        ones = moved.new_ones(len(moved), 1)
        moved = torch.cat([moved / spread, ones], dim=1)
    # Very large or small numbers first become moderate: their squares would not be.
    sizes = moved.abs().amax(dim=1, keepdim=True)
    return normalize(moved / torch.where(sizes > 0, sizes, 1), dim=1).float()


def _principal_directions(points: Tensor, seed: int) -> Tensor:
    n_features = points.shape[1]
    if n_features <= LARGEST_COVARIANCE:
        # In float64: float32 has given NaN for features that are zero everywhere.
        covariance = (points.mT @ points).double().numpy()
        kept = (max(0, n_features - N_KEPT), n_features - 1)
        largest = eigh(covariance, subset_by_index=kept)[1][:, ::-1]
        return torch.from_numpy(largest.copy()).to(points)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        found = torch.svd_lowrank(points, q=min(N_KEPT, *points.shape), niter=2)
    return found[2].contiguous()


def _to_dense(features: Any, sketch: Tensor | None) -> Tensor:
    if sketch is not None:
        return torch.from_numpy(np.asarray(_rows_of_length_one(features) @ sketch.numpy()))
    dense: npt.NDArray[Any] = features
    if hasattr(features, "toarray"):
        dense = features.toarray()
    if dense.dtype != np.float32 or float(np.abs(dense).max(initial=0)) > 1e15:
        dense = dense.astype(np.float64)
    return torch.from_numpy(np.ascontiguousarray(dense))


def _rows_of_length_one(features: Any) -> sparse.csr_array:
    rows = sparse.csr_array(features, dtype=np.float32)
    lengths = sparse_norm(rows, axis=1)
    return sparse.csr_array(rows.multiply(1 / np.maximum(lengths, 1e-12)[:, None]))
