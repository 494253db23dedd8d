"""Commands of the docs, checked against the options that the program has."""

import re
import shlex
from functools import cache
from importlib import import_module
from typing import Any, Literal, get_args, get_origin

import typer
from typer.main import get_command

from diffresnet.cli import COMMANDS, reproduce

LINES = re.compile(
    r"^(?:    |\$ )?(?:\.venv/bin/|\$\(BIN\)/|python -m )?(diffresnet .+)$", re.MULTILINE
)
INLINE = re.compile(r"(?<!`)`(diffresnet [^`]+)`(?!`)")
ROOT_OPTIONS = {"--version", "--help", "-h", "--install-completion", "--show-completion"}


def commands_of(text: str) -> list[str]:
    """Return the commands that a page shows, in blocks and in lines of text."""
    whole = text.replace("\\\n", " ")
    found = [*LINES.findall(whole), *(one.replace("\n", " ") for one in INLINE.findall(whole))]
    return [" ".join(one.split("#")[0].split()) for one in found]


def fault_of(command: str) -> str | None:
    """Return what is wrong with a command, or None: its name, its options, or a choice."""
    _, *words = shlex.split(command.replace("...", ""))
    if not words or words[0] in ROOT_OPTIONS:
        return None
    places, name = COMMANDS, words.pop(0)
    if name == "reproduce":
        if not words or words[0].startswith("-"):
            return None
        places, name = reproduce.COMMANDS, words.pop(0)
    if name not in places:
        return f"there is no command {name}"
    options = _options_of(places[name])
    for place, word in enumerate(words):
        if not word.startswith("--"):
            continue
        option, _, value = word.partition("=")
        if option not in options:
            return f"{name} has no option {option}"
        kind = options[option].type_descriptor.annotation
        choices = get_args(kind) if get_origin(kind) is Literal else ()
        value = value or (words[place + 1] if place + 1 < len(words) else "")
        if choices and value and not value.isupper() and value not in map(str, choices):
            return f"{option} of {name} is no {value}"
    return None


@cache
def _options_of(place: str) -> dict[str, Any]:
    module, name = place.split(":")
    app = typer.Typer(add_completion=False)
    app.command()(getattr(import_module(module), name))
    parameters: Any = get_command(app).params
    return {name: one for one in parameters for name in (*one.opts, *one.secondary_opts, "--help")}
