import numpy as np
import pytest

from diffresnet.encoders.augmentation import Augmentation, DrawingAugmentation, PhotoAugmentation
from tests.encoders.examples import Image, make_drawings

CHANGES = [PhotoAugmentation(), DrawingAugmentation()]


def _photo() -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (30, 40, 3), dtype=np.uint8)


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_drawn_depends_on_the_generator_alone(change: Augmentation) -> None:
    picture = Image.fromarray(_photo())
    first, again, other = (
        np.asarray(change(picture, 24, np.random.default_rng(seed))) for seed in (1, 1, 2)
    )
    assert first.shape == (24, 24, 3)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert np.array_equal(np.asarray(picture), _photo())  # the picture itself stays


def test_without_chance_a_photo_is_only_scaled_or_mirrored() -> None:
    picture = Image.fromarray(_photo()[:, :30])
    change = PhotoAugmentation(least_area=1.0, jitter=0.0)
    plain = np.asarray(picture)
    seen = [np.asarray(change(picture, 30, np.random.default_rng(seed))) for seed in range(20)]
    mirrored = [np.array_equal(one, plain[:, ::-1]) for one in seen]
    assert all(same or np.array_equal(one, plain) for one, same in zip(seen, mirrored, strict=True))
    assert 0 < sum(mirrored) < 20


def test_parts_of_a_photo_have_the_asked_area_and_proportions() -> None:
    change, random = PhotoAugmentation(least_area=0.3), np.random.default_rng(0)
    for _ in range(200):
        left, top, right, bottom = change._draw_box((80, 60), random)  # pyright: ignore[reportPrivateUsage]
        wide, high = right - left, bottom - top
        assert 0 <= left < right <= 80
        assert 0 <= top < bottom <= 60
        assert wide * high > 0.28 * 80 * 60
        assert 0.7 < wide / high < 1.4


@pytest.mark.parametrize(
    ("sides", "expected"), [((300, 30), (130, 0, 170, 30)), ((30, 300), (0, 130, 30, 170))]
)
def test_a_narrow_photo_gives_its_center(
    sides: tuple[int, int], expected: tuple[int, int, int, int]
) -> None:
    change = PhotoAugmentation(least_area=1.0)
    box = change._draw_box(sides, np.random.default_rng(0))  # pyright: ignore[reportPrivateUsage]
    assert box == expected  # as wide as 4 to 3, or as high


def test_without_chance_a_drawing_stays() -> None:
    pixels = make_drawings(1, 1)[0, 0]
    change = DrawingAugmentation(shift=0, turn=0, zoom=0)
    seen = change(Image.fromarray(pixels), 16, np.random.default_rng(0))
    assert np.array_equal(np.asarray(seen), pixels)


def test_a_drawing_is_shifted_and_filled_with_its_background() -> None:
    pixels = np.full((16, 16), 200, dtype=np.uint8)
    pixels[8, 8] = 0
    change = DrawingAugmentation(shift=3, turn=0, zoom=0)
    seen = np.asarray(change(Image.fromarray(pixels), 16, np.random.default_rng(0)))
    assert seen[0, 0] == seen[-1, -1] == 200
    assert seen.min() < 200
    assert seen[8, 8] == 200


def test_a_drawing_is_turned_about_its_center() -> None:
    pixels = np.zeros((17, 17), dtype=np.uint8)
    pixels[8, 8] = 255
    change = DrawingAugmentation(shift=0, turn=90, zoom=0)
    seen = np.asarray(change(Image.fromarray(pixels), 17, np.random.default_rng(3)))
    assert seen[8, 8] > 150
