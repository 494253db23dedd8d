"""`diffresnet reproduce`: the tables and figures of the paper, ours beside theirs."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from diffresnet.cli.folders import make_folder
from diffresnet.cli.reproduce_curves import n_top, steps, strength, time
from diffresnet.cli.reproduce_nodes import depth, nodes
from diffresnet.cli.reproduce_tables import ablation, fewshot, tsne
from diffresnet.cli.reproduce_theory import theory
from diffresnet.cli.reproduce_xor import xor

app = typer.Typer(
    help="Compute the tables and figures of the paper, and show them beside what it reports.",
    no_args_is_help=True,
)


@app.callback()
def main() -> None:
    """Compute the tables and figures of the paper, and show them beside what it reports."""


@app.command()
def synthetic(
    out: Annotated[Path, typer.Option(help="Folder for the page, the pictures and the numbers.")],
    seeds: Annotated[int, typer.Option(help="Seeds to train each set from.", min=1)] = 20,
    epochs: Annotated[int, typer.Option(help="Epochs of each of these.", min=20)] = 200,
    jobs: Annotated[int, typer.Option(help="Processes to share the work.", min=1)] = 2,
) -> None:
    """Show diffusion on the XOR, moon, circle and spiral sets (Section 5.1, Appendix E.1).

    Writes index.html, which shows everything and needs no other file; xor.png, moon.png, ... and
    the same as SVG; xor.gif; and results.json, with the accuracy of every seed.
    """
    from diffresnet.paper.synthetic_report import reproduce_synthetic  # noqa: PLC0415  (slow)

    make_folder(out)
    console = Console()
    for path in reproduce_synthetic(out, n_seeds=seeds, n_epochs=epochs, n_jobs=jobs):
        console.print(f"wrote {path}", soft_wrap=True)


for command in (ablation, depth, fewshot, n_top, nodes, strength, steps, theory, time, tsne, xor):
    app.command()(command)
