"""Images with their names, classes and splits: from folders, lists of files, and arrays."""

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from diffresnet._support.checks import fail
from diffresnet.encoders.folders import (
    ClassFolders,
    check_inside,
    find_images,
    folder_labels,
    locate_image,
)
from diffresnet.encoders.items import WhenUnreadable, check_ids, find_troubles, readable_rows
from diffresnet.encoders.pictures import (
    SUFFIXES,
    PictureSource,
    check_pixels,
    open_picture,
    read_content,
)
from diffresnet.files.opening import opened

if TYPE_CHECKING:
    from PIL.Image import Image

SPLITS = ("train", "val", "test")


@dataclass(frozen=True)
class ImageSet:
    """Pictures, each with an id, and perhaps with a class and a split.

    Attributes:
        sources: files or pixels.
        ids: a name for each.
        labels: the class of each; empty if there are none.
        splits: the split of each, such as ``"train"``; empty if there are none.
    """

    sources: Sequence[PictureSource]
    ids: tuple[str, ...]
    labels: tuple[str, ...] = ()
    splits: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.sources)

    def __post_init__(self) -> None:
        for name in ("ids", "labels", "splits"):
            n = len(getattr(self, name))
            if n != len(self.sources) and (n or name == "ids"):
                must = f"one for each of {len(self.sources)} images"
                fail("ImageSet", name, must, n, "Give one an image, or none.")
        if not len(self.sources):
            fail("ImageSet", "sources", "at least one", "none", "Add images.")
        check_ids("ImageSet", self.ids)

    def content(self, row: int) -> bytes:
        """Return what tells a picture apart from others."""
        return read_content(self.sources[row])

    def load(self, row: int) -> "Image":
        """Return a picture, in red, green and blue."""
        return open_picture(self.sources[row])

    def labeled(self) -> "ImageSet":
        """Return the images that have a label; "" is none."""
        return self.take([row for row, label in enumerate(self.labels) if label])

    @property
    def class_names(self) -> tuple[str, ...]:
        """The classes, in order."""
        return tuple(sorted(set(self.labels)))

    def encoded_labels(self) -> NDArray[np.int64]:
        """Return the place of each label in `class_names`."""
        return np.unique(np.array(self.labels), return_inverse=True)[1].astype(np.int64)

    def take(self, rows: Sequence[int]) -> "ImageSet":
        """Return some of the images."""
        columns = self.ids, self.labels, self.splits
        taken = (tuple(texts[row] for row in rows if texts) for texts in columns)
        return ImageSet([self.sources[row] for row in rows], *taken)

    def split(self, name: str) -> "ImageSet":
        """Return the images of a split; if there is none, a `ValueError` names those there are."""
        rows = [row for row, split in enumerate(self.splits) if split == name]
        if not rows:
            there = ", ".join(repr(one) for one in sorted(set(self.splits))) or "none"
            remedy = "Choose one of these." if self.splits else f"Add a file {name}.csv."
            fail("ImageSet", "split", f"one of {there}", repr(name), remedy)
        return self.take(rows)

    @classmethod
    def from_folder(
        cls, folder: Path | str, *, follow_links: bool = False, class_folders: ClassFolders = "auto"
    ) -> "ImageSet":
        """Find the images of a folder.

        With ``train.csv``, ``val.csv`` or ``test.csv`` (columns `filename` and `label`) in it, in
        ``split`` or in ``splits``, these say which images there are, in the folder itself or in
        ``images``, as in the public mini-ImageNet, tiered-ImageNet and CUB. Otherwise every image
        in the folder and below is taken, and the first folder below may be its class.

        Args:
            folder: of the images.
            follow_links: reads what links lead to outside of the folder, too.
            class_folders: which folders are classes, by name; ``"all"`` of them; ``"none"``; or
                ``"auto"``: all if every image lies in one, else none. Other images have no label.

        Raises:
            ValueError: if the folder has no images, a class has no folder, a listed image is
                missing, or one is not inside of the folder.
        """
        folder = Path(folder)
        if not folder.is_dir():
            fail("ImageSet", "folder", "a folder", folder, "Check its name.")
        for place in (folder, folder / "split", folder / "splits"):
            tables = {name: place / f"{name}.csv" for name in SPLITS}
            if any(path.is_file() for path in tables.values()):
                return _from_tables(folder, tables, follow_links=follow_links)
        files = find_images(folder, follow_links=follow_links)
        if not files:
            kinds = ", ".join(SUFFIXES)
            fail("ImageSet", "folder", f"one with images ({kinds})", folder, "Check its name.")
        inside = [path.relative_to(folder) for path in files]
        labels = folder_labels(inside, class_folders)
        return cls(files, tuple(_as_id(path) for path in inside), labels)

    @classmethod
    def from_arrays(
        cls,
        images: NDArray[np.generic],
        *,
        ids: Sequence[str] = (),
        labels: Sequence[str] = (),
        splits: Sequence[str] = (),
    ) -> "ImageSet":
        """Make a set of pixels (n, height, width) or (n, height, width, channels).

        Raises:
            ValueError: if these are no pictures, or the lengths do not agree.
        """
        pixels = check_pixels("ImageSet", images)
        names = tuple(ids) or tuple(str(row) for row in range(len(pixels)))
        return cls(list(pixels), names, tuple(labels), tuple(splits))


def with_rotations(images: ImageSet) -> ImageSet:
    """Return the images with those turned by 90, 180 and 270 degrees, which are new classes."""
    n = len(images)
    pixels = [source for source in images.sources if isinstance(source, np.ndarray)]
    if len(pixels) < n:
        fail("with_rotations", "images", "arrays", "files", "Load them as arrays first.")
    turned = [np.rot90(one, turn) for turn in range(4) for one in pixels]
    ids, labels = (
        tuple(f"{90 * (row // n)}:{text}" for row, text in enumerate(texts * 4))
        for texts in (images.ids, images.labels)
    )
    return ImageSet(turned, ids, labels, images.splits * 4)


def check_readable(
    images: ImageSet, when_unreadable: WhenUnreadable, report: Callable[[str], None]
) -> ImageSet:
    """Open every image, before hours of training; return what `readable_rows` says is readable."""
    troubles = find_troubles(images.load, len(images), "opening images")
    rows = readable_rows(images.ids, troubles, when_unreadable, report)
    return images if len(rows) == len(images) else images.take(rows)


def _as_id(path: Path) -> str:
    """Return a path as text that can be written to any file, whatever its bytes are."""
    return path.as_posix().encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _from_tables(folder: Path, tables: dict[str, Path], *, follow_links: bool) -> ImageSet:
    there = {split: table for split, table in tables.items() if table.is_file()}
    if not follow_links:
        for table in there.values():
            check_inside(folder, table)
    rows = [
        (name, label, split) for split, table in there.items() for name, label in _read_table(table)
    ]
    ids, labels, splits = zip(*rows, strict=True)
    files = [
        locate_image(folder, name, label, follow_links=follow_links) for name, label, _ in rows
    ]
    return ImageSet(files, ids, labels, splits)


def _read_table(path: Path) -> list[tuple[str, str]]:
    with opened(path, "ImageSet: `folder`", "lists in CSV") as stream:
        text = stream.read().decode("utf-8-sig")
    try:
        reader = csv.DictReader(io.StringIO(text, newline=""))
        if not {"filename", "label"} <= set(reader.fieldnames or ()):
            got, remedy = f"{path} without", "Name them so in its first row."
            fail("ImageSet", "folder", "lists with columns filename and label", got, remedy)
        rows = [(row["filename"], row["label"]) for row in reader]
    except csv.Error as error:
        fail("ImageSet", "folder", "lists in CSV", f"{path} ({error})", "Write it again.")
    bare = next((place for place, row in enumerate(rows, start=2) if not all(row)), None)
    if bare is not None or not rows:
        got = f"{path} without" if bare is None else f"{path} without in line {bare}"
        remedy = "Write both, or remove the line or the file."
        fail("ImageSet", "folder", "lists with a file name and a label a line", got, remedy)
    return rows
