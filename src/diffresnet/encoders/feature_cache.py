"""Features that were computed before, found by what they were computed from."""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

import numpy as np

from diffresnet._support.writing import write_whole
from diffresnet.encoders.encoder import Features
from diffresnet.files.arrays import encode_arrays
from diffresnet.files.opening import UNREADABLE

KEY_SIZE = 16
MOST_FILES = 16
"""With more files than these they become one."""


@dataclass
class FeatureCache:
    """Files of features of one encoder, each written whole.

    The folder is named by the encoder's fingerprint and features by the content of their items:
    an item that moves or is renamed is found again, one that changes is not.

    Attributes:
        folder: of the files; made if need be.

    Examples:
        >>> import tempfile
        >>> cache = FeatureCache(Path(tempfile.mkdtemp()))
        >>> cache.add({b"0123456789abcdef": np.ones(3, dtype=np.float32)})
        >>> FeatureCache(cache.folder).find([b"0123456789abcdef", b"fedcba9876543210"])
        {b'0123456789abcdef': array([1., 1., 1.], dtype=float32)}
    """

    folder: Path
    _files: list[Path] = field(default_factory=list[Path], repr=False)

    def find(self, keys: Iterable[bytes]) -> dict[bytes, Features]:
        """Return the features of those keys that are there. Damaged files are left aside."""
        wanted = set(keys)
        self._files = sorted(self.folder.glob("*.npz"))
        found: dict[bytes, Features] = {}
        for path in self._files:
            found |= _read(path, wanted) or {}
        return found

    def add(self, features: Mapping[bytes, Features]) -> None:
        """Keep features in a file of their own."""
        if features:
            self._files.append(self._write(features))

    def merge(self) -> None:
        """Put the files that `find` and `add` know into one, if there are many."""
        if len(self._files) <= MOST_FILES:
            return
        contents = {path: content for path in self._files if (content := _read(path)) is not None}
        merged = self._write({key: row for part in contents.values() for key, row in part.items()})
        for path in contents.keys() - {merged}:
            path.unlink(missing_ok=True)
        self._files = [merged]

    def _write(self, features: Mapping[bytes, Features]) -> Path:
        names = list(features)
        keys = np.frombuffer(b"".join(names), dtype=np.uint8).reshape(-1, KEY_SIZE)
        content = encode_arrays({"keys": keys, "features": np.stack(list(features.values()))})
        return write_whole(self.folder / f"{content_key(b''.join(names)).hex()}.npz", content)


def _read(path: Path, wanted: Set[bytes] | None = None) -> dict[bytes, Features] | None:
    """Return what a file holds of the wanted keys, or of all; None if it cannot be read."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            names = [name.tobytes() for name in arrays["keys"]]
            if wanted is not None and wanted.isdisjoint(names):
                return {}
            pairs = zip(names, arrays["features"], strict=True)
            return {name: row for name, row in pairs if wanted is None or name in wanted}
    except UNREADABLE:
        return None


def content_key(content: bytes) -> bytes:
    """Return the key of an item with this content."""
    return blake2b(content, digest_size=KEY_SIZE).digest()
