import pytest

from diffresnet.encoders.schedule import BackboneSchedule


def test_the_rate_falls_twice() -> None:
    rates = [BackboneSchedule(n_epochs=8).rate(epoch) for epoch in range(8)]
    assert rates == pytest.approx([0.1] * 4 + [0.01] * 2 + [0.001] * 2)


def test_the_last_quarter_is_validated() -> None:
    schedule = BackboneSchedule(n_epochs=8)
    assert [schedule.validates(epoch) for epoch in range(8)] == [False] * 6 + [True] * 2


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_epochs": 0},
        {"batch_size": 1},
        {"learning_rate": 0.0},
        {"momentum": 1.0},
        {"label_smoothing": -0.1},
    ],
)
def test_wrong_settings(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=f"BackboneSchedule: `{next(iter(wrong))}` must be"):
        BackboneSchedule(**wrong)  # pyright: ignore[reportArgumentType]
