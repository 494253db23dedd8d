import os
from pathlib import Path

import pytest

from diffresnet.datasets.files import cache_folder, find_data_file, make_cache_folder


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


@pytest.mark.parametrize("given", ["", "relative/cache", None])
def test_the_cache_is_never_in_the_folder_one_happens_to_be_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str | None
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    if given is None:
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    else:
        monkeypatch.setenv("XDG_CACHE_HOME", given)
    assert cache_folder() == tmp_path / ".cache" / "diffresnet"


def test_no_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "nowhere")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "diffresnet"
    monkeypatch.delenv("XDG_CACHE_HOME")
    with pytest.raises(ValueError, match=r"The cache must be in a home folder.*Set XDG_CACHE_HOME"):
        cache_folder()
    monkeypatch.setenv("DIFFRESNET_DATA", str(tmp_path))
    (tmp_path / "x.npz").touch()
    assert find_data_file("x.npz") == tmp_path / "x.npz"


def test_the_cache_is_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = make_cache_folder("features")
    assert folder == tmp_path / "diffresnet" / "features"
    for one in (folder, folder.parent):
        assert one.stat().st_mode & 0o777 == 0o700
    folder.parent.chmod(0o777)
    make_cache_folder("features")
    assert folder.parent.stat().st_mode & 0o777 == 0o700
    monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)
    with pytest.raises(ValueError, match=r"must be a folder of the user, got .* of another\. Set"):
        make_cache_folder("features")
