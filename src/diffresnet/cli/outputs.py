"""Files and folders that a command writes, tried before the work begins."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from diffresnet._support.checks import refuse
from diffresnet._support.writing import PREFIX, write_whole
from diffresnet.cli.console import say

MARK = f"{PREFIX}unfinished"
"""A file in a folder that tells what commands have written there, or will, that have not ended."""


def make_folder(out: Path, option: str = "--out") -> None:
    """Make the folder that `option` names, or end the command with a sentence that says why not."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"cannot write to {out}: {error.strerror}. Choose another {option}."
        raise ValueError(message) from error
    if not os.access(out, os.W_OK):
        raise ValueError(f"cannot write to {out}: not allowed. Choose another {option}.")


def check_new_file(
    path: Path | None, option: str, suffixes: Sequence[str], inputs: Sequence[Path], *, force: bool
) -> None:
    """End the command before the work if a file cannot or should not be written; None is none."""
    if path is None:
        return
    if path.suffix.lower() not in suffixes:
        must = f"a file that ends in {' or '.join(suffixes)}"
        refuse(option, must, path, f"Choose another {option}.")
    if any(path.resolve() == one.resolve() for one in inputs):
        refuse(option, "another file than those that are used", path, f"Choose another {option}.")
    if path.is_dir() or (path.exists() and not force and not _is_unfinished(path)):
        remedy = f"Choose another {option}, or pass --force."
        refuse(option, "a new file", f"{path}, which exists", remedy)
    make_folder(path.parent, option)


def write_files(contents: Mapping[Path, bytes], speak: Callable[[], None] = lambda: None) -> None:
    """Write files, each whole or not at all, then let the command speak, and say what was written.

    Whatever becomes of the terminal, the files are there; whatever becomes of the disk, the command
    has spoken. A command that is stopped meanwhile may be called again without --force.
    """
    written: list[Path] = []
    trouble: list[str] = []
    folders = {path.parent for path in contents}
    for folder in folders:
        mine = [_digest(*file) for file in contents.items() if file[0].parent == folder]
        with suppress(OSError):  # without the mark the next call needs --force
            write_whole(folder / MARK, b"".join([_read_mark(folder), *mine]))
    for path, content in contents.items():
        try:
            written.append(write_whole(path, content))
        except OSError as error:
            trouble.append(f"{path} ({error.strerror})")
    has_ended = not trouble
    try:
        speak()
        for path in written:
            say(f"wrote {path}")
    except KeyboardInterrupt:
        has_ended = False
        raise
    finally:
        for folder in folders if has_ended else ():
            with suppress(OSError):
                (folder / MARK).unlink()
    if trouble:
        raise ValueError(f"cannot write {', '.join(trouble)}. Free some space, or choose another.")


def _digest(path: Path, content: bytes) -> bytes:
    return sha256(os.fsencode(path.name) + b"/" + content).digest()


def _read_mark(folder: Path) -> bytes:
    try:
        return (folder / MARK).read_bytes()
    except OSError:
        return b""


def _is_unfinished(path: Path) -> bool:
    """Whether a command that has not ended wrote a file, and nobody has changed it since."""
    try:
        return _digest(path, path.read_bytes()) in _read_mark(path.parent)
    except OSError:
        return False
