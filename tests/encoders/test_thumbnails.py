import io
from pathlib import Path

import numpy as np
import pytest

from diffresnet.encoders.thumbnails import make_thumbnail, pack_thumbnails, unpack_thumbnails
from tests.encoders.examples import Image, save_photo


def test_a_thumbnail_is_a_small_picture(tmp_path: Path) -> None:
    made = make_thumbnail(save_photo(tmp_path / "a.png", size=(400, 200)))
    assert Image.open(io.BytesIO(made)).size == (72, 36)
    assert len(make_thumbnail(np.zeros((28, 28), dtype=np.uint8))) < 1000


def test_what_is_packed_is_unpacked() -> None:
    pictures = [b"abc", b"", b"defgh"]
    assert unpack_thumbnails(pack_thumbnails(pictures)) == pictures
    assert unpack_thumbnails(pack_thumbnails([])) == []


@pytest.mark.parametrize("ends", [[3, 2], [1, 9], [0.5, 3.0]])
def test_damaged_arrays(ends: list[float]) -> None:
    arrays = pack_thumbnails([b"ab", b"c"]) | {"thumbnail_ends": np.array(ends)}
    with pytest.raises(ValueError, match="must be `thumbnails` and `thumbnail_ends`"):
        unpack_thumbnails(arrays)
