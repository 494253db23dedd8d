from pathlib import Path

import pytest

from diffresnet.datasets.files import find_data_file


def test_looks_in_the_variable_then_in_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, cache = tmp_path / "data", tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    monkeypatch.setenv("DIFFRESNET_DATA", str(data))
    with pytest.raises(FileNotFoundError, match=r"x\.npz is not in .*data and .*diffresnet\. Set"):
        find_data_file("x.npz")
    cached = cache / "diffresnet" / "x.npz"
    cached.parent.mkdir(parents=True)
    cached.touch()
    assert find_data_file("x.npz") == cached
    data.mkdir()
    (data / "x.npz").touch()
    assert find_data_file("x.npz") == data / "x.npz"
    monkeypatch.delenv("DIFFRESNET_DATA")
    assert find_data_file("x.npz") == cached
