import os
from pathlib import Path

import pytest

from diffresnet.encoders.folders import folder_labels
from diffresnet.encoders.image_set import ImageSet
from diffresnet.encoders.items import UnreadableError
from tests.encoders.examples import save_photo


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a photograph, beside one that is nobody's business."""
    save_photo(tmp_path / "elsewhere/secret.png")
    save_photo(tmp_path / "photos/1.png")
    return tmp_path / "photos"


def test_links_that_lead_out_are_refused_or_followed(folder: Path) -> None:
    (folder / "2.png").symlink_to(folder.parent / "elsewhere/secret.png")
    with pytest.raises(ValueError, match=r"inside of it, got .*2.png, which leads elsewhere. Copy"):
        ImageSet.from_folder(folder)
    assert ImageSet.from_folder(folder, follow_links=True).ids == ("1.png", "2.png")


def test_links_to_folders_are_refused_or_followed_but_not_in_circles(folder: Path) -> None:
    (folder / "round").symlink_to(folder)
    with pytest.raises(ValueError, match=r"round, which is a link to a folder. .* --follow-links"):
        ImageSet.from_folder(folder)
    (folder / "linked").symlink_to(folder.parent / "elsewhere")
    (folder / "gone.png").symlink_to(folder.parent / "nothing.png")
    images = ImageSet.from_folder(folder, follow_links=True)
    assert images.ids == ("1.png", "gone.png", "linked/secret.png")
    with pytest.raises(UnreadableError, match="No such file"):
        images.content(1)


def test_links_inside_are_files_like_others(folder: Path) -> None:
    (folder / "2.png").symlink_to("1.png")
    (folder / "3.png").symlink_to("3.png")  # to itself
    images = ImageSet.from_folder(folder)
    assert images.ids == ("1.png", "2.png", "3.png")
    assert images.content(0) == images.content(1)
    with pytest.raises(UnreadableError, match="symbolic links"):
        images.content(2)


def test_the_folder_itself_may_be_a_link(folder: Path) -> None:
    (folder.parent / "link").symlink_to(folder)
    (folder / "train.csv").write_text("filename,label\n1.png,a\n")
    assert ImageSet.from_folder(folder.parent / "link").ids == ("1.png",)


@pytest.mark.parametrize("name", ["../elsewhere/secret.png", "a/../../elsewhere/secret.png", "{}"])
def test_lists_name_files_of_the_folder_only(folder: Path, name: str) -> None:
    (folder / "a").mkdir()
    name = name.format(folder.parent / "elsewhere/secret.png")
    (folder / "train.csv").write_text(f"filename,label\n1.png,a\n{name},b\n")
    with pytest.raises(
        ValueError, match=r"one whose lists name files in it, got '.*secret\.png'\. Write"
    ):
        ImageSet.from_folder(folder)
    with pytest.raises(ValueError, match="lists name files in it"):
        ImageSet.from_folder(folder, follow_links=True)


def test_a_class_is_no_way_out(folder: Path) -> None:
    (folder / "images").mkdir()
    (folder / "train.csv").write_text("filename,label\nsecret.png,../elsewhere\n")
    with pytest.raises(ValueError, match=r"one with the listed images, got 'secret.png' missing"):
        ImageSet.from_folder(folder)


@pytest.mark.parametrize("place", ["images", "split", "images/a.png"])
def test_listed_files_and_lists_stay_inside(folder: Path, place: str) -> None:
    (folder / place).parent.mkdir(exist_ok=True)
    elsewhere = folder.parent / "elsewhere"
    target = elsewhere / "secret.png" if place.endswith("png") else elsewhere
    (folder / place).symlink_to(target)
    save_photo(elsewhere / "a.png")
    (folder / "split").mkdir(exist_ok=True)
    (folder / "split/train.csv").write_text("filename,label\na.png,a\n")
    if place == "split":
        save_photo(folder / "a.png")
    with pytest.raises(ValueError, match="which leads elsewhere"):
        ImageSet.from_folder(folder)
    assert ImageSet.from_folder(folder, follow_links=True).ids == ("a.png",)


def test_names_that_no_file_can_have(folder: Path) -> None:
    for name in ("a" * 5000, "a\0.png"):
        (folder / "train.csv").write_text(f"filename,label\n{name},a\n")
        with pytest.raises(ValueError, match="missing"):
            ImageSet.from_folder(folder)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_no_list(folder: Path) -> None:
    os.mkfifo(folder / "train.csv")
    assert ImageSet.from_folder(folder).ids == ("1.png",)


PLACES = [Path("cat/1.jpg"), Path("dog/a/2.jpg"), Path("new/3.jpg")]


def test_which_folders_are_classes() -> None:
    assert folder_labels(PLACES, "auto") == ("cat", "dog", "new")
    assert folder_labels([*PLACES, Path("4.jpg")], "auto") == ()
    assert folder_labels([*PLACES, Path("4.jpg")], "all") == ("cat", "dog", "new", "")
    assert folder_labels(PLACES, "none") == ()
    assert folder_labels(PLACES, ["dog", "cat"]) == ("cat", "dog", "")
    with pytest.raises(ValueError, match=r"folders with images \('cat', 'dog', 'new'\), got 'cow'"):
        folder_labels(PLACES, ["cow"])
