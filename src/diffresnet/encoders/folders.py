"""Which files of a folder are its images: those inside of it, and no others unasked.

A folder may come from a stranger. What its lists name, and where its links lead, is read, and
thumbnails of it are kept, so both must stay inside.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from diffresnet._support.checks import fail
from diffresnet._support.words import some
from diffresnet.encoders.pictures import SUFFIXES

ClassFolders: TypeAlias = Literal["auto", "all", "none"] | Sequence[str]
"""Which folders of images are classes."""


def find_images(folder: Path, *, follow_links: bool) -> list[Path]:
    """Return the images of a folder and below, in order.

    Links to folders, and links that lead out, are refused, or followed, but not in circles.
    """
    found: list[Path] = []
    waiting = [(folder, frozenset[str]())]
    while waiting:
        here, above = waiting.pop()
        place = os.path.realpath(here)
        if place in above:
            continue
        for path in here.iterdir():
            is_folder = os.path.isdir(path)  # noqa: PTH112  (pathlib raises where names are odd)
            if path.name.startswith(".") or not (is_folder or path.suffix.lower() in SUFFIXES):
                continue
            if not follow_links and path.is_symlink():
                check_inside(folder, path, is_folder=is_folder)
            if is_folder:
                waiting.append((path, above | {place}))
            else:
                found.append(path)
    return sorted(found)


def locate_image(folder: Path, name: str, label: str, *, follow_links: bool) -> Path:
    """Return where a listed image is: in the folder or in `images`, perhaps below its class."""
    if not _stays_below(name):
        remedy = "Write paths that are relative to the folder, without '..'."
        fail("ImageSet", "folder", "one whose lists name files in it", some([name]), remedy)
    parts = [part for part in ("", label) if _stays_below(part)]
    places = [base / part / name for base in (folder / "images", folder) for part in parts]
    path = next((place for place in places if os.path.isfile(place)), None)  # noqa: PTH113
    if path is None:
        got, remedy = f"{some([name])} missing", "Check where the images are."
        fail("ImageSet", "folder", "one with the listed images", got, remedy)
    if not follow_links:
        check_inside(folder, path)
    return path


def folder_labels(images: Sequence[Path], class_folders: ClassFolders) -> tuple[str, ...]:
    """Return the class of each image, "" where it has none; nothing if no folder is a class.

    Args:
        images: their places, relative to the folder that is read.
        class_folders: see `ImageSet.from_folder`.

    Examples:
        >>> folder_labels([Path("cat/1.jpg"), Path("new/2.jpg"), Path("3.jpg")], ["cat"])
        ('cat', '', '')
    """
    tops = [path.parts[0] if len(path.parts) > 1 else "" for path in images]
    if class_folders == "auto":
        return tuple(tops) if all(tops) else ()
    if class_folders == "none":
        return ()
    if class_folders == "all" or isinstance(class_folders, str):
        return tuple(tops)
    missing = [name for name in class_folders if name not in tops]
    if missing:
        must = f"folders with images ({some(sorted(set(tops) - {''})) or 'there are none'})"
        fail("ImageSet", "class_folders", must, some(missing), "Check these names.")
    return tuple(top if top in class_folders else "" for top in tops)


def _stays_below(name: str) -> bool:
    """Tell whether a name, as it is written, is of something below a folder."""
    path = Path(name)
    return not (path.is_absolute() or path.drive or ".." in path.parts)


def check_inside(folder: Path, path: Path, *, is_folder: bool = False) -> None:
    """Refuse a file that is not inside of a folder, once links are followed, and linked folders.

    A link to a folder inside would only show the same images again, perhaps exponentially often.
    """
    inside = Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))
    if is_folder or not inside:
        got = f"{path}, which is a link to a folder" if inside else f"{path}, which leads elsewhere"
        remedy = "Copy what it leads to, or follow links (`follow_links`, --follow-links)."
        fail("ImageSet", "folder", "one whose images are inside of it", got, remedy)
