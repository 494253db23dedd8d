import pytest
from typer.testing import CliRunner

from diffresnet.cli import app


@pytest.mark.parametrize("command", ["classify", "theory"])
def test_commands_take_the_same_columns(command: str) -> None:
    said = CliRunner().invoke(app, [command, "--help"], terminal_width=200).output
    assert "--label-column" in said
    assert "--id-column" in said
