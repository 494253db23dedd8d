import numpy as np

from diffresnet.report.layout import lay_out, sample_rows


def test_labeled_points_are_always_in_the_sample() -> None:
    rows = sample_rows(1000, np.array([7, 999, 7]), 50, seed=0)
    assert len(rows) == 50
    assert {7, 999} <= set(rows.tolist())
    assert (np.diff(rows) > 0).all()
    assert (rows == sample_rows(1000, np.array([7, 999]), 50, seed=0)).all()
    assert len(sample_rows(10, np.arange(8), 3, seed=0)) == 8


def test_maps_correspond_and_fit_the_square() -> None:
    rng = np.random.default_rng(0)
    features = np.repeat(8 * rng.normal(size=(3, 5)), 20, axis=0) + rng.normal(size=(60, 5))
    layout = lay_out(features, features, np.array([0]))
    assert layout.before is not None
    assert layout.before.shape == layout.after.shape == (60, 2)
    for places in (layout.before, layout.after):
        assert np.abs(places).max() <= 1 + 1e-9
    nearest = np.linalg.norm(layout.before[:, None] - layout.after, axis=2).argmin(axis=1)
    assert (nearest // 20 == np.arange(60) // 20).mean() > 0.9


def test_without_features_there_is_no_first_map() -> None:
    layout = lay_out(None, np.eye(12), np.array([], dtype=np.int64))
    assert layout.before is None
    assert np.isfinite(layout.after).all()


def test_tiny_and_equal_points_have_places() -> None:
    none = np.array([], dtype=np.int64)
    for points in (np.ones((2, 3)), np.ones((9, 3)), np.arange(8.0)[:, None]):
        layout = lay_out(points, points, none)
        assert layout.before is not None
        assert np.isfinite(layout.before).all()
        assert np.isfinite(layout.after).all()
