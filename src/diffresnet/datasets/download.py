"""Files from the network, checked and then kept in the user's cache."""

import hashlib
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.request import HTTPRedirectHandler, Request, build_opener

from diffresnet._support.progress import progress_bar
from diffresnet._support.writing import write_whole
from diffresnet.datasets.files import cache_folder, make_cache_folder

TIMEOUT = 30
CHUNK = 2**16
MOST_BYTES = 2**28
"""Of a download: whoever sends more sends something else."""


def download(url: str, name: str, sha256: str) -> Path:
    """Download a file to the cache, unless it is there.

    A file that is there is checked, too: one that has changed is downloaded again.

    Args:
        url: of the file; https, as are all that it leads to.
        name: in the cache.
        sha256: checksum of its content, in hexadecimal digits.

    Raises:
        OSError: if it cannot be had, or is another file; nothing is kept then. The message says
            what to do.
    """
    path = cache_folder() / name
    if path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == sha256:
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
    folder = make_cache_folder(str(Path(name).parent))
    return write_whole(folder / path.name, content)


class _SecureRedirects(HTTPRedirectHandler):
    """Follows redirects to https only; urllib would follow them to http and ftp."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> Request | None:
        found = super().redirect_request(*args, **kwargs)
        if found is not None and found.type != "https":
            raise OSError(f"it leads to {found.full_url}, and only https is allowed")
        return found


def _fetch(url: str, name: str) -> bytes:
    if not url.startswith(("https://", "file://")):
        raise ValueError("only https is allowed")
    parts: list[bytes] = []
    with build_opener(_SecureRedirects).open(Request(url), timeout=TIMEOUT) as stream:  # noqa: S310  (checked above)
        total = int(stream.headers.get("Content-Length") or 0)
        with progress_bar(name, total) as advance:
            n_read = 0
            while part := stream.read(CHUNK):
                parts.append(part)
                n_read += len(part)
                if n_read > MOST_BYTES:
                    raise ValueError(f"it has more than {MOST_BYTES:,} bytes")
                advance(n_read, "")
    return b"".join(parts)
