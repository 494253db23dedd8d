import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diffresnet.files.arrays import ALONE, read_arrays, read_described, write_described


def test_there_and_back(tmp_path: Path) -> None:
    path = write_described(tmp_path / "new" / "x.npz", {"a": np.arange(3)}, {"b": [1, None]})
    arrays, description = read_described(path, "load")
    assert arrays["a"].tolist() == [0, 1, 2]
    assert description["b"] == [1, None]


def test_other_files(tmp_path: Path) -> None:
    text, other, pickled = (tmp_path / name for name in ("text", "other.npz", "pickled.npz"))
    text.write_text("hello")
    np.savez(other, a=np.arange(3))
    np.savez(pickled, description=np.array({"format": 1}, dtype=object))
    with pytest.raises(ValueError, match="must be a saved model of format 3, got") as error:
        read_described(other, "load")
    assert str(error.value).endswith("Pass a file that `save` wrote.")
    for path in (text, pickled):
        with pytest.raises(ValueError, match=r"load: `path` must be a \.npz or \.npy file of"):
            read_described(path, "load")
    with pytest.raises(FileNotFoundError):
        read_described(tmp_path / "nothing", "load")


def test_what_would_need_pickle_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    with pytest.raises(ValueError, match="allow_pickle"):
        write_described(path, {"a": np.array([{}], dtype=object)}, {})
    assert not path.exists()


def header_of(shape: tuple[int, ...], descr: str = "<f8") -> bytes:
    """Return the beginning of an array, which promises what does not follow."""
    stream = io.BytesIO()
    header: dict[str, Any] = {"descr": descr, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, header)
    return stream.getvalue()


def zipped(content: bytes, method: int = zipfile.ZIP_STORED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        archive.writestr("a.npy", content)
    return stream.getvalue()


def encrypted(archive: bytes) -> bytes:
    """Return an archive that says of its only member that it needs a password."""
    changed = bytearray(archive)
    changed[archive.index(b"PK\x01\x02") + 8] |= 1
    changed[6] |= 1
    return bytes(changed)


BOMB = 2**28
WHOLE = header_of((2,)) + bytes(16)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (header_of((10**12,)), "an array of 8,000,000,000,000 bytes is promised, and 0 are there"),
        (header_of((10**12,), "<U0"), "1,000,000,000,000 bytes is promised"),
        (zipped(header_of((10**12,))), "bytes is promised"),
        (header_of((2,))[:60], "EOF|EOL|header"),
        (WHOLE[:-1], "an array of 16 bytes is promised, and 15 are there"),
        (WHOLE.replace(b"(2,)", b"(2,("), ""),
        (WHOLE.replace(b"'<f8'", b"'|O' "), "it has objects of Python"),
        (b"\x93NUMPY\x09\x00" + bytes(100), "an array of an unknown version|only support"),
        (zipped(b"hello"), "magic"),
        (zipped(WHOLE, zipfile.ZIP_LZMA), "'a.npy' is compressed in an unusual way"),
        (encrypted(zipped(WHOLE)), "'a.npy' is encrypted"),
        (zipped(WHOLE).replace(bytes(16), bytes(15) + b"x"), "CRC"),
        (zipped(WHOLE)[:-30], "zip"),
        (
            zipped(header_of((BOMB,), "|u1") + bytes(BOMB), zipfile.ZIP_DEFLATED),
            "it would unpack to 268,.* bytes, more than 268,435,456: write it uncompressed",
        ),
    ],
)
def test_damaged_files_take_no_memory(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "a.npz").write_bytes(content)
    with pytest.raises(ValueError, match=rf"FILE must be a \.npz or \.npy file .*\(.*({reason})"):
        read_arrays(tmp_path / "a.npz", "FILE")


def test_a_description_that_never_ends(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", description=np.array("[" * 100_000))
    with pytest.raises(ValueError, match=r"must be a saved model of format 3, got .*\. Pass"):
        read_described(tmp_path / "a.npz", "load")


@pytest.mark.parametrize("order", ["<", ">"])
def test_characters_that_do_not_exist(tmp_path: Path, order: str) -> None:
    path, texts = tmp_path / "a.npy", np.array(["ab", "\U0010ffff"], dtype=f"{order}U2")
    np.save(path, texts)
    assert read_arrays(path, "F")[ALONE].tolist() == texts.tolist()
    texts.view(f"{order}u4")[0] = 0x110000
    np.save(path, texts)
    with pytest.raises(ValueError, match="texts of characters that do not exist"):
        read_arrays(path, "F")
