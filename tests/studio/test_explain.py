import numpy as np
import pytest

from diffresnet import DiffResNetClassifier
from diffresnet.studio.explain import explain


def chain(n: int = 8) -> DiffResNetClassifier:
    """Return points in a row, with the first and the last labeled, and one alone."""
    links = np.zeros((n + 1, n + 1))
    for one in range(n - 1):
        links[one, one + 1] = links[one + 1, one] = 1
    model = DiffResNetClassifier().prepare(None, graph=links)
    with pytest.warns(UserWarning, match="not connected"):
        return model.update_labels([0, n - 1], [5, 9])


def test_the_nearer_label_has_the_larger_share_and_the_path_is_the_chain() -> None:
    found = explain(chain(), 2)
    assert [one.label for one in found] == [5, 9]
    assert found[0].share > found[1].share
    assert sum(one.share for one in found) == pytest.approx(1)
    assert found[0].path == [0, 1, 2]
    assert found[1].path == [7, 6, 5, 4, 3, 2]


def test_shares_are_what_diffusion_carries() -> None:
    model = chain()
    strength = model.solution_.strength
    weights = model.operator_.weights.to_dense().double().numpy()
    laplacian = np.diag(weights.sum(axis=1)) - weights
    step = np.eye(9) - strength.step_size * laplacian
    carried = np.linalg.matrix_power(step, strength.n_steps)[3][[0, 7]]
    found = {one.row: one.share for one in explain(model, 3)}
    assert [found[0], found[7]] == pytest.approx(carried / carried.sum(), abs=1e-4)


def test_a_point_alone_has_no_source_and_a_label_is_its_own() -> None:
    model = chain()
    assert explain(model, 8) == []
    assert explain(model, 0)[0].path == [0]
    assert explain(DiffResNetClassifier().prepare(np.eye(5)), 1) == []


def test_paths_go_through_first_rows_of_copies() -> None:
    points = np.random.default_rng(0).normal(size=(30, 3))
    points[20:] = points[:10]
    model = DiffResNetClassifier().prepare(points).update_labels([0, 11], [0, 1])
    for row in (5, 25):
        for one in explain(model, row):
            assert one.path[-1] == row
            assert one.path[0] == one.row
            assert all(0 <= step < 30 for step in one.path)
