from pathlib import Path, PurePosixPath

import pytest

from diffresnet.files.results import MARK, check_apart, check_not_used, check_replaceable


def test_results_that_are_there_are_named(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert check_replaceable(out, "--out", "part-*", [tmp_path / "in"]) == []
    out.mkdir()
    for name in ("part-1", "part-2", MARK):
        (out / name).touch()
    assert sorted(check_replaceable(out, "--out", "part-*", [])) == ["part-1", "part-2"]
    (out / "mine").touch()
    with pytest.raises(ValueError, match=r"a new folder, or one with part-\* only, got .* 'mine'"):
        check_replaceable(out, "--out", "part-*", [])


def test_links_do_not_hide_an_input(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "link").symlink_to("in")
    for out in (tmp_path / "link", tmp_path / "link" / "below"):
        with pytest.raises(ValueError, match="--out must be another folder than those that are"):
            check_apart(out, "--out", [tmp_path / "in"])
    with pytest.raises(ValueError, match="--out must be a folder without inputs, got"):
        check_apart(tmp_path, "--out", [tmp_path / "link"])


def test_places_of_other_systems() -> None:
    points = PurePosixPath("bucket/points")
    check_apart(PurePosixPath("bucket/predictions"), "--out", [points])
    check_apart(PurePosixPath("bucket/points-2"), "--out", [points])
    with pytest.raises(ValueError, match="--out must be a folder without inputs, got bucket with"):
        check_apart(PurePosixPath("bucket"), "--out", [points])
    with pytest.raises(ValueError, match="--out must be another file than those that are used"):
        check_not_used(points / "x.csv", "--out", "file", [points])
