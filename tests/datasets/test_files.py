from pathlib import Path

import pytest

from diffresnet.datasets.files import cache_folder, find_data_file


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


@pytest.mark.parametrize("given", ["", "cache", "./cache"])
def test_a_cache_that_is_no_absolute_path_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", given)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "diffresnet"


def test_no_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", fail)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    with pytest.raises(OSError, match=r"no home folder to keep files in. Set XDG_CACHE_HOME to a"):
        cache_folder()
    (tmp_path / "x.npz").touch()
    monkeypatch.setenv("DIFFRESNET_DATA", str(tmp_path))
    assert find_data_file("x.npz") == tmp_path / "x.npz"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "diffresnet"
