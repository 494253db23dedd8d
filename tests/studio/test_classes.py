import pytest

from diffresnet.studio.classes import (
    KEYS,
    MOST_CLASSES,
    StudioClass,
    check_class,
    check_color,
    check_key,
    check_name,
    check_room,
    make_class,
)


def some_classes(n: int) -> dict[int, StudioClass]:
    made: dict[int, StudioClass] = {}
    for number in range(n):
        made[number] = make_class(number, f"class {number}", made.values())
    return made


def test_no_two_of_many_classes_look_alike() -> None:
    made = some_classes(60).values()
    assert len({(one.color, one.shape) for one in made}) == 60
    assert len({one.color for one in list(made)[:12]}) == 12


def test_keys_are_given_once_until_none_is_left() -> None:
    keys = [one.key for one in some_classes(len(KEYS) + 2).values()]
    assert keys[:9] == list("123456789")
    assert len(set(keys[: len(KEYS)])) == len(KEYS)
    assert keys[len(KEYS) :] == [None, None]


def test_the_key_and_color_of_a_deleted_class_are_free_again() -> None:
    made = some_classes(3)
    gone = made.pop(1)
    new = make_class(3, "new", made.values())
    assert (new.key, new.color) == (gone.key, gone.color)


def test_names_are_put_in_order() -> None:
    assert check_name("  two \n words ", {}) == "two words"
    assert check_name("class 1", some_classes(2), own=1) == "class 1"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("", "The name of a class must be text that can be seen, got nothing but blanks. Write"),
        (" \n", "must be text that can be seen"),
        ("\u200b", "must be text that can be seen"),
        ("a" * 201, "got 201 letters"),
        (3, "got int"),
        ("NA", "must be one that does not mean another answer, got 'NA'. Write another."),
        ("None of these", "must be one that does not mean another answer"),
        ("\ud800", "must be text that can be read, got control characters."),
        ("a\u202eb", "must be text that can be read"),
        ("class 0", "must be new, got 'class 0', which is there already. Merge the two, or"),
    ],
)
def test_other_names_are_refused(name: object, sentence: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        check_name(name, some_classes(1))
    assert sentence in str(refused.value)


@pytest.mark.parametrize("given", [None, "0", True, 7, -1, 10**30])
def test_only_classes_that_are_there_can_be_given(given: object) -> None:
    with pytest.raises(ValueError, match="`class` must be a class that is there, got"):
        check_class(given, some_classes(2))


@pytest.mark.parametrize("given", [None, "red", "#12345", "#1234567", "url(#a)", 7])
def test_only_colors_are_colors(given: object) -> None:
    assert check_color("#A0B1C2") == "#a0b1c2"
    with pytest.raises(ValueError, match=r"`color` must be one such as #2755aa, got \w+. Choose"):
        check_color(given)


@pytest.mark.parametrize("given", ["0", "A", "", "12", 1, ".", ["1"]])
def test_keys_are_digits_and_letters(given: object) -> None:
    assert [check_key(None), check_key("z")] == [None, "z"]
    with pytest.raises(ValueError, match="`key` must be a digit from 1 to 9, a letter, or none"):
        check_key(given)


def test_numbers_of_classes_come_to_an_end() -> None:
    check_room(MOST_CLASSES)
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        check_room(MOST_CLASSES + 1)
    assert str(refused.value) == (
        "Classes must be at most 65,000 in all, also those that were deleted, got more. Use those "
        "there are, or begin a new studio file."
    )
