from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

from diffresnet.encoders import feature_cache
from diffresnet.encoders.feature_cache import FeatureCache, content_key
from diffresnet.files.arrays import encode_arrays

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


def _only_file(folder: Path) -> Path:
    (path,) = folder.glob("*.npz")
    return path


def _rewrite(path: Path, **changes: np.ndarray | None) -> None:
    with np.load(path) as arrays:
        content = {**arrays, **changes}
    path.write_bytes(encode_arrays({k: one for k, one in content.items() if one is not None}))


@pytest.mark.parametrize(
    "changes",
    [
        {"features": np.full((2, 3), 7, dtype=np.float32)},
        {"features": np.full((2, 3), np.nan, dtype=np.float32)},
        {"features": np.zeros((1, 3), dtype=np.float32)},
        {"features": np.zeros((2, 3))},
        {"features": np.float32(1)},
        {"features": None},
        {"keys": None},
        {"keys": np.int64(3)},
        {"digest": None},
        {"digest": np.zeros(16, dtype=np.uint8)},
    ],
)
def test_what_has_changed_is_left_aside(
    tmp_path: Path, changes: dict[str, np.ndarray | None]
) -> None:
    FeatureCache(tmp_path).add(_features(0, 1))
    _rewrite(_only_file(tmp_path), **changes)
    cache = FeatureCache(tmp_path)
    assert cache.find(KEYS) == {}
    assert cache.damaged == [_only_file(tmp_path)]


def test_features_of_another_encoder_are_left_aside(tmp_path: Path) -> None:
    FeatureCache(tmp_path / "one").add(_features(0))
    (tmp_path / "one").rename(tmp_path / "two")
    cache = FeatureCache(tmp_path / "two")
    assert cache.find(KEYS) == {}
    assert len(cache.damaged) == 1


def test_features_that_are_not_finite_are_never_found(tmp_path: Path) -> None:
    FeatureCache(tmp_path).add({KEYS[0]: np.full(3, np.nan, dtype=np.float32)})
    assert FeatureCache(tmp_path).find(KEYS) == {}


def test_a_file_that_another_process_merged_is_not_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "glob", Mock(return_value=[tmp_path / "gone.npz"]))
    cache = FeatureCache(tmp_path)
    assert cache.find(KEYS) == {}
    assert cache.damaged == []


def test_the_folder_is_private(tmp_path: Path) -> None:
    FeatureCache(tmp_path / "new").add(_features(0))
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
