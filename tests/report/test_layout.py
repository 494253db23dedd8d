import numpy as np
import pytest

from diffresnet import DiffResNetClassifier
from diffresnet.report.layout import (
    first_places,
    fit_square,
    lay_out,
    map_names,
    sample_rows,
    settle_map,
)

NONE = np.array([], dtype=np.int64)


def clusters(n_each: int = 20) -> np.ndarray:
    rng = np.random.default_rng(0)
    centers = np.repeat(8 * rng.normal(size=(3, 5)), n_each, axis=0)
    return centers + rng.normal(size=(3 * n_each, 5))


def test_labeled_points_are_always_in_the_sample() -> None:
    rows = sample_rows(1000, np.array([7, 999, 7]), 50, seed=0)
    assert len(rows) == 50
    assert {7, 999} <= set(rows.tolist())
    assert (np.diff(rows) > 0).all()
    assert (rows == sample_rows(1000, np.array([7, 999]), 50, seed=0)).all()
    assert len(sample_rows(10, np.arange(8), 3, seed=0)) == 8


def test_maps_correspond_and_fit_the_square() -> None:
    layout = lay_out(DiffResNetClassifier().prepare(clusters()), np.array([0]))
    assert layout.before is not None
    assert layout.before.shape == layout.after.shape == (60, 2)
    for places in (layout.before, layout.after):
        assert np.abs(places).max() <= 1 + 1e-6
    middles = [
        np.stack([places[20 * one : 20 * one + 20].mean(axis=0) for one in range(3)])
        for places in (layout.before, layout.after)
    ]
    nearest = np.linalg.norm(middles[0][:, None] - middles[1], axis=2).argmin(axis=1)
    assert nearest.tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", ["before", "after"])
def test_clusters_are_apart_on_the_map(name: str) -> None:
    layout = lay_out(DiffResNetClassifier().prepare(clusters()), NONE)
    places = layout.after if name == "after" else layout.before
    assert places is not None
    far = np.linalg.norm(places[:, None] - places, axis=2)
    np.fill_diagonal(far, np.inf)
    assert (far.argmin(axis=1) // 20 == np.arange(60) // 20).all()


def test_the_map_is_the_same_every_time_and_whatever_the_labels() -> None:
    model = DiffResNetClassifier().prepare(clusters())
    first = [one.places for one in settle_map(model, "after", every=100)]
    model.update_labels([0, 20, 59], ["a", "b", "c"])
    again = [one.places for one in settle_map(model, "after", every=100)]
    assert all((one == other).all() for one, other in zip(first, again, strict=True))
    assert not (first[0] == first[-1]).all()


def test_a_graph_that_was_given_has_one_map() -> None:
    ring = np.roll(np.eye(12), 1, axis=0)
    model = DiffResNetClassifier().prepare(None, graph=ring + ring.T)
    assert map_names(model) == ("after",)
    layout = lay_out(model, NONE)
    assert layout.before is None
    assert np.isfinite(layout.after).all()


def test_tiny_and_equal_points_have_places() -> None:
    alike = np.ones((9, 3))
    alike[0] = 2
    for points in (np.eye(2), alike, np.arange(8.0)[:, None]):
        layout = lay_out(DiffResNetClassifier().prepare(points), NONE)
        assert layout.before is not None
        assert np.isfinite(layout.before).all()
        assert np.isfinite(layout.after).all()
        assert layout.after.shape == (len(points), 2)


def test_copies_can_be_told_apart() -> None:
    points = np.concatenate([clusters(), clusters()[:5]])
    model = DiffResNetClassifier().prepare(points)
    assert model.copies_.n_copies == 5
    places = first_places(model, "after")
    assert len(np.unique(places, axis=0)) == 65


def test_a_single_place_fits_the_square() -> None:
    assert (fit_square(np.ones((3, 2), dtype=np.float32)) == 0).all()
