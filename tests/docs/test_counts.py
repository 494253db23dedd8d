"""Every count that names what it counts is right."""

from tests.docs.counts import counts_of
from tests.docs.pages import name_of, pages

LEAST = 3


def test_counts_are_those_of_the_code() -> None:
    found = {name_of(page): counts_of(page.read_text()) for page in pages()}
    wrong = [
        f"{name}: {one.where}, not {one.true}"
        for name, counts in found.items()
        for one in counts
        if not one.is_right
    ]
    assert wrong == []
    assert sum(map(len, found.values())) >= LEAST


def test_a_wrong_count_is_caught() -> None:
    place = "diffresnet.nodes.masks:SPLIT_PARTS"
    right, wrong = counts_of(f"it has 3 parts <!-- count {place} -->, 4 <!-- count {place} -->")
    assert (right.said, right.true, right.is_right) == ("3", "3", True)
    assert not wrong.is_right
    (files,) = counts_of("1 program <!-- count examples/gallery/plot_moons*.py -->")
    assert files.is_right
