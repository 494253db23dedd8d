from dataclasses import dataclass
from typing import Any, Literal

import pytest

from diffresnet._support.settings import (
    Count,
    CountOrZero,
    NonNegative,
    Positive,
    Probability,
    check_settings,
)


@dataclass(frozen=True)
class Example:
    n_parts: Count = 1
    n_rounds: CountOrZero = 0
    rate: Positive = 1.0
    weight: NonNegative = 0.0
    dropout: Probability = 0.0
    kind: Literal["one", "other"] = "one"
    order: Positive | None = None
    title: str = ""

    __post_init__ = check_settings


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n_parts": 0}, "Example: `n_parts` must be at least 1, got 0. Raise `n_parts`."),
        ({"n_rounds": -1}, "Example: `n_rounds` must be at least 0, got -1. Raise `n_rounds`."),
        ({"rate": 0.0}, "Example: `rate` must be a finite positive number, got 0."),
        ({"weight": -1.0}, "Example: `weight` must be a finite number of at least 0, got -1."),
        ({"dropout": 1.0}, "Example: `dropout` must be below 1, got 1. Lower `dropout`."),
        ({"kind": "third"}, "Example: `kind` must be one of 'one', 'other', got 'third'."),
        ({"order": 0.0}, "Example: `order` must be a finite positive number, got 0."),
        ({"rate": None}, "Example: `rate` must be a finite positive number, got None."),
    ],
)
def test_what_a_field_may_not_be(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as raised:  # noqa: PT011  (the whole text is compared)
        Example(**given)
    assert str(raised.value).startswith(message)


def test_what_it_may_be() -> None:
    assert Example(2, 3, 0.5, 0.5, 0.5, "other", 2.0).order == 2.0
