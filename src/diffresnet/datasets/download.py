"""Files from the network, checked and then kept in the user's cache."""

import hashlib
from http.client import HTTPException
from pathlib import Path
from urllib.request import Request, urlopen

from diffresnet._support.progress import progress_bar
from diffresnet._support.writing import write_whole
from diffresnet.datasets.files import cache_folder

TIMEOUT = 30
CHUNK = 2**16


def download(url: str, name: str, sha256: str) -> Path:
    """Download a file to the cache, unless it is there.

    Args:
        url: of the file.
        name: in the cache.
        sha256: checksum of its content, in hexadecimal digits.

    Raises:
        OSError: if it cannot be had, or is another file; nothing is kept then. The message says
            what to do.
    """
    path = cache_folder() / name
    if path.is_file():
        return path
    remedy = f"Put it there by hand: {path}"
    try:
        content = _fetch(url, name)
    except (HTTPException, OSError, ValueError) as error:
        raise OSError(f"{name} could not be downloaded from {url} ({error}). {remedy}") from error
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        message = f"{url} is not the file we know: its checksum is {found}, not {sha256}. {remedy}"
        raise OSError(message)
    return write_whole(path, content)


def _fetch(url: str, name: str) -> bytes:
    if not url.startswith(("https://", "file://")):
        raise ValueError("only https is allowed")
    parts: list[bytes] = []
    with urlopen(Request(url), timeout=TIMEOUT) as stream:  # noqa: S310  (checked above)
        total = int(stream.headers.get("Content-Length") or 0)
        with progress_bar(name, total) as advance:
            n_read = 0
            while part := stream.read(CHUNK):
                parts.append(part)
                n_read += len(part)
                advance(n_read, "")
    return b"".join(parts)
