"""The command `diffresnet`: one module a command, which parses and prints."""

from typing import Annotated

import typer

from diffresnet import __version__
from diffresnet.cli import reproduce
from diffresnet.cli.classify import classify
from diffresnet.cli.demo import demo
from diffresnet.cli.embed import embed
from diffresnet.cli.fewshot import fewshot
from diffresnet.cli.nodes import nodes
from diffresnet.cli.theory import theory
from diffresnet.cli.train_backbone import train

app = typer.Typer(
    help="Classify everything from a handful of labels, by diffusion over the neighbor graph.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(value: bool) -> None:  # noqa: FBT001  (typer calls it so)
    if value:
        typer.echo(f"diffresnet {__version__}")
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


app.command()(classify)
app.command()(demo)
app.command()(embed)
app.command()(fewshot)
app.command()(nodes)
app.command()(theory)
app.command("train-backbone")(train)
app.add_typer(reproduce.app, name="reproduce")
