import pytest
import torch

from diffresnet.report.panels import (
    PICTURE_FORMATS,
    PictureFormat,
    in_all_formats,
    limits_of,
    new_figure,
    render,
)


def test_limits_are_a_square_around_all_points() -> None:
    first, second = torch.tensor([[0.0, 0.0], [1.0, 0.0]]), torch.tensor([[0.0, 4.0]])
    (left, right), (bottom, top) = limits_of(first, second)
    assert right - left == pytest.approx(top - bottom)
    assert left < 0
    assert right > 1
    assert bottom < 0
    assert top > 4


def test_one_point_has_limits_too() -> None:
    (left, right), _ = limits_of(torch.zeros(1, 2))
    assert left < 0 < right


@pytest.mark.parametrize("kind", PICTURE_FORMATS)
def test_rendering_repeats(kind: PictureFormat) -> None:
    pytest.importorskip("matplotlib")

    def draw() -> bytes:
        figure = new_figure("f", 1, 1)
        figure.add_subplot().plot([0, 1])
        return render(figure, kind)

    assert draw() == draw()


def test_one_file_a_format() -> None:
    assert in_all_formats("a", str.encode) == {"a.png": b"png", "a.svg": b"svg"}
