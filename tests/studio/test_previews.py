import io
from pathlib import Path

import numpy as np
import pytest

from diffresnet.encoders.pictures import make_thumbnail
from diffresnet.studio.opening import Opened
from diffresnet.studio.previews import make_preview

PIL = pytest.importorskip("PIL.Image", reason="needs the extra `images`")
IDS = ["a"]


def size_of(content: bytes) -> tuple[int, int]:
    with PIL.open(io.BytesIO(content)) as picture:
        assert picture.format == "JPEG"
        return picture.size


def test_pictures_are_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    from PIL.PngImagePlugin import PngInfo  # noqa: PLC0415

    told = PngInfo()
    told.add_text("Comment", "secret place")
    PIL.new("RGBA", (900, 300), (10, 20, 30, 128)).save(path, pnginfo=told)
    content = make_preview(Opened("t", "photos", IDS, None, pictures=[path]), 0)
    assert size_of(content) == (256, 85)
    assert b"secret" not in content


def test_tiny_pictures_are_shown_larger() -> None:
    pixels = np.zeros((8, 8), dtype=np.uint8)
    assert size_of(make_preview(Opened("t", "photos", IDS, None, pictures=[pixels]), 0)) == (48, 48)


def test_thumbnails_of_files_are_made_anew() -> None:
    thumbnail = make_thumbnail(np.zeros((100, 50, 3), dtype=np.uint8))
    found = make_preview(Opened("t", "photos", IDS, None, thumbnails=[thumbnail]), 0)
    assert size_of(found) == (36, 72) or size_of(found)[1] == 72


@pytest.mark.parametrize("content", [b"", b"<svg/>", b"%!PS", b"\x89PNG\r\n"])
def test_what_is_no_picture_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(content)
    for opened in (
        Opened("t", "photos", IDS, None, thumbnails=[content]),
        Opened("t", "photos", IDS, None, pictures=[tmp_path / "a.png"]),
        Opened("t", "photos", IDS, None, pictures=[tmp_path / "gone.png"]),
    ):
        with pytest.raises(ValueError, match="The picture must be readable"):
            make_preview(opened, 0)
    with pytest.raises(ValueError, match="The point must be one with a picture, got none"):
        make_preview(Opened("t", "table", IDS, None), 0)
