"""Which files of a folder are its images: those inside of it, and no others unasked.

A folder may come from a stranger. What its lists name, and where its links lead, is read, and
thumbnails of it are kept, so both must stay inside.
"""

import os
from pathlib import Path

from diffresnet._support.checks import fail
from diffresnet._support.words import some
from diffresnet.encoders.pictures import SUFFIXES


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
