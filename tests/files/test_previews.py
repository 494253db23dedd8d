import numpy as np
import pytest

from diffresnet.files.previews import pack_thumbnails, unpack_thumbnails


def test_what_is_packed_is_unpacked() -> None:
    pictures = [b"abc", b"", b"defgh"]
    assert unpack_thumbnails(pack_thumbnails(pictures)) == pictures
    assert unpack_thumbnails(pack_thumbnails([])) == []


@pytest.mark.parametrize("ends", [[3, 2], [1, 9], [0.5, 3.0]])
def test_damaged_arrays(ends: list[float]) -> None:
    arrays = pack_thumbnails([b"ab", b"c"]) | {"thumbnail_ends": np.array(ends)}
    with pytest.raises(ValueError, match="must be `thumbnails` and `thumbnail_ends`"):
        unpack_thumbnails(arrays)
