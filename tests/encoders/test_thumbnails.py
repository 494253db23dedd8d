import io
from pathlib import Path

import numpy as np

from diffresnet.encoders.thumbnails import make_thumbnail
from tests.encoders.examples import Image, save_photo


def test_a_thumbnail_is_a_small_picture(tmp_path: Path) -> None:
    made = make_thumbnail(save_photo(tmp_path / "a.png", size=(400, 200)))
    assert Image.open(io.BytesIO(made)).size == (72, 36)
    assert len(make_thumbnail(np.zeros((28, 28), dtype=np.uint8))) < 1000
