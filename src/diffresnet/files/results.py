"""Folders that results may replace: nothing is removed but earlier results."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path, PurePath

from diffresnet._support.checks import refuse
from diffresnet._support.words import some
from diffresnet._support.writing import PREFIX

MARK = f"{PREFIX}unfinished"
"""A file in a folder that tells what commands have written there, or will, that have not ended."""


def check_replaceable(
    path: Path, option: str, pattern: str, inputs: Sequence[PurePath]
) -> list[str]:
    """Refuse a folder that has anything but results, or an input, or that one is in.

    Args:
        path: of the folder, which may be new.
        option: that named it, for messages.
        pattern: of the names of results.
        inputs: files and folders that are used.

    Returns:
        The names of the results that are there.
    """
    place, here = path.resolve(), Path.cwd()
    if place in (here, *here.parents):
        got = f"{path}, the one you are in" if place == here else f"{path}, which you are in"
        refuse(option, "a folder of its own", got, "Name a new one.")
    check_apart(path, option, inputs)
    try:
        found = [one.name for one in path.iterdir()] if path.exists() else []
    except OSError as error:
        got = f"{path} ({error.strerror})"
        refuse(option, "a folder that can be written", got, f"Choose another {option}.")
    results = [name for name in found if name != MARK]
    others = [name for name in results if not fnmatchcase(name, pattern)]
    if others:
        must = f"a new folder, or one with {pattern} only"
        refuse(option, must, f"{path} with {some(others)}", f"Choose another {option}.")
    return results


def check_apart(path: PurePath, option: str, inputs: Sequence[PurePath]) -> None:
    """Refuse a folder that is an input, is in one, or has one in it."""
    check_not_used(path, option, "folder", inputs)
    if any(_resolved(path) in _resolved(one).parents for one in inputs):
        got = f"{path} with an input in it"
        refuse(option, "a folder without inputs", got, f"Choose another {option}.")


def check_not_used(path: PurePath, option: str, kind: str, inputs: Sequence[PurePath]) -> None:
    """Refuse what would be written to an input, or into a folder that is one."""
    place = _resolved(path)
    if any(_resolved(one) in (place, *place.parents) for one in inputs):
        refuse(
            option, f"another {kind} than those that are used", path, f"Choose another {option}."
        )


def _resolved(path: PurePath) -> PurePath:
    """Return a path of this machine without links; one of another is what it is."""
    return path.resolve() if isinstance(path, Path) else path
