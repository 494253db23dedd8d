"""Commands that are imported when they are called, so that `--help` and short commands are fast."""

import os
from collections.abc import Callable, Mapping
from functools import wraps
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand
from typer.main import get_command

REFUSALS = (ModuleNotFoundError, OSError, RuntimeError, ValueError)
"""What ends a command with one sentence."""

DEBUG = "DIFFRESNET_DEBUG"
"""With this variable set, a traceback is shown instead."""


def add_commands(app: typer.Typer, commands: Mapping[str, tuple[str, str]]) -> None:
    """Add commands to an app without importing them.

    Args:
        app: to add to.
        commands: by name, where the command is ("module:function", or "module:app" for a group),
            and the line that `--help` shows.
    """
    for name, (place, line) in commands.items():
        app.command(name, help=line, cls=_stand_in(place))(_do_nothing)


def _do_nothing() -> None:
    """Be the function of a stand-in, which is never called."""


def _stand_in(place: str) -> type[TyperCommand]:
    """Return a kind of command that becomes another one as soon as it gets its arguments."""

    class StandIn(TyperCommand):
        def make_context(self, info_name: str | None, args: list[str], *rest: Any, **more: Any):
            return load_command(place).make_context(info_name, args, *rest, **more)

    return StandIn


def load_command(place: str) -> Any:
    """Import a command and return it as typer runs it."""
    module, name = place.split(":")
    found = getattr(import_module(module), name)
    if isinstance(found, typer.Typer):
        return get_command(found)
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(_in_one_sentence(found))
    return get_command(app)


def _in_one_sentence(function: Callable[..., None]) -> Callable[..., None]:
    """Let a command that refuses its input end with the sentence alone."""

    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            function(*args, **kwargs)
        except KeyboardInterrupt:
            if kwargs.get("resume") is not None:
                typer.echo(f"Stopped. The same command goes on from {kwargs['resume']}.", err=True)
            raise typer.Exit(130) from None
        except (typer.Exit, typer.Abort, BrokenPipeError):  # a RuntimeError or OSError, too
            raise
        except REFUSALS as error:
            if os.environ.get(DEBUG):
                raise
            raise typer.BadParameter(str(error)) from error

    return run
