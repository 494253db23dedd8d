"""Rows that are equal, or differ by rounding only: one point, however often it is there.

Points have an order of their own, by what they are: whatever is drawn by the number of a point does
not depend on the order of the rows.
"""

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from diffresnet._support.checks import fail
from diffresnet.estimators.near_copies import are_dense, find_leaders
from diffresnet.learning.labels import UNLABELED

ROWS = 2**12
"""Rows that are copied at a time."""

Rows = npt.NDArray[np.int64]
Digests = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Copies:
    """Which rows are equal, or nearly.

    Copies would be each other's nearest neighbors, and more of them than a point has neighbors
    would be cut off from all others.

    Attributes:
        first: (M,) the first row of each point.
        point: (N,) the point that each row is.
    """

    first: Rows
    point: Rows

    @classmethod
    def none(cls, n_rows: int) -> "Copies":
        """Return that every row is a point of its own."""
        return cls(np.arange(n_rows), np.arange(n_rows))

    @classmethod
    def of(cls, features: Any) -> "Copies":
        """Find the rows that are equal.

        Args:
            features: (N, d) dense, or sparse as CSR.

        Examples:
            >>> Copies.of(np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]])).point
            array([0, 1, 0])
        """
        return cls.of_digests(digest_rows(features))

    @classmethod
    def of_digests(cls, digests: Digests) -> "Copies":
        """Find the rows that are equal, by what `digest_rows` returned."""
        _, first, point = np.unique(digests, axis=0, return_index=True, return_inverse=True)
        by_row = np.argsort(first)
        return cls(first[by_row], np.argsort(by_row)[point.reshape(-1)])

    @classmethod
    def near(cls, points: Any, lengths: Any, fewest: int = 2) -> "Copies":
        """Find points that differ by rounding only, such as embeddings that were float16 once.

        Args:
            points: (N, d) of length one.
            lengths: (N,) that they had before.
            fewest: such points that become one; fewer of them stay what they are, and so do all
                where points lie as near to each other anyway.

        Examples:
            >>> Copies.near(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1e-5]]), np.ones(3)).point
            array([0, 1, 0])
        """
        leaders = find_leaders(np.asarray(points), np.asarray(lengths))
        if are_dense(np.asarray(points), np.unique(leaders)):
            return cls.none(len(leaders))
        is_few = np.bincount(leaders, minlength=len(leaders))[leaders] < fewest
        leaders = np.where(is_few, np.arange(len(leaders)), leaders)
        return cls(*np.unique(leaders, return_inverse=True))

    def then(self, later: "Copies") -> "Copies":
        """Return which rows are one point, if these points are not all different either."""
        return Copies(self.first[later.first], later.point[self.point])

    def before(self, order: Rows) -> "Copies":
        """Return the same points for rows as they were before they were put in an order."""
        point = np.empty_like(self.point)
        point[order] = self.point
        return Copies(np.unique(point, return_index=True)[1], point)

    @property
    def n_copies(self) -> int:
        """How many rows are there beside the first of each point."""
        return len(self.point) - len(self.first)

    def keeping_every_class(self, encoded: Rows, n_classes: int) -> "Copies":
        """Return these copies, but rows whose class no point would have are points of their own.

        Args:
            encoded: (N,) the class of each row, -1 for none.
            n_classes: K.

        Examples:
            >>> Copies(np.array([0]), np.array([0, 0, 0])).keeping_every_class(
            ...     np.array([0, 0, 1]), 2
            ... ).point
            array([0, 0, 1])
        """
        lost = _without_points(self.vote(encoded, n_classes), n_classes)
        leaders = self.first[self.point]
        alone = np.flatnonzero(np.isin(encoded, lost))
        for row in alone[leaders[alone] == alone]:  # the first of a point: the next one leads it
            others = np.flatnonzero((leaders == row) & ~np.isin(np.arange(len(leaders)), alone))
            leaders[others] = others[:1].repeat(len(others))
        leaders[alone] = alone
        return Copies(*np.unique(leaders, return_inverse=True))

    def merge(self, encoded: Rows, n_classes: int) -> Rows:
        """Return the class of each point (M,): the most common one of its rows, -1 for none.

        Args:
            encoded: (N,) the class of each row, -1 for none.
            n_classes: K.

        Raises:
            ValueError: if a class has labels only on rows that are equal to rows of others.
        """
        merged = self.vote(encoded, n_classes)
        lost = _without_points(merged, n_classes)
        if len(lost):
            rows = np.flatnonzero(encoded != UNLABELED)
            row = int(rows[encoded[rows] == lost[0]][0])
            other = int(rows[(self.point[rows] == self.point[row]) & (encoded[rows] != lost[0])][0])
            remedy = "Correct one of the two labels, or drop the class."
            got = f"different ones for rows {row} and {other}"
            fail("DiffResNetClassifier", "labels", "the same for equal points", got, remedy)
        return merged

    def labeled_rows(self, points: Rows, classes: Rows, encoded: Rows) -> Rows:
        """Return the first row of each point that has its class for a label."""
        rows = np.flatnonzero(encoded != UNLABELED)
        first = {
            (point, label): row
            for point, label, row in zip(
                self.point[rows[::-1]], encoded[rows[::-1]], rows[::-1], strict=True
            )
        }
        pairs = zip(points.tolist(), classes.tolist(), strict=True)
        return np.array([first[pair] for pair in pairs], dtype=np.int64)

    def average(self, given: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the value of each point (M,): the mean of its rows', NaN for none.

        Args:
            given: (N,) the value of each row, NaN for none.
        """
        rows = np.flatnonzero(~np.isnan(given))
        rows = rows[np.argsort(given[rows], kind="stable")]  # the sum has an order of its own
        n_given = np.bincount(self.point[rows], minlength=len(self.first))
        parts = given[rows] / n_given[self.point[rows]]
        means = np.bincount(self.point[rows], parts, minlength=len(self.first))
        return np.where(n_given > 0, means, np.nan)

    def contradictions(self, encoded: Rows, places: Any = None) -> tuple[tuple[int, ...], ...]:
        """Return the labeled rows of each point whose labels differ.

        Args:
            encoded: (N,) the class of each row, -1 for none.
            places: (M, d) of the points, or None. Points of one place count as one: rows that are
                points of their own only to keep their class.
        """
        rows = np.flatnonzero(encoded != UNLABELED)
        group = self.point[rows]
        if places is not None:
            group = np.unique(np.asarray(places)[group], axis=0, return_inverse=True)[1].ravel()
        pairs = np.unique(np.stack([group, encoded[rows]], axis=1), axis=0)
        groups, counts = np.unique(pairs[:, 0], return_counts=True)
        return tuple(tuple(rows[group == one].tolist()) for one in groups[counts > 1])

    def vote(self, encoded: Rows, n_classes: int) -> Rows:
        """Return what `merge` does, also if that leaves a class without a label."""
        if self.n_copies == 0:
            return encoded[self.first]
        rows = np.flatnonzero(encoded != UNLABELED)
        if len(rows) == 0:
            return np.full(len(self.first), UNLABELED, dtype=np.int64)
        places = self.point[rows], encoded[rows]
        shape = (len(self.first), n_classes)
        votes = sparse.coo_array((np.ones(len(rows)), places), shape=shape).tocsr()
        merged = np.full(len(self.first), UNLABELED, dtype=np.int64)
        labeled = np.unique(places[0])
        merged[labeled] = votes[labeled].toarray().argmax(axis=1)
        return merged


def order_rows(features: Any, digests: Digests, encoded: Rows | None) -> Rows:
    """Return the rows (N,) in an order that depends on what they are, not on where they stand.

    It is that of their places along one random direction, so that numbers of another precision or
    unit have it too.

    Args:
        features: (N, d) dense, or sparse as CSR.
        digests: of the rows, which tell apart those of one place.
        encoded: (N,) the class of each row, which tells apart equal ones; or None.
    """
    direction = np.random.default_rng(0).standard_normal(features.shape[1])
    with np.errstate(over="ignore", invalid="ignore"):  # huge features: the digests decide
        # The product of BLAS would round by where a row stands.
        is_sparse = sparse.issparse(features)
        places = features @ direction if is_sparse else np.einsum("nd,d->n", features, direction)
    classes = np.zeros(len(digests)) if encoded is None else encoded
    return np.lexsort([classes, *digests.T, np.nan_to_num(places)])


def digest_rows(features: Any) -> Digests:
    """Return two numbers of each row, (N, 2); equal rows have equal ones, others do not."""
    if sparse.issparse(features):
        given: Any = features
        rows = sparse.csr_array(given, copy=True)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        bounds = zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
        found = [_digest(rows.indices[a:b], rows.data[a:b]) for a, b in bounds]
    else:
        every = np.asarray(features)
        blocks = (every[start : start + ROWS] for start in range(0, len(every), ROWS))
        found = [_digest(row) for some in blocks for row in some + 0.0]  # -0 becomes 0
    return np.frombuffer(b"".join(found), dtype="<u8").reshape(-1, 2)


def _without_points(classes: Rows, n_classes: int) -> Rows:
    """Return the classes that no point has."""
    counts = np.bincount(classes[classes != UNLABELED], minlength=n_classes)
    return np.flatnonzero(counts == 0)


def _digest(*arrays: npt.NDArray[Any]) -> bytes:
    summed = blake2b(digest_size=16)
    for array in arrays:
        summed.update(np.ascontiguousarray(array).data)
    return summed.digest()
