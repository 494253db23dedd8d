"""Files and folders that a command writes, tried before the work begins."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

from diffresnet._support.checks import refuse
from diffresnet._support.writing import write_whole, write_whole_folder
from diffresnet.cli.console import say
from diffresnet.files.results import MARK, check_not_used, check_replaceable

Files: TypeAlias = Iterable[tuple[str, bytes]]
"""The names and contents of the files of a folder, made one by one."""


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
    check_not_used(path, option, "file", inputs)
    if path.exists() and not path.is_file() and not path.is_dir():
        refuse(option, "a regular file", f"{path}, something else", f"Choose another {option}.")
    if path.is_dir() or (path.exists() and not force and not _is_unfinished(path)):
        remedy = f"Choose another {option}, or pass --force."
        refuse(option, "a new file", f"{path}, which exists", remedy)
    make_folder(path.parent, option)


def check_new_folder(
    path: Path, option: str, pattern: str, inputs: Sequence[Path], *, force: bool
) -> None:
    """End the command before the work if a folder cannot or should not be written.

    Only files whose names match `pattern` are ever written over.
    """
    found = check_replaceable(path, option, pattern, inputs)
    if not force and not all(_is_unfinished(path / name) for name in found):
        remedy = f"Choose another {option}, or pass --force."
        refuse(option, "a new folder", f"{path}, which exists", remedy)
    make_folder(path.parent, option)


def write_files(
    contents: Mapping[Path, bytes | Files], speak: Callable[[], None] = lambda: None
) -> None:
    """Write files and folders, each whole or not at all, let the command speak, and name them.

    Whatever becomes of the terminal, the files are there; whatever becomes of the disk, the command
    has spoken. A command that is stopped meanwhile may be called again without --force.
    """
    written: list[Path] = []
    trouble: list[str] = []
    digests = {path: _digest(path, one) for path, one in contents.items() if isinstance(one, bytes)}
    folders = {path.parent if path in digests else path for path in contents}
    for folder in {path.parent for path in digests}:
        known = _read_mark(folder)
        mine = [digest for path, digest in digests.items() if path.parent == folder]
        new = [digest for digest in mine if digest not in known]
        with suppress(OSError):  # without the mark the next call needs --force
            write_whole(folder / MARK, b"".join([known, *new]))
    for path, content in contents.items():
        try:
            if isinstance(content, bytes):
                written.append(write_whole(path, content))
            else:
                written.append(write_whole_folder(path, _with_mark(content)))
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


def _with_mark(files: Files) -> Iterator[tuple[str, bytes]]:
    """Yield files, and the mark of all of them at the end."""
    digests: list[bytes] = []
    for name, content in files:
        digests.append(_digest(Path(name), content))
        yield name, content
    yield MARK, b"".join(digests)


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
