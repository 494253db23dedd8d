"""Labels of cells: from a few annotated ones to all, on the graph that scanpy has built.

>>> import diffresnet.anndata as da
>>> da.transfer_labels(adata, "cell_type")  # doctest: +SKIP
"""

import json
import sys
from typing import Any

import numpy as np
import numpy.typing as npt

from diffresnet import __version__
from diffresnet._support.checks import fail
from diffresnet.estimators import DiffResNetClassifier
from diffresnet.files.cells import (
    UNLABELED_NAME,
    cell_features,
    cell_labels,
    cell_links,
    check_cells,
    is_unlabeled,
)
from diffresnet.files.frames import as_text

FUNCTION = "transfer_labels"


def transfer_labels(
    adata: Any,
    key: str,
    *,
    key_added: str | None = None,
    use_rep: str | None = None,
    neighbors_key: str | None = None,
    unlabeled: str | None = UNLABELED_NAME,
    model: DiffResNetClassifier | None = None,
) -> DiffResNetClassifier:
    """Label every cell from those that have a label in ``adata.obs[key]``.

    The graph is ``adata.obsp["connectivities"]``, as `scanpy.pp.neighbors` leaves it; where there
    is none, it is built from the features. Features are ``adata.obsm["X_pca"]``, if there are any.

    To label new cells by a reference, concatenate both, compute a joint embedding and its
    neighbors, and leave the labels of the new cells missing: the call is the same.

    Args:
        adata: an AnnData object; `write_labels` says what is added to it.
        key: the column of labels. NaN and `unlabeled` mean that a cell has none.
        key_added: of what is added; by default ``f"{key}_diffresnet"``.
        use_rep: the features, of ``adata.obsm``, or "X" for the matrix itself.
        neighbors_key: where ``adata.uns`` says which graph to take, as in scanpy.
        unlabeled: the text that means no label, in small or capital letters; None for no text.
        model: to be fitted, for other settings than the default.

    Returns:
        The fitted classifier, whose `suggest`, `update_labels` and `audit` take rows of `adata`.
        After `update_labels` call `write_labels`.

    Raises:
        ValueError: if there is neither a graph nor features, no such column, or fewer than two
            classes have a label.
    """
    what = f"{FUNCTION}: `adata`"
    check_cells(what, adata)
    _name_added(FUNCTION, key, key_added)
    given = cell_labels(what, adata, key, unlabeled)
    links = cell_links(what, adata, neighbors_key)
    features = cell_features(what, adata, use_rep)
    if links is None and features is None:
        must = "cells with 'connectivities' in obsp, or 'X_pca' in obsm"
        remedy = "Run scanpy's pp.neighbors first, or name the features by `use_rep`."
        fail(FUNCTION, "adata", must, "neither", remedy)
    model = DiffResNetClassifier() if model is None else model
    model.fit(features, list(given), graph=links)
    write_labels(adata, key, model, key_added=key_added, unlabeled=unlabeled)
    return model


def write_labels(
    adata: Any,
    key: str,
    model: DiffResNetClassifier,
    *,
    key_added: str | None = None,
    unlabeled: str | None = UNLABELED_NAME,
) -> None:
    """Write what a model, fitted to these cells, says of each.

    Adds to ``obs`` the columns `key_added` (categorical, with the categories of `key`, and their
    colors), ``_probability``, ``_margin`` (to the second class) and ``_reached`` (whether a label
    is connected to the cell); to ``obsm`` ``_probabilities``, (N, K); and to ``uns`` the classes,
    the parameters, the version, and what `DiffResNetClassifier.diagnose` says.

    Args:
        adata: an AnnData object.
        key: the column of labels that the model has learned from.
        model: fitted.
        key_added: of what is added; by default ``f"{key}_diffresnet"``, any "/" made "_".
        unlabeled: the text that means no label, which is no category of what is added.

    Raises:
        ValueError: if the model was fitted to another number of cells.
    """
    probabilities = model.label_distributions_
    if adata.n_obs != len(probabilities):
        must, got = f"of {len(probabilities)} cells, as the model", f"{adata.n_obs}"
        fail("write_labels", "adata", must, got, "Pass the cells that it was fitted to.")
    write_predicted(
        adata, key, model, probabilities, model.reached_, key_added=key_added, unlabeled=unlabeled
    )


def write_predicted(
    adata: Any,
    key: str,
    model: DiffResNetClassifier,
    probabilities: npt.NDArray[Any],
    reached: npt.NDArray[np.bool_],
    *,
    key_added: str | None = None,
    unlabeled: str | None = UNLABELED_NAME,
) -> None:
    """Write what a model says of any cells, as `write_labels` does.

    Args:
        adata: an AnnData object.
        key: a column of labels, if there is one, whose categories and colors are kept.
        model: fitted, to these or other cells.
        probabilities: (N, K) of the cells.
        reached: (N,) whether a label is connected to them.
        key_added: as for `write_labels`.
        unlabeled: as for `write_labels`.
    """
    added = _name_added("write_predicted", key, key_added)
    second, first = np.partition(probabilities, -2, axis=1)[:, -2:].T
    names = _categories(adata, key, model, unlabeled)
    pandas: Any = sys.modules["pandas"]  # AnnData has imported it
    labels = model.classes_[probabilities.argmax(axis=1)].tolist()
    found = pandas.Categorical(labels, categories=names)
    adata.obs[added] = pandas.Series(found, index=adata.obs_names)
    adata.obs[f"{added}_probability"] = first
    adata.obs[f"{added}_margin"] = first - second
    adata.obs[f"{added}_reached"] = reached
    adata.obsm[f"{added}_probabilities"] = probabilities
    adata.uns[added] = {
        "classes": model.classes_.astype(np.str_).astype(object),
        "diagnosis": np.array(model.diagnose().sentences, dtype=object),
        "parameters": json.dumps(model.get_params(), default=str),
        "version": __version__,
    }
    colors = _colors(adata, key, model, names)
    if colors is not None:
        adata.uns[f"{added}_colors"] = colors


def _name_added(function: str, key: str, key_added: str | None) -> str:
    """Return the name of what is added; HDF5 takes what is before a "/" for a group."""
    if key_added is not None and ("/" in key_added or not key_added):
        must, remedy = "a name without '/'", "Choose another."
        fail(function, "key_added", must, repr(key_added), remedy)
    return key_added or f"{key}_diffresnet".replace("/", "_")


def _categories(
    adata: Any, key: str, model: DiffResNetClassifier, unlabeled: str | None
) -> list[Any]:
    """Return the categories of the labels that there were, and the classes of the model."""
    there = [name for name in _there(adata, key, model) if not is_unlabeled(name, unlabeled)]
    return there + [name for name in model.classes_.tolist() if name not in there]


def _there(adata: Any, key: str, model: DiffResNetClassifier) -> list[Any]:
    """Return the categories that there were: as texts, if the classes of the model are."""
    given: Any = adata.obs.get(key)
    names = list(given.cat.categories) if hasattr(given, "cat") else []
    are_texts = all(isinstance(name, str) for name in model.classes_.tolist())
    return [as_text(name) for name in names] if are_texts else names


def _colors(adata: Any, key: str, model: DiffResNetClassifier, names: list[Any]) -> Any:
    """Return the colors of categories, if scanpy has chosen one for each."""
    colors = adata.uns.get(f"{key}_colors")
    if colors is None:
        return None
    of = dict(zip(_there(adata, key, model), colors, strict=False))
    return np.array([of[name] for name in names]) if all(name in of for name in names) else None
