import pytest
from typer.testing import CliRunner

from diffresnet.cli import app


@pytest.mark.parametrize("command", ["classify", "theory"])
def test_commands_take_the_same_columns(command: str) -> None:
    said = CliRunner().invoke(app, [command, "--help"], terminal_width=200).output
    assert "--label-column" in said
    assert "--id-column" in said


@pytest.mark.parametrize("command", ["classify", "embed"])
def test_help_names_no_option_that_is_not_there(command: str) -> None:
    said = CliRunner().invoke(app, [command, "--help"]).output
    assert "[default: (none: this machine)]" in " ".join(said.split())
    assert "--jobs" not in said
