"""Cells as AnnData: a graph, features and labels; in memory, or as an .h5ad file."""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from diffresnet._support.checks import refuse
from diffresnet._support.extras import needs_extra
from diffresnet._support.sparse_checks import check_sparse
from diffresnet._support.words import reason_of, some
from diffresnet._support.writing import scratch_folder
from diffresnet.files.hdf5 import check_hdf5
from diffresnet.files.opening import most_unpacked, opened, size_of

CELLS = ".h5ad"
DEFAULT_FEATURES = "X_pca"
UNLABELED_NAME = "unknown"
"""What cells without a label have, in small or capital letters; NaN means the same."""


def read_cells(path: Path, what: str) -> Any:
    """Read an .h5ad file by the library anndata.

    Raises `ModuleNotFoundError`, which names the extra, if that is not installed.
    """
    with needs_extra(f"reading {path.name}", "cells"):
        import anndata  # noqa: PLC0415  (an extra)
    must = f"an {CELLS} file that anndata can read"
    with opened(path, what, must) as stream, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of where older versions have put things
        check_hdf5(path, most_unpacked(size_of(stream)))
        try:
            return anndata.read_h5ad(path)
        except Exception as error:  # it has errors of its own that have no common name
            raise ValueError(reason_of(error) or type(error).__name__) from error


def as_file(cells: Any) -> bytes:
    """Return the content of an .h5ad file."""
    with scratch_folder() as folder:
        path = folder / f"cells{CELLS}"
        cells.write_h5ad(path)
        return path.read_bytes()


def check_cells(what: str, cells: Any) -> None:
    """Refuse what is no AnnData object."""
    parts = "obs", "obsm", "obsp", "uns"
    if not all(hasattr(cells, part) for part in parts):
        refuse(what, "an AnnData object", type(cells).__name__, "Read it by anndata.read_h5ad.")


def cell_links(what: str, cells: Any, neighbors_key: str | None = None) -> sparse.csr_array | None:
    """Return the graph of the cells, (N, N) weights; None if there is none, and none was named.

    Args:
        what: the function and argument, or the option, that they come from, for messages.
        cells: an AnnData object.
        neighbors_key: where `uns` says which graph of `obsp` it is; None for "connectivities".
    """
    name = "connectivities"
    if neighbors_key is not None:
        described = cells.uns.get(neighbors_key)
        if not isinstance(described, Mapping):
            got = f"'{neighbors_key}', beside {some(list(cells.uns)) or 'none'}"
            refuse(what, "cells with these `neighbors_key` in uns", got, "Run pp.neighbors first.")
        name = described.get("connectivities_key", f"{neighbors_key}_{name}")
    if name not in cells.obsp:
        if neighbors_key is None:
            return None
        got = f"{some(list(cells.obsp)) or 'none'}"
        refuse(what, f"cells with the graph '{name}' in obsp", got, "Run pp.neighbors first.")
    links = cells.obsp[name]
    check_sparse(what, links)
    return sparse.csr_array(links)


def cell_features(what: str, cells: Any, use_rep: str | None = None) -> npt.NDArray[Any] | None:
    """Return the features of the cells, (N, d); None if there are none, and none were named.

    Args:
        what: as for `cell_links`.
        cells: an AnnData object.
        use_rep: which of `obsm`, or "X" for the matrix itself; None for "X_pca".
    """
    if use_rep == "X":
        if cells.X is None:
            refuse(what, "cells with a matrix X", "none", "Choose another `use_rep`.")
        return _as_array(cells.X)
    name = use_rep or DEFAULT_FEATURES
    if name not in cells.obsm:
        if use_rep is None:
            return None
        got, remedy = some(list(cells.obsm)) or "none", "Choose one of these as `use_rep`, or 'X'."
        refuse(what, f"cells with '{name}' in obsm", got, remedy)
    return _as_array(cells.obsm[name])


def _as_array(matrix: Any) -> npt.NDArray[Any]:
    """Return a matrix that may be sparse, or still be in its file."""
    if hasattr(matrix, "to_memory"):
        matrix = matrix.to_memory()
    return matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix)


def cell_labels(
    what: str, cells: Any, key: str, unlabeled: str | None = UNLABELED_NAME
) -> Sequence[Any]:
    """Return the label of each cell, None where it is missing or `unlabeled`.

    Args:
        what: as for `cell_links`.
        cells: an AnnData object.
        key: the column of `obs`.
        unlabeled: the text that means none, in small or capital letters; None for no text.
    """
    if key not in cells.obs:
        got = some(list(cells.obs)) or "none"
        refuse(what, f"cells with the column '{key}' in obs", got, "Choose one of these.")
    values: list[Any] = cells.obs[key].astype(object).tolist()
    return [None if is_unlabeled(value, unlabeled) else value for value in values]


def is_unlabeled(value: Any, unlabeled: str | None = UNLABELED_NAME) -> bool:
    """Tell whether a label is the text that means none, in small or capital letters.

    Examples:
        >>> [is_unlabeled(value) for value in ("Unknown", "B cell", 3)]
        [True, False, False]
    """
    if unlabeled is None or not isinstance(value, str):
        return False
    return value.strip().lower() == unlabeled.lower()
