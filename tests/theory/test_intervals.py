import numpy as np
import pytest

from diffresnet.theory import intervals
from diffresnet.theory.intervals import GroupedRows, unit


@pytest.mark.parametrize("block_size", [1, 2**22])
def test_ends_and_margins_equal_loops(block_size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intervals, "BLOCK_SIZE", block_size)
    generator = np.random.default_rng(0)
    rows, groups = generator.normal(size=(30, 3)), np.arange(30) % 4
    rows += 3 * groups[:, None]
    directions = unit(generator.normal(size=(7, 3)))
    data = GroupedRows.of(rows, groups)
    lows, highs = data.ends(directions)
    for which, direction in enumerate(directions):
        places = (rows - rows.mean(axis=0)) @ direction
        spans = [(places[groups == g].min(), places[groups == g].max()) for g in range(4)]
        np.testing.assert_allclose(lows[:, which], [low for low, _ in spans])
        np.testing.assert_allclose(highs[:, which], [high for _, high in spans])
        pairs = [(a, b) for i, a in enumerate(spans) for b in spans[:i]]
        gaps = [max(a[0] - b[1], b[0] - a[1]) for a, b in pairs]
        assert data.parted_pairs(direction) == sum(gap > 0 for gap in gaps)
        margin = data.margins(direction[None])[0]
        assert (margin > 0) == (min(gaps) > 0)
        if margin > 0:
            assert margin == pytest.approx(min(gaps))


def test_means_and_deviations() -> None:
    rows = np.array([[0.0], [10.0], [2.0]])
    data = GroupedRows.of(rows, np.array([0, 1, 0]))
    assert data.means.tolist() == [[-3.0], [6.0]]
    assert data.deviations.tolist() == [[-1.0], [1.0], [0.0]]
    assert unit(np.array([[0.0, 0.0], [3.0, 4.0]])).tolist() == [[0.0, 0.0], [0.6, 0.8]]
