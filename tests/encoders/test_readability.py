from pathlib import Path

import pytest

from diffresnet.encoders.image_set import ImageSet
from diffresnet.encoders.readability import check_readable
from tests.encoders.examples import save_photo


def test_damaged_images_are_named(tmp_path: Path) -> None:
    save_photo(tmp_path / "cat/1.png")
    save_photo(tmp_path / "dog/1.png")
    (tmp_path / "cat/2.png").write_bytes(b"torn")
    images = ImageSet.from_folder(tmp_path)
    with pytest.raises(ValueError, match=r"got cat/2.png \(cannot identify image file"):
        check_readable(images, "refuse", print)
    said: list[str] = []
    kept = check_readable(images, "skip", said.append)
    assert kept.ids == ("cat/1.png", "dog/1.png")
    assert kept.labels == ("cat", "dog")
    assert said[0].startswith("left out cat/2.png")
    assert check_readable(kept, "refuse", print) is kept
