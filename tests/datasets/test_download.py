import hashlib
from collections.abc import Iterator
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.request import HTTPSHandler, Request

import pytest

from diffresnet.datasets import download as module
from diffresnet.datasets.download import download

CONTENT = b"numbers" * 20_000
KNOWN = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "source.npz"
    path.write_bytes(CONTENT)
    return path


def test_once(source: Path) -> None:
    kept = download(source.as_uri(), "graphs/one.npz", KNOWN)
    assert kept.read_bytes() == CONTENT
    source.unlink()
    assert download(source.as_uri(), "graphs/one.npz", KNOWN) == kept


def test_another_file_is_not_kept(source: Path, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="is not the file we know: its checksum is"):
        download(source.as_uri(), "one.npz", "0" * 64)
    assert not (tmp_path / "cache").exists()


def test_no_network(source: Path) -> None:
    source.unlink()
    with pytest.raises(OSError, match=r"one.npz could not be downloaded from .* Put it there by"):
        download(source.as_uri(), "one.npz", KNOWN)
    with pytest.raises(OSError, match="only https is allowed"):
        download("http://example.org/one.npz", "one.npz", KNOWN)


def test_what_is_in_the_cache_is_checked(source: Path) -> None:
    kept = download(source.as_uri(), "one.npz", KNOWN)
    kept.write_bytes(CONTENT[:-1] + b"x")
    assert download(source.as_uri(), "one.npz", KNOWN).read_bytes() == CONTENT
    kept.write_bytes(b"other")
    source.unlink()
    with pytest.raises(OSError, match=r"one.npz could not be downloaded"):
        download(source.as_uri(), "one.npz", KNOWN)


def test_the_folder_of_downloads_is_private(source: Path) -> None:
    kept = download(source.as_uri(), "graphs/one.npz", KNOWN)
    assert kept.parent.parent.stat().st_mode & 0o777 == 0o700


def test_a_download_without_end(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", len(CONTENT) - 1)
    with pytest.raises(OSError, match="it has more than 139,999 bytes"):
        download(source.as_uri(), "one.npz", KNOWN)


class _Server(BaseHTTPRequestHandler):
    """Sends the file, and leads to it from elsewhere."""

    def do_GET(self) -> None:
        leads = self.path in ("/insecure", "/secure")
        self.send_response(302 if leads else 200)
        if leads:
            kind = "https" if self.path == "/secure" else "http"
            self.send_header("Location", f"{kind}://{self.headers['Host']}/file")
        self.end_headers()
        self.wfile.write(b"" if leads else CONTENT)

    def log_message(self, *_: object) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Serve on loopback; https is spoken without encryption, which does not matter here."""

    def open_plainly(handler: HTTPSHandler, request: Request) -> Any:
        return handler.do_open(HTTPConnection, request)

    monkeypatch.setattr(HTTPSHandler, "https_open", open_plainly)
    with HTTPServer(("127.0.0.1", 0), _Server) as serving:
        thread = Thread(target=serving.serve_forever)
        thread.start()
        yield f"https://127.0.0.1:{serving.server_port}"
        serving.shutdown()
        thread.join()


@pytest.mark.usefixtures("source")
def test_redirects_stay_secure(server: str) -> None:
    assert download(f"{server}/secure", "one.npz", KNOWN).read_bytes() == CONTENT
    with pytest.raises(OSError, match=r"it leads to http://.*/file, and only https is allowed"):
        download(f"{server}/insecure", "two.npz", KNOWN)
