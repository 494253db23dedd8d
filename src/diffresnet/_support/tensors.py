"""Files of tensors and plain values, as torch writes them, which are read back as they were."""

import io
import os
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import ZIP_STORED, BadZipFile, ZipFile

import torch

from diffresnet._support.reading import open_regular
from diffresnet._support.writing import write_whole

MOST_BYTES = 2**32
"""Of a file."""


def write_tensors(path: Path, content: dict[str, Any]) -> Path:
    """Write tensors and plain values by name, whole or not at all."""
    stream = io.BytesIO()
    torch.save(content, stream)
    return write_whole(path, stream.getvalue())


def read_tensors(path: Path) -> dict[str, Any]:
    """Read what `write_tensors` wrote, on the CPU; nothing in the file is run.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if it is another file, or one bit of it has changed.
    """
    try:
        with open_regular(path, MOST_BYTES) as stream:
            _check_whole(stream)
            content = torch.load(stream, map_location="cpu", weights_only=True)
        if isinstance(content, dict):
            return content
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {path}.") from None
    except Exception as error:  # of all kinds; torch's own texts advise to load it unsafely
        raise ValueError("it is damaged") from error
    raise ValueError("it is damaged")


def _check_whole(stream: BinaryIO) -> None:
    """Raise unless an archive is as torch wrote it: torch itself does not look at its checksums.

    Nothing in it is compressed, so that no more memory is needed than the file has bytes.
    """
    size = stream.seek(0, os.SEEK_END)
    with ZipFile(stream) as archive:
        members = archive.infolist()
        plain = all(member.compress_type == ZIP_STORED for member in members)
        fits = sum(member.file_size for member in members) <= size
        if not plain or not fits or archive.testzip() is not None:
            raise BadZipFile
    stream.seek(0)
