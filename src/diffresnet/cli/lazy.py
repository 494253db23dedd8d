"""Commands that are imported when they are called, so that `--help` and short commands are fast."""

import ast
import errno
import os
import shutil
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import wraps
from importlib import import_module
from importlib.util import find_spec
from inspect import getdoc
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from diffresnet._support.notices import Notice
from diffresnet._support.progress import shown_at_once
from diffresnet.cli.console import FULL_OUTPUT, as_shown, check_output, warn
from diffresnet.cli.naming import name_options
from diffresnet.cli.signals import Stopped, stopping_on_signals

REFUSALS = (ModuleNotFoundError, OSError, RuntimeError, ValueError)
"""What ends a command with one sentence."""

DEBUG = "DIFFRESNET_DEBUG"
"""With this variable set, a traceback is shown instead."""


NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""What a full disk, or a quota or limit of it, is called."""

LOOK: dict[str, Any] = {
    "context_settings": {"help_option_names": ["-h", "--help"]},
    "pretty_exceptions_enable": False,
    "rich_markup_mode": None,  # its tables leave 20 letters a line to the help of an option
}
"""What every app is made with, so that `-h` is there and help is read at 80 columns."""


class Commands(TyperGroup):
    """Commands, with help that ends in one sentence, too, where the output takes no more."""

    def main(self, *args: Any, **more: Any) -> Any:
        """Run a command, or print help."""
        try:
            return super().main(*args, **more)
        except OSError as error:  # of typer's own printing, or of imports: commands say theirs
            if error.errno not in NO_ROOM:
                warn(as_shown(str(error)))
                sys.exit(2)
            sys.stdout = sys.stderr  # Python would try once more as it ends
            warn(FULL_OUTPUT)
            sys.exit(2)


def add_commands(app: typer.Typer, commands: Mapping[str, str]) -> None:
    """Add commands, "module:function" by name, to an app without importing them."""
    for name, place in commands.items():
        app.command(name, help=first_line(place), cls=_stand_in(place))(lambda: None)


def first_line(place: str) -> str:
    """Return the first line of a command's docstring, for `--help`, without importing it."""
    module, name = place.split(":")
    found = find_spec(module)
    if found is None or found.origin is None:
        raise ModuleNotFoundError(f"There is no module {module}.", name=module)
    tree = ast.parse(Path(found.origin).read_text(encoding="utf-8"))
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    return (ast.get_docstring(functions[name]) or "").split("\n", maxsplit=1)[0]


def help_of(command: Callable[..., None]) -> str:
    r"""Return the help of a command: its docstring, with the examples on lines of their own.

    Examples:
        >>> def go() -> None:
        ...     '''Go.
        ...
        ...     Examples:
        ...       diffresnet go
        ...
        ...       diffresnet go --far
        ...     '''
        >>> help_of(go)
        'Go.\n\n\x08\nExamples:\n  diffresnet go\n  diffresnet go --far'
    """
    text, _, examples = (getdoc(command) or "").partition("Examples:\n")
    lines = [line for line in examples.splitlines() if line.strip()]
    as_they_are = "\n".join(["\b", "Examples:", *lines])  # \b tells click not to wrap them
    return text + as_they_are if lines else text


def _stand_in(place: str) -> type[TyperCommand]:
    """Return a kind of command that becomes another one as soon as it gets its arguments."""

    class StandIn(TyperCommand):
        def make_context(self, info_name: str | None, args: list[str], *rest: Any, **more: Any):
            module, name = place.split(":")
            app = typer.Typer(**LOOK, add_completion=False)
            name_a_temporary_folder()
            is_completed = more.get("resilient_parsing", False)  # a shell asks, not a person
            with nullcontext() if is_completed else shown_at_once("loading libraries ..."):
                function = getattr(import_module(module), name)
            app.command(help=help_of(function))(_in_one_sentence(function))
            return get_command(app).make_context(info_name, args, *rest, **more)

    return StandIn


def name_a_temporary_folder() -> None:
    """Name the temporary folder, without the file that Python tries every folder with.

    A command that is killed would leave that file. And where no folder has room there would be
    none, so that libraries could not be imported: torch imports dill where it is installed, and
    dill asks for such a folder at once. Who writes to it still hears that the disk is full.
    """
    if tempfile.tempdir is None:
        named = [os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP")]
        tried = [one for one in (*named, "/tmp", "/var/tmp", "/usr/tmp") if one]  # noqa: S108
        usable = next(filter(_has_room, tried), os.curdir)
        tempfile.tempdir = str(Path(usable).absolute()) if usable != os.curdir else usable


def _has_room(folder: str) -> bool:
    """Tell whether files may be made in a folder; one that cannot be looked at is none."""
    try:
        is_open = Path(folder).is_dir() and os.access(folder, os.W_OK | os.X_OK)
        return is_open and shutil.disk_usage(folder).free > 0
    except OSError:
        return False


def _in_one_sentence(function: Callable[..., None]) -> Callable[..., None]:
    """Let a command that refuses its input end with the sentence alone; warnings are sentences."""

    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            with warnings.catch_warnings(), stopping_on_signals():
                warnings.simplefilter("always", Notice)
                warnings.showwarning = _show_warning
                function(*args, **kwargs)
                check_output()
        except KeyboardInterrupt as error:
            if kwargs.get("resume") is not None:
                warn(f"Stopped. The same command goes on from {kwargs['resume']}.")
            number = error.number if isinstance(error, Stopped) else signal.SIGINT
            raise typer.Exit(128 + number) from None
        except (typer.Exit, typer.Abort, BrokenPipeError):  # a RuntimeError or OSError, too
            raise
        except REFUSALS as error:
            if os.environ.get(DEBUG):
                raise
            raise typer.BadParameter(as_shown(name_options(str(error), function))) from error

    return run


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    warn(" ".join(str(message).splitlines()))
