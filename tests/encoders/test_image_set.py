import os
from pathlib import Path

import numpy as np
import pytest

from diffresnet.encoders.image_set import ImageSet, check_readable, with_rotations
from tests.encoders.examples import drawing_set, save_photo


def test_a_flat_folder_has_no_classes(tmp_path: Path) -> None:
    for place, name in enumerate(("b.JPG", "a.png", "sub/c.webp")):
        save_photo(tmp_path / name, place)
    (tmp_path / "notes.txt").write_text("hello")
    save_photo(tmp_path / ".hidden/d.png")
    images = ImageSet.from_folder(tmp_path)
    assert images.ids == ("a.png", "b.JPG", "sub/c.webp")
    assert images.labels == images.splits == ()


def test_folders_are_classes_if_every_image_is_in_one(tmp_path: Path) -> None:
    for name in ("cat/1.png", "cat/deep/2.png", "dog/1.png"):
        save_photo(tmp_path / name)
    images = ImageSet.from_folder(tmp_path)
    assert images.labels == ("cat", "cat", "dog")
    assert images.class_names == ("cat", "dog")
    assert images.encoded_labels().tolist() == [0, 0, 1]


@pytest.mark.parametrize("place", [".", "split", "splits"])
@pytest.mark.parametrize("inside", ["images", "."])
def test_lists_of_files_say_what_is_in_which_split(tmp_path: Path, place: str, inside: str) -> None:
    for name in ("cat/1.jpg", "dog/1.jpg", "owl/1.jpg"):
        save_photo(tmp_path / inside / name)
    folder = tmp_path / place
    folder.mkdir(exist_ok=True)
    (folder / "train.csv").write_text("filename,label\ncat/1.jpg,cat\n")
    (folder / "val.csv").write_text("label,filename\r\ndog,dog/1.jpg\r\n")
    images = ImageSet.from_folder(tmp_path)
    assert images.ids == ("cat/1.jpg", "dog/1.jpg")
    assert images.splits == ("train", "val")
    assert images.split("val").labels == ("dog",)
    with pytest.raises(ValueError, match="one of 'train', 'val', got 'test'"):
        images.split("test")


def test_files_may_lie_below_their_class(tmp_path: Path) -> None:
    save_photo(tmp_path / "images/cat/1.jpg")
    (tmp_path / "train.csv").write_text("filename,label\n1.jpg,cat\n")
    assert ImageSet.from_folder(tmp_path).sources == [tmp_path / "images/cat/1.jpg"]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("file,class\na.jpg,a\n", "columns filename and label"),
        ("filename,label\nno.jpg,a\n", "'no.jpg' missing"),
        ("filename,label\na.jpg,a\na.jpg,a\n", "'a.jpg' twice"),
        ("filename,label\n", "a file name and a label a line, got .*train.csv without. Write"),
        ("filename,label\na.jpg,a\nb.jpg\n", "train.csv without in line 3"),
    ],
)
def test_wrong_lists(tmp_path: Path, table: str, message: str) -> None:
    save_photo(tmp_path / "a.jpg")
    (tmp_path / "train.csv").write_text(table)
    with pytest.raises(ValueError, match=message):
        ImageSet.from_folder(tmp_path)


def test_a_list_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_bytes(b"filename,label\n\xff\xfe,a\n")
    with pytest.raises(ValueError, match="lists in CSV"):
        ImageSet.from_folder(tmp_path)


def test_an_empty_folder_and_none(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="one with images"):
        ImageSet.from_folder(tmp_path)
    with pytest.raises(ValueError, match="must be a folder"):
        ImageSet.from_folder(tmp_path / "no")


def test_arrays_are_counted() -> None:
    images = ImageSet.from_arrays(np.zeros((3, 8, 8, 3)))
    assert images.ids == ("0", "1", "2")
    assert images.load(1).size == (8, 8)
    with pytest.raises(ValueError, match="`labels` must be one for each of 3 images, got 2"):
        ImageSet.from_arrays(np.zeros((3, 8, 8)), labels=["a", "b"])


def test_turned_images_are_new_classes() -> None:
    images = drawing_set(2, 3)
    turned = with_rotations(images)
    assert len(turned) == 24
    assert len(turned.class_names) == 8
    first, quarter = turned.sources[0], turned.sources[6]
    assert isinstance(first, np.ndarray)
    assert isinstance(quarter, np.ndarray)
    assert np.array_equal(quarter, np.rot90(first))
    assert turned.labels[0] != turned.labels[6]


def test_files_are_not_turned(tmp_path: Path) -> None:
    save_photo(tmp_path / "a/1.png")
    with pytest.raises(ValueError, match="with_rotations: `images` must be arrays"):
        with_rotations(ImageSet.from_folder(tmp_path))


def test_names_of_any_bytes_become_text(tmp_path: Path) -> None:
    save_photo(tmp_path / os.fsdecode(b"a\xff.png"))
    images = ImageSet.from_folder(tmp_path)
    assert images.ids == ("a\\xff.png",)
    images.load(0)


def test_images_without_a_label() -> None:
    images = ImageSet.from_arrays(np.zeros((3, 4, 4), dtype=np.uint8), labels=["a", "", "b"])
    assert images.labeled().labels == ("a", "b")
    with pytest.raises(ValueError, match="ImageSet: `ids` must be different from each other"):
        ImageSet.from_arrays(np.zeros((2, 4, 4), dtype=np.uint8), ids=["a", "a"])


def test_damaged_images_are_named(tmp_path: Path) -> None:
    save_photo(tmp_path / "cat/1.png")
    save_photo(tmp_path / "dog/1.png")
    (tmp_path / "cat/2.png").write_bytes(b"torn")
    images = ImageSet.from_folder(tmp_path)
    with pytest.raises(ValueError, match=r"got 'cat/2.png' \(cannot identify image file"):
        check_readable(images, "refuse", print)
    said: list[str] = []
    kept = check_readable(images, "skip", said.append)
    assert kept.ids == ("cat/1.png", "dog/1.png")
    assert kept.labels == ("cat", "dog")
    assert said[0].startswith("left out cat/2.png")
    assert check_readable(kept, "refuse", print) is kept
