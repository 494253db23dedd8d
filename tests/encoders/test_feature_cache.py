from pathlib import Path

import numpy as np
import pytest

from diffresnet.encoders import feature_cache
from diffresnet.encoders.feature_cache import FeatureCache, content_key

KEYS = [content_key(bytes([n])) for n in range(5)]


def _features(*places: int) -> dict[bytes, np.ndarray]:
    return {KEYS[n]: np.full(3, n, dtype=np.float32) for n in places}


def test_features_are_found_by_key(tmp_path: Path) -> None:
    cache = FeatureCache(tmp_path / "new")
    assert cache.find(KEYS) == {}
    cache.add(_features(0, 1))
    cache.add(_features(3))
    found = FeatureCache(tmp_path / "new").find([KEYS[1], KEYS[2], KEYS[3]])
    assert sorted(row.tolist() for row in found.values()) == [[1] * 3, [3] * 3]


def test_files_are_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = FeatureCache(tmp_path)
    for n in range(4):
        cache.add(_features(n))
    cache.merge()
    assert len(list(tmp_path.iterdir())) == 4  # few files stay as they are
    monkeypatch.setattr(feature_cache, "MOST_FILES", 3)
    cache.merge()
    assert len(list(tmp_path.iterdir())) == 1
    assert set(FeatureCache(tmp_path).find(KEYS)) == set(KEYS[:4])


def test_merging_leaves_what_others_write(tmp_path: Path) -> None:
    mine, other = FeatureCache(tmp_path), FeatureCache(tmp_path)
    mine.add(_features(0))
    mine.add(_features(1))
    other.add(_features(2))
    mine.merge()
    assert set(FeatureCache(tmp_path).find(KEYS)) == set(KEYS[:3])


def test_nothing_to_keep_or_merge(tmp_path: Path) -> None:
    cache = FeatureCache(tmp_path)
    cache.add({})
    cache.merge()
    assert list(tmp_path.iterdir()) == []


def test_damaged_files_are_left_aside(tmp_path: Path) -> None:
    cache = FeatureCache(tmp_path)
    cache.add(_features(0))
    (tmp_path / "torn.npz").write_bytes(b"PK nothing")
    assert set(cache.find(KEYS)) == {KEYS[0]}


def test_merging_leaves_what_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feature_cache, "MOST_FILES", 1)
    damaged = tmp_path / "damaged.npz"
    damaged.write_bytes(b"torn")
    cache = FeatureCache(tmp_path)
    assert cache.find(KEYS) == {}
    cache.add(_features(0))
    cache.merge()
    assert damaged.exists()
    assert set(FeatureCache(tmp_path).find(KEYS)) == {KEYS[0]}
