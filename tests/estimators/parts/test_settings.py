import pytest

from diffresnet.estimators.parts.settings import PrototypeSettings

SETTINGS = PrototypeSettings()


def test_what_stability_says() -> None:
    assert SETTINGS.view_weight(0.99) == 1
    assert SETTINGS.view_weight(0.5) == SETTINGS.least_weight
    assert SETTINGS.scale(0.99, 10) == 1
    assert SETTINGS.scale(0.5, 40) == pytest.approx(SETTINGS.least_scale / 2)


def test_ten_classes_are_the_measure() -> None:
    assert SETTINGS.sharper(2) == SETTINGS.sharper(10) == 1
    assert SETTINGS.sharper(40) == 2
