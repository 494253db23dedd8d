"""The command `diffresnet`: one module a command, which parses and prints."""

from typing import Annotated

import typer

from diffresnet import __version__
from diffresnet.cli import reproduce
from diffresnet.cli.console import check_output, say
from diffresnet.cli.lazy import LOOK, Commands, add_commands

app = typer.Typer(**LOOK, cls=Commands, no_args_is_help=True)


def _print_version(value: bool) -> None:  # noqa: FBT001  (typer calls it so)
    if value:
        say(f"diffresnet {__version__}")
        check_output()
        raise typer.Exit


@app.callback()
def main(
    *,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Classify everything from a handful of labels, by diffusion over the neighbor graph."""


COMMANDS = {
    "classify": "diffresnet.cli.classify:classify",
    "demo": "diffresnet.cli.demo:demo",
    "embed": "diffresnet.cli.embed:embed",
    "fewshot": "diffresnet.cli.fewshot:fewshot",
    "predict": "diffresnet.cli.predict:predict",
    "nodes": "diffresnet.cli.nodes:nodes",
    "studio": "diffresnet.cli.studio:studio",
    "theory": "diffresnet.cli.theory:theory",
    "train-backbone": "diffresnet.cli.train_backbone:train",
}
add_commands(app, COMMANDS)
app.add_typer(reproduce.app, name="reproduce")
