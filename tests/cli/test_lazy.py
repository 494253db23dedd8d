import inspect
import os
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from diffresnet.cli import COMMANDS, app, reproduce
from diffresnet.cli.lazy import add_commands, first_line, name_a_temporary_folder

HEAVY = ("torch", "sklearn", "polars", "scipy", "numpy", "matplotlib")


def modules_after(program: str) -> set[str]:
    """Return which of the heavy modules a program has imported, in a process of its own."""
    program = f"{program}\nimport sys\nprint('|' + ' '.join(sys.modules))"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    return set(done.stdout.rsplit("|", 1)[1].split()) & set(HEAVY)


def test_help_imports_nothing_heavy() -> None:
    call = "from typer.testing import CliRunner\nfrom diffresnet.cli import app\n"
    for arguments in (["--help"], ["--version"], ["reproduce", "--help"]):
        program = f"{call}assert CliRunner().invoke(app, {arguments}).exit_code == 0"
        assert modules_after(program) == set()


def test_the_package_itself_is_light() -> None:
    assert modules_after("import diffresnet") == set()
    assert "sklearn" not in modules_after("from diffresnet import build_weights")
    assert "sklearn" in modules_after("from diffresnet import DiffResNetClassifier")


@pytest.mark.parametrize("place", [*COMMANDS.values(), *reproduce.COMMANDS.values()])
def test_the_line_of_a_command_is_its_first_sentence(place: str) -> None:
    module, name = place.split(":")
    text = inspect.getdoc(getattr(import_module(module), name))
    assert text is not None
    assert text.splitlines()[0] == first_line(place)
    assert first_line(place).endswith(".")


def test_commands_that_are_not_there() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"no module diffresnet\.cli\.none"):
        first_line("diffresnet.cli.none:none")
    with pytest.raises(KeyError, match="none"):
        first_line("diffresnet.cli.demo:none")


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="this system has no such terminals")
def test_a_terminal_hears_that_libraries_are_loaded() -> None:
    """It is told before the first of them is imported; a file that takes errors is not."""
    program = (
        "import sys\n"
        "class Late:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'torch': raise SystemExit(7)\n"
        "sys.meta_path.insert(0, Late())\n"
        "from diffresnet.cli import app\n"
        "app(['classify', 'x.csv'])\n"
    )
    ours, theirs = os.openpty()
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, stderr=theirs)  # noqa: PLW1510, S603
    os.close(theirs)
    assert done.returncode == 7
    assert os.read(ours, 100).startswith(b"loading libraries ...")
    os.close(ours)
    silent = subprocess.run(command, capture_output=True)  # noqa: PLW1510, S603
    assert (silent.returncode, silent.stderr) == (7, b"")


def refuse() -> None:
    """Refuse."""
    raise ValueError("--x must be [1], got 2. Lower it.")


def leave() -> None:
    """Leave."""
    raise typer.Exit(7)


def test_a_refusal_is_one_sentence_and_an_exit_an_exit() -> None:
    commands = typer.Typer()
    commands.callback()(lambda: None)
    add_commands(commands, {name: f"{__name__}:{name}" for name in ("refuse", "leave")})
    said = CliRunner().invoke(commands, ["refuse"])
    assert said.exit_code == 2
    assert "--x must be [1], got 2. Lower it." in said.output
    assert CliRunner().invoke(commands, ["leave"]).exit_code == 7


def test_a_command_tries_no_temporary_folder_by_a_file(tmp_path: Path) -> None:
    # Python would write one and remove it; a command that is killed between would leave it.
    code = (
        "import sys\n"
        "sys.addaudithook(lambda event, args: event == 'open' and str(args[0]).startswith(\n"
        f"    {str(tmp_path)!r}) and print('opened', args[0]))\n"
        "import tempfile\n"
        "from diffresnet.cli import app\n"
        "try:\n"
        "    app(['theory', '--help'])\n"
        "finally:\n"
        "    print('named', tempfile.gettempdir())\n"
    )
    command, surroundings = [sys.executable, "-c", code], {**os.environ, "TMPDIR": str(tmp_path)}
    found = subprocess.run(  # noqa: S603
        command, env=surroundings, capture_output=True, text=True, check=True
    )
    assert "opened" not in found.stdout
    assert f"named {tmp_path}" in found.stdout


def test_folders_that_take_no_file_are_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "good").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", None)
    for wrong in ("a" * 300, "file", "loop", "none", "", "good/with\0zero"):
        monkeypatch.setattr("tempfile.tempdir", None)
        with monkeypatch.context() as here:
            surroundings = {**os.environ, "TMPDIR": wrong, "TEMP": "good"}
            here.setattr(os, "environ", surroundings)
            name_a_temporary_folder()
        assert tempfile.gettempdir() == str(tmp_path / "good")
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr("diffresnet.cli.lazy.shutil.disk_usage", no_room)
    name_a_temporary_folder()
    assert tempfile.tempdir == os.curdir


def no_room(_: str) -> Any:
    return SimpleNamespace(free=0)


def test_an_error_of_an_import_is_not_a_full_disk(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(_: str) -> None:
        raise PermissionError(13, "Permission denied", "/somewhere")

    monkeypatch.setattr("diffresnet.cli.lazy.import_module", fails)
    with pytest.raises(SystemExit) as ended:
        app(["theory", "points.csv"])
    assert ended.value.code == 2
    assert "Permission denied: '/somewhere'" in capsys.readouterr().err
