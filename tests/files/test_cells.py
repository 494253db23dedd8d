from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from diffresnet.files.cells import cell_features, cell_links


def make_cells(**parts: Any) -> Any:
    return SimpleNamespace(**({"uns": {}, "obsp": {}, "obsm": {}} | parts))


def test_nothing_is_there() -> None:
    assert cell_links("fit", make_cells()) is None
    assert cell_features("fit", make_cells()) is None


def test_graphs_and_features_by_name() -> None:
    graph, points = sparse.eye_array(3, format="csr"), np.ones((3, 2))
    cells = make_cells(obsp={"connectivities": graph}, obsm={"X_pca": points}, X=graph)
    found = cell_links("fit", cells)
    assert found is not None
    assert found.toarray().tolist() == graph.toarray().tolist()
    assert cell_features("fit", cells) is points
    wide = cell_features("fit", cells, "X")
    assert wide is not None
    assert wide.tolist() == np.eye(3).tolist()


def test_a_damaged_graph_is_refused() -> None:
    graph = sparse.eye_array(3, format="csr")
    graph.indices = np.array([0, 1, 9])
    with pytest.raises(ValueError, match="fit must be a sparse matrix with indices inside of it"):
        cell_links("fit", make_cells(obsp={"connectivities": graph}))
