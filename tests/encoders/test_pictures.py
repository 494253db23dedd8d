import io
import os
import struct
from pathlib import Path

import numpy as np
import pytest
from PIL import EpsImagePlugin, ImageOps

from diffresnet.encoders.items import UnreadableError
from diffresnet.encoders.pictures import (
    MOST_BYTES,
    check_pixels,
    make_thumbnail,
    open_picture,
    read_content,
)
from tests.encoders.examples import Image, save_photo


def test_photographs_are_read_as_they_are(tmp_path: Path) -> None:
    path = save_photo(tmp_path / "a.png")
    assert np.array_equal(np.asarray(open_picture(path)), np.asarray(Image.open(path)))


@pytest.mark.parametrize("mode", ["1", "L", "P", "LA", "RGBA", "CMYK", "I;16", "I", "F"])
def test_every_kind_of_pixels_becomes_three_channels(tmp_path: Path, mode: str) -> None:
    gray = np.linspace(0, 255, 64).reshape(8, 8).astype(np.uint8)
    wide = {"I;16": gray.astype(np.uint16) * 257, "I": gray.astype(np.int32), "F": gray / 1.0}
    made = wide.get(mode)
    if made is None:
        picture = Image.fromarray(gray).convert("RGB").convert(mode)
    else:
        picture = Image.fromarray(made.astype(np.float32) if mode == "F" else made)
    path = tmp_path / "a.tiff"
    picture.save(path)
    opened = open_picture(path)
    assert opened.mode == "RGB"
    if mode in ("L", "I;16", "I", "F"):
        assert np.abs(np.asarray(opened)[:, :, 0].astype(int) - gray).max() <= 1


def test_transparent_parts_are_white() -> None:
    pixels = np.zeros((4, 4, 4), dtype=np.uint8)
    pixels[:2, :, 3] = 255
    seen = np.asarray(open_picture(pixels))
    assert (seen[:2] == 0).all()
    assert (seen[2:] == 255).all()


def test_gray_arrays() -> None:
    pixels = np.arange(16, dtype=np.uint8).reshape(4, 4)
    assert np.array_equal(np.asarray(open_picture(pixels, n_channels=1)), pixels)
    assert np.array_equal(np.asarray(open_picture(pixels[:, :, None]))[:, :, 2], pixels)


def test_a_photograph_is_turned_as_the_camera_says(tmp_path: Path) -> None:
    picture = Image.new("RGB", (40, 20))
    exif = picture.getexif()
    exif[0x0112] = 6
    picture.save(tmp_path / "a.jpg", exif=exif)
    assert open_picture(tmp_path / "a.jpg").size == (20, 40)


@pytest.mark.parametrize("content", [b"", b"no picture", b"\xff\xd8\xff\xe0 half a picture"])
def test_damaged_files(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.jpg"
    path.write_bytes(content)
    with pytest.raises(UnreadableError):
        open_picture(path)


def test_a_file_that_ends_too_soon(tmp_path: Path) -> None:
    path = save_photo(tmp_path / "a.jpg", size=(200, 200))
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(UnreadableError, match="truncated"):
        open_picture(path)


def test_a_missing_file_cannot_be_read(tmp_path: Path) -> None:
    for function in (open_picture, read_content):
        with pytest.raises(UnreadableError, match="No such file"):
            function(tmp_path / "no.jpg")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_pipes_and_devices_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.jpg")
    (tmp_path / "b.jpg").symlink_to("/dev/zero")
    for name in ("a.jpg", "b.jpg"):
        for function in (open_picture, read_content):
            with pytest.raises(UnreadableError, match="it is no regular file"):
                function(tmp_path / name)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "a.jpg").open("wb") as stream:
        stream.truncate(MOST_BYTES + 1)
    with pytest.raises(UnreadableError, match="it has 1,073,741,825 bytes, more than 1,073,741,82"):
        read_content(tmp_path / "a.jpg")


@pytest.mark.skipif(os.name != "posix", reason="the program that must not start is a shell script")
def test_no_other_program_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "gs"  # Pillow has Ghostscript draw pages in PostScript
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(EpsImagePlugin, "gs_binary", None)  # Pillow has not looked for it yet
    page = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\nshowpage\n%%EOF\n"
    (tmp_path / "a.jpg").write_bytes(page)
    with pytest.raises(UnreadableError, match="cannot identify image file as BMP, GIF, JPEG"):
        open_picture(tmp_path / "a.jpg")
    assert not (tmp_path / "started").exists()


def test_two_pictures_in_one_file_of_a_camera(tmp_path: Path) -> None:
    pictures = [Image.new("RGB", (8, 8), color) for color in ("red", "blue")]
    pictures[0].save(tmp_path / "a.jpg", "MPO", save_all=True, append_images=pictures[1:])
    assert np.asarray(open_picture(tmp_path / "a.jpg"))[0, 0].tolist() == [254, 0, 0]


def test_content_tells_arrays_of_other_shapes_apart() -> None:
    pixels = np.zeros((4, 9), dtype=np.uint8)
    assert read_content(pixels) != read_content(pixels.reshape(6, 6))
    assert read_content(pixels) == read_content(pixels.copy())


def test_numbers_up_to_one_are_scaled() -> None:
    assert check_pixels("f", np.full((1, 2, 2), 0.5)).max() == 128
    assert check_pixels("f", np.full((1, 2, 2), 200.0)).max() == 200
    assert check_pixels("f", np.full((1, 2, 2), 1)).max() == 1


@pytest.mark.parametrize(
    ("pixels", "message"),
    [
        (np.zeros((3, 3)), "pictures of shape"),
        (np.zeros((0, 3, 3)), "pictures of shape"),
        (np.full((1, 2, 2), "a"), "pictures of shape"),
        (np.zeros((1, 3, 8, 8)), "of 1, 3 or 4 channels, got 8 channels"),
        (np.full((1, 2, 2), -1.0), "between 0 and 255"),
        (np.full((1, 2, 2), np.nan), "between 0 and 255"),
        (np.full((1, 2, 2), 300), "between 0 and 255, or 0 and 1, got 300 to 300"),
    ],
)
def test_what_is_no_picture(pixels: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_pixels("f", pixels)


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        (np.array([[0, 199]], dtype=np.uint16), [0, 1]),  # 16 bits, and dark
        (np.array([[0, 65_535]], dtype=np.uint16), [0, 255]),
        (np.array([[0.0, 1.0]], dtype=np.float32), [0, 255]),
        (np.array([[0.0, 200.0]], dtype=np.float32), [0, 200]),
    ],
)
def test_white_is_what_the_kind_of_number_says(
    tmp_path: Path, numbers: np.ndarray, expected: list[int]
) -> None:
    Image.fromarray(numbers).save(tmp_path / "a.tif")
    assert np.asarray(open_picture(tmp_path / "a.tif", 1))[0].tolist() == expected


def test_numbers_that_are_not_finite(tmp_path: Path) -> None:
    Image.fromarray(np.array([[0.0, np.nan]], dtype=np.float32)).save(tmp_path / "a.tif")
    with pytest.raises(UnreadableError, match="not finite"):
        open_picture(tmp_path / "a.tif")


def test_any_error_of_pillow_is_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise struct.error("unpack requires a buffer of 4 bytes")

    save_photo(tmp_path / "a.png")
    monkeypatch.setattr(ImageOps, "exif_transpose", fail)  # remarks of the camera do not matter
    assert open_picture(tmp_path / "a.png").mode == "RGB"
    monkeypatch.setattr(Image, "open", fail)
    with pytest.raises(UnreadableError, match="unpack requires"):
        open_picture(tmp_path / "a.png")


def test_a_thumbnail_is_a_small_picture(tmp_path: Path) -> None:
    made = make_thumbnail(save_photo(tmp_path / "a.png", size=(400, 200)))
    assert Image.open(io.BytesIO(made)).size == (72, 36)
    assert len(make_thumbnail(np.zeros((28, 28), dtype=np.uint8))) < 1000
