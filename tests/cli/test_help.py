"""Help is there by any of its names, is read at 80 columns, and the shell can complete."""

import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from diffresnet.cli import COMMANDS, app, reproduce

CALLS = [[], *([name] for name in COMMANDS), *(["reproduce", name] for name in reproduce.COMMANDS)]


@pytest.mark.parametrize("call", CALLS, ids=" ".join)
def test_help_is_read_at_80_columns(call: list[str]) -> None:
    said = CliRunner().invoke(app, [*call, "-h"], env={"COLUMNS": "80", "TERMINAL_WIDTH": "80"})
    assert said.exit_code == 0
    long = [line for line in said.output.splitlines() if len(line) > 80]
    assert long == []
    assert said.output == CliRunner().invoke(app, [*call, "--help"], env={"COLUMNS": "80"}).output


def test_examples_have_lines_of_their_own() -> None:
    said = CliRunner().invoke(app, ["classify", "-h"]).output
    assert "\n    diffresnet classify features.csv --suggest 10\n    diffresnet" in said


@pytest.mark.parametrize(
    ("words", "expected"),
    [("diffresnet pre", "predict"), ("diffresnet predict --o", "--out")],
)
def test_the_shell_can_complete(words: str, expected: str) -> None:
    place = str(len(words.split()) - 1)
    asked = {"_DIFFRESNET_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": place}
    command = [sys.executable, "-m", "diffresnet"]
    done = subprocess.run(  # noqa: S603
        command, capture_output=True, text=True, check=True, env=os.environ | asked
    )
    assert done.stdout.split() == [expected]
