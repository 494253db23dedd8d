"""Every command of the docs is one that the program has."""

import pytest

from tests.docs.commands import commands_of, fault_of
from tests.docs.pages import name_of, pages

LEAST = 60


def test_commands_are_those_of_the_program() -> None:
    found = {name_of(page): commands_of(page.read_text()) for page in pages()}
    faults = {
        name: [f"{one}: {fault}" for one in commands if (fault := fault_of(one)) is not None]
        for name, commands in found.items()
    }
    assert {name: some for name, some in faults.items() if some} == {}
    assert sum(map(len, found.values())) >= LEAST


def test_where_commands_are_found() -> None:
    text = (
        "    .venv/bin/diffresnet demo  # try\n\nor `diffresnet nodes cora\n--splits 2`, not `x`."
    )
    assert commands_of(text) == ["diffresnet demo", "diffresnet nodes cora --splits 2"]
    assert commands_of("    diffresnet classify a.csv \\\n        --force\n") == [
        "diffresnet classify a.csv --force"
    ]


@pytest.mark.parametrize(
    ("command", "fault"),
    [
        ("diffresnet classfy a.csv", "there is no command classfy"),
        ("diffresnet classify a.csv --lables b.csv", "classify has no option --lables"),
        ("diffresnet classify a.csv --solver magic", "--solver of classify is no magic"),
        ("diffresnet reproduce xor --fast", "xor has no option --fast"),
        ("diffresnet reproduce all", "there is no command all"),
        ("diffresnet --install-completion", None),
        ("diffresnet nodes GRAPH --solver kernel --splits 100", None),
    ],
)
def test_a_stale_command_is_caught(command: str, fault: str | None) -> None:
    assert fault_of(command) == fault
