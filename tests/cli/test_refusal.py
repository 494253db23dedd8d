import pytest
import typer

from diffresnet.cli.refusal import refuse, some


def test_a_refusal_is_one_form() -> None:
    with pytest.raises(typer.BadParameter) as raised:
        refuse("--steps", "a number", "'x'", "Leave it out.")
    assert str(raised.value) == "--steps must be a number, got 'x'. Leave it out."


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["a"], "'a'"),
        (["a", "b", "c"], "'a', 'b', 'c'"),
        (["a", "b", "c", "d"], "'a', 'b', 'c' and 1 other"),
        ([1, 2, 3, 4, 5], "'1', '2', '3' and 2 others"),
    ],
)
def test_names_a_few(names: list[object], text: str) -> None:
    assert some(names) == text
