"""The command `diffresnet`: one module a command, which parses and prints."""

from typing import Annotated

import typer

from diffresnet import __version__
from diffresnet.cli.lazy import add_commands

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


COMMANDS = {
    "classify": (
        "diffresnet.cli.classify:classify",
        "Label every point from the few that have a label, by diffusion over the neighbor graph.",
    ),
    "demo": (
        "diffresnet.cli.demo:demo",
        "Classify scikit-learn's 1,797 digits from one label per class, beside five other methods.",
    ),
    "embed": ("diffresnet.cli.embed:embed", "Turn images or texts into features, one row each."),
    "fewshot": (
        "diffresnet.cli.fewshot:fewshot",
        "Draw few-shot tasks from a bank of features, classify them, and print the accuracy.",
    ),
    "nodes": (
        "diffresnet.cli.nodes:nodes",
        "Measure how well methods label the nodes of a graph from a few of them, over many splits.",
    ),
    "theory": (
        "diffresnet.cli.theory:theory",
        "Tell whether labeled points are structured, whether diffusion is stable and helps.",
    ),
    "train-backbone": (
        "diffresnet.cli.train_backbone:train",
        "Train a backbone on base classes, as the paper does before its few-shot tables.",
    ),
    "reproduce": (
        "diffresnet.cli.reproduce:app",
        "Compute the tables and figures of the paper, and show them beside what it reports.",
    ),
}
add_commands(app, COMMANDS)
