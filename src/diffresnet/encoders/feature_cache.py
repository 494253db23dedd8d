"""Features that were computed before, found by what they were computed from."""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diffresnet._support.writing import write_whole
from diffresnet.datasets.files import PRIVATE
from diffresnet.encoders.encoder import Features
from diffresnet.files.arrays import encode_arrays, read_arrays
from diffresnet.files.opening import UNREADABLE

KEY_SIZE = 16
MOST_FILES = 16
"""With more files than these they become one."""


@dataclass
class FeatureCache:
    """Files of features of one encoder, each written whole.

    The folder is named by the encoder's fingerprint and features by the content of their items:
    an item that moves or is renamed is found again, one that changes is not.

    A file carries a digest of its features and of the name of the folder: what has changed, or was
    made by another encoder, is left aside.

    Attributes:
        folder: of the files; made if need be, private to the user.
        damaged: the files that `find` left aside.

    Examples:
        >>> import tempfile
        >>> cache = FeatureCache(Path(tempfile.mkdtemp()))
        >>> cache.add({b"0123456789abcdef": np.ones(3, dtype=np.float32)})
        >>> FeatureCache(cache.folder).find([b"0123456789abcdef", b"fedcba9876543210"])
        {b'0123456789abcdef': array([1., 1., 1.], dtype=float32)}
    """

    folder: Path
    damaged: list[Path] = field(default_factory=list[Path], init=False, repr=False)
    _files: list[Path] = field(default_factory=list[Path], init=False, repr=False)

    def find(self, keys: Iterable[bytes]) -> dict[bytes, Features]:
        """Return the features of those keys that are there. Damaged files are left aside."""
        wanted = set(keys)
        self._files = sorted(self.folder.glob("*.npz"))
        self.damaged = []
        found: dict[bytes, Features] = {}
        for path in self._files:
            content = self._read(path, wanted)
            if content is None:
                self.damaged.append(path)
            found |= content or {}
        return found

    def add(self, features: Mapping[bytes, Features]) -> None:
        """Keep features in a file of their own."""
        if features:
            self._files.append(self._write(features))

    def merge(self) -> None:
        """Put the files that `find` and `add` know into one, if there are many."""
        if len(self._files) <= MOST_FILES:
            return
        read = {path: self._read(path) for path in self._files}
        contents = {path: content for path, content in read.items() if content is not None}
        merged = self._write({key: row for part in contents.values() for key, row in part.items()})
        for path in contents.keys() - {merged}:
            path.unlink(missing_ok=True)
        self._files = [merged]

    def _write(self, features: Mapping[bytes, Features]) -> Path:
        names = list(features)
        keys = np.frombuffer(b"".join(names), dtype=np.uint8).reshape(-1, KEY_SIZE)
        rows = np.stack(list(features.values())).astype(np.float32)
        digest = np.frombuffer(self._digest(keys, rows), dtype=np.uint8)
        content = encode_arrays({"keys": keys, "features": rows, "digest": digest})
        self.folder.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        return write_whole(self.folder / f"{content_key(b''.join(names)).hex()}.npz", content)

    def _read(self, path: Path, wanted: Set[bytes] | None = None) -> dict[bytes, Features] | None:
        """Return what a file holds of the wanted keys, or of all; None if it is damaged."""
        try:
            keys = read_arrays(path, "FeatureCache", wanted="keys".__eq__)["keys"]
            names = [name.tobytes() for name in keys]
            if wanted is not None and wanted.isdisjoint(names):
                return {}
            arrays = read_arrays(path, "FeatureCache")
            rows = arrays["features"]
            fits = keys.shape == (len(rows), KEY_SIZE) and rows.ndim == 2 and rows.dtype == "f4"
            whole = fits and arrays["digest"].tobytes() == self._digest(keys, rows)
        except FileNotFoundError:  # another process has merged it
            return {}
        except UNREADABLE:
            return None
        if not whole or not np.isfinite(rows).all():
            return None
        pairs = zip(names, rows, strict=True)
        return {name: row for name, row in pairs if wanted is None or name in wanted}

    def _digest(self, keys: NDArray[Any], rows: NDArray[Any]) -> bytes:
        content = blake2b(f"{self.folder.name} {rows.shape}".encode(), digest_size=KEY_SIZE)
        for part in (keys, rows):
            content.update(np.ascontiguousarray(part).data)
        return content.digest()


def content_key(content: bytes) -> bytes:
    """Return the key of an item with this content."""
    return blake2b(content, digest_size=KEY_SIZE).digest()
