import hashlib
from pathlib import Path

import pytest

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
