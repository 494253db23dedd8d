import pytest

from diffresnet.learning.prototype_settings import PrototypeSettings

SETTINGS = PrototypeSettings()


def test_what_stability_says() -> None:
    assert SETTINGS.trust(1.0) == 1
    assert SETTINGS.trust(0.5) == SETTINGS.trust(SETTINGS.least_stability) == SETTINGS.least_trust
    halfway = (1 + SETTINGS.least_stability) / 2
    assert SETTINGS.trust(halfway) == pytest.approx((1 + SETTINGS.least_trust) / 2)


def test_ten_classes_are_the_measure() -> None:
    assert SETTINGS.sharper(2) == SETTINGS.sharper(10) == 1
    assert SETTINGS.sharper(40) == 2
