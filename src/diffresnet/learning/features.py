"""Features as the classifier sees them: centered, of length one, and not too many.

Features in units of their own (a table with millimeters beside tons) are standardized first: where
few of many features carry nearly all of the variance, distances would see these alone.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.linalg import norm as sparse_norm
from sklearn.base import BaseEstimator
from sklearn.decomposition import TruncatedSVD
from sklearn.utils.validation import validate_data
from torch import Tensor
from torch.nn.functional import normalize

from diffresnet._support.checks import fail
from diffresnet._support.sparse_checks import check_sparse
from diffresnet._support.threads import limited_threads, n_sharing, share_in_turn
from diffresnet.learning.outliers import find_outliers
from diffresnet.learning.row_blocks import row_blocks, sum_blocks, usual_blocks

FLOATS = (np.float64, np.float32)

N_KEPT = 256
"""Principal directions that are kept; up to this many features stay as they are."""

LARGEST_COVARIANCE = 4096

LARGEST_SHARED = 2**24
"""How many numbers the parts of the covariance may have that threads make at the same time."""

FEW_FEATURES = 16
"""Below this the length of a point says much, and is kept by one more coordinate."""

FEW_CARRIERS = 10
"""Features are standardized if fewer of them, and fewer than a quarter, carry the variance."""

ONE_CARRIER = 1.2
"""Of up to four features one must do so nearly alone."""

LONGEST = 2.0
"""What a point's length counts at most, in units of the longest that is not out."""

ROUNDING = 100.0
"""A feature that varies by less than this many rounding errors of its mean is constant."""


def validate_features(model: BaseEstimator, X: Any, method: str) -> Any:  # noqa: N803
    """Return features as scikit-learn checks them; its conversions trust the indices of X."""
    name = f"{type(model).__name__}.{method}"
    check_sparse(f"{name}: `X`", X)
    if hasattr(X, "collect") and hasattr(X, "lazy"):
        fail(name, "X", "a table that is there", "a LazyFrame", "Call `.collect()` on it.")
    reset = method == "fit"
    with np.errstate(invalid="ignore"):  # the sum of infinities, which are refused
        return validate_data(model, _plain(X), accept_sparse="csr", dtype=FLOATS, reset=reset)


def _plain(features: Any) -> Any:
    """Return a tensor as an array, anything else as it is."""
    if not isinstance(features, Tensor):
        return features
    known = features.float() if features.dtype == torch.bfloat16 else features
    return known.detach().cpu().numpy()


class Placed(NamedTuple):
    """Features as points.

    Attributes:
        space: of the points.
        points: (N, p) of length one.
        lengths: (N,) that they had before.
    """

    space: "FeatureSpace"
    points: Tensor
    lengths: Tensor


@dataclass(frozen=True)
class FeatureSpace:
    """How features become points.

    Attributes:
        sketch: (d, k) what sparse features of very many columns are multiplied by first, or None.
        center: the mean of the features.
        scale: (d,) what centered features are divided by, if they have units of their own.
        spread: the typical length of centered features, if there are few; else None.
        directions: (d, p) principal directions, the first the largest, or None to keep all.
        unit: of the lengths of points: the longest that is not out.
        outliers: rows of the fitted points that are far from all others.
    """

    sketch: Tensor | None
    center: Tensor
    scale: Tensor | None
    spread: Tensor | None
    directions: Tensor | None
    unit: Tensor
    outliers: Tensor

    @classmethod
    def fit(cls, features: Any, seed: int) -> Placed:
        """Return the space of some features, the features as points of it, and their lengths."""
        sketch = None
        n_points, n_features = features.shape
        if sparse.issparse(features) and n_features > LARGEST_COVARIANCE:
            reducer: Any = TruncatedSVD(min(N_KEPT, n_points - 1), random_state=seed)
            reducer.fit(_rows_of_length_one(features))
            sketch = torch.from_numpy(np.ascontiguousarray(reducer.components_.T)).float()
        dense = _to_dense(features, sketch)
        is_out = find_outliers(dense)
        center = _center(dense, is_out)
        scale = None if sketch is not None else _units(dense, is_out, center)
        spread = None
        if dense.shape[1] < FEW_FEATURES:
            spread = _spread(_moved(dense[~is_out], center, scale))
        on_sphere = partial(_each_on_sphere, dense, center, scale, spread)
        directions = None
        if dense.shape[1] > N_KEPT:
            directions = _principal_directions(on_sphere, dense.shape[1], seed)
        points, lengths = _collect(on_sphere, n_points, directions)
        unit = lengths[~is_out].max().clamp(min=torch.finfo(lengths.dtype).tiny)
        outliers = is_out.nonzero()[:, 0]
        space = cls(sketch, center, scale, spread, directions, unit, outliers)
        return Placed(space, points, space.limit(lengths))

    def place(self, features: Any) -> tuple[Tensor, Tensor]:
        """Return new features as points, and their lengths."""
        dense = _to_dense(features, self.sketch)
        on_sphere = partial(_each_on_sphere, dense, self.center, self.scale, self.spread)
        points, lengths = _collect(on_sphere, len(dense), self.directions)
        return points, self.limit(lengths)

    def limit(self, lengths: Tensor) -> Tensor:
        """Return lengths in the unit of this space; those far beyond it are brought nearer."""
        return (lengths / self.unit).clamp(max=LONGEST)


def _center(features: Tensor, is_out: Tensor) -> Tensor:
    """Return the mean without outliers, also of features whose sum is too large a number."""
    n_usual = int((~is_out).sum())
    blocks = usual_blocks(features, is_out)
    total = sum_blocks(share_in_turn(lambda some: some.double().sum(dim=0), blocks))
    mean = (total / n_usual).to(features.dtype)
    if bool(mean.isfinite().all()):
        return mean
    return sum_blocks((some / n_usual).sum(dim=0) for some in usual_blocks(features, is_out))


def _moved(features: Tensor, center: Tensor, scale: Tensor | None = None) -> Tensor:
    """Return centered features in their units; what is infinitely far is very far."""
    limit = torch.finfo(features.dtype).max
    moved = (features - center).clamp(-limit, limit)
    return moved if scale is None else moved / scale


def _units(features: Tensor, is_out: Tensor, center: Tensor) -> Tensor | None:
    """Return the deviation of each feature if some dwarf the others, else None.

    The number of features that carry the variance is (sum of variances)^2 / (sum of their squares).
    """
    deviations = _deviations(features, is_out, center)
    variances = (deviations / deviations.max().clamp(min=torch.finfo(features.dtype).tiny)).square()
    is_varying = deviations > ROUNDING * torch.finfo(features.dtype).eps * center.abs()
    n_varying = int(is_varying.sum())
    if n_varying == 0:
        return None
    n_carriers = float(variances.sum() ** 2 / variances.square().sum())
    if n_carriers >= min(FEW_CARRIERS, max(n_varying / 4, ONE_CARRIER)):
        return None
    return torch.where(is_varying, deviations, deviations.max())


def _deviations(features: Tensor, is_out: Tensor, center: Tensor) -> Tensor:
    """Return the root of the mean square of each centered feature, of numbers of any size."""

    def largest(some: Tensor) -> Tensor:
        return _moved(some, center).abs().amax(dim=0)

    sizes = reduce(torch.maximum, share_in_turn(largest, usual_blocks(features, is_out)))
    divisors = torch.where(sizes > 0, sizes, 1)

    def squares(some: Tensor) -> Tensor:
        return _moved(some, center).div_(divisors).square_().double().sum(dim=0)

    total = sum_blocks(share_in_turn(squares, usual_blocks(features, is_out)))
    return sizes * (total / int((~is_out).sum())).sqrt().to(sizes.dtype)


def _spread(moved: Tensor) -> Tensor:
    """Return the typical length of centered features."""
    tiny = torch.finfo(moved.dtype).tiny
    largest = moved.abs().max().clamp(min=tiny)
    return (largest * (moved / largest).square().sum(dim=1).mean().sqrt()).clamp(min=tiny)


def _to_sphere(moved: Tensor, spread: Tensor | None) -> tuple[Tensor, Tensor]:
    """Scale centered features to length one; few ones as seen from a point beside their plane.

    Returns:
        The points, and the lengths that they had.
    """
    # What is infinitely far in the unit of the fitted points is very far.
    limit = torch.finfo(moved.dtype).max
    if spread is not None:
        ones = moved.new_ones(len(moved), 1)
        moved = torch.cat([moved / spread, ones], dim=1)
    moved = moved.clamp(-limit, limit)
    # Very large or small numbers first become moderate: their squares would not be.
    sizes = moved.abs().amax(dim=1, keepdim=True)
    moderate = moved / torch.where(sizes > 0, sizes, 1)
    lengths = moderate.double().norm(dim=1) * sizes[:, 0].double()
    return normalize(moderate, dim=1).float(), lengths


OnSphere = Callable[[Callable[[Tensor], Tensor]], Iterator[tuple[Tensor, Tensor]]]
"""Yields what a function makes of some rows as points, and their lengths."""


def _each_on_sphere(
    features: Tensor,
    center: Tensor,
    scale: Tensor | None,
    spread: Tensor | None,
    then: Callable[[Tensor], Tensor],
) -> Iterator[tuple[Tensor, Tensor]]:
    """See `OnSphere`."""

    def work(some: Tensor) -> tuple[Tensor, Tensor]:
        points, lengths = _to_sphere(_moved(some, center, scale), spread)
        return then(points), lengths

    return share_in_turn(work, row_blocks(features))


def _collect(
    on_sphere: OnSphere, n_points: int, directions: Tensor | None
) -> tuple[Tensor, Tensor]:
    """Return all points, in fewer dimensions if `directions` says so, and all lengths."""

    def turn(points: Tensor) -> Tensor:
        return points if directions is None else points @ directions

    points, lengths, end = torch.empty(n_points, 0), torch.empty(n_points, dtype=torch.float64), 0
    for found, theirs in on_sphere(turn):
        if end == 0:
            points = found.new_empty(n_points, found.shape[1])
        rows = slice(end, end := end + len(found))
        points[rows], lengths[rows] = found, theirs
    return points, lengths


def _principal_directions(on_sphere: OnSphere, n_features: int, seed: int) -> Tensor:
    if n_features <= LARGEST_COVARIANCE:
        # In float64: float32 has given NaN for features that are zero everywhere.
        n_shared = min(n_sharing(), max(1, LARGEST_SHARED // n_features**2))
        with limited_threads(n_shared):
            parts = on_sphere(lambda points: (points.mT @ points).double())
            covariance = sum_blocks(part for part, _ in parts).numpy()
        kept = (max(0, n_features - N_KEPT), n_features - 1)
        largest = eigh(covariance, subset_by_index=kept)[1][:, ::-1]
        return torch.from_numpy(largest.copy()).float()
    points = torch.cat([some for some, _ in on_sphere(lambda points: points)])
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
    if dense.dtype != np.float32 or max(dense.max(initial=0), -dense.min(initial=0)) > 1e15:
        dense = dense.astype(np.float64, copy=False)
    return torch.from_numpy(np.require(dense, requirements=["C", "W"]))


def _rows_of_length_one(features: Any) -> sparse.csr_array:
    rows: Any = sparse.csr_array(features, dtype=np.float64)
    # Very large or small numbers first become moderate: their squares would not be.
    sizes = abs(rows).max(axis=1).toarray().ravel()
    rows = sparse.csr_array(rows.multiply(1 / np.where(sizes > 0, sizes, 1)[:, None]))
    lengths = sparse_norm(rows, axis=1)
    scaled: Any = rows.multiply(1 / np.where(lengths > 0, lengths, 1)[:, None])
    return sparse.csr_array(scaled.astype(np.float32))
