"""`diffresnet reproduce synthetic`: the paper's synthetic sets, with diffusion and without."""

from pathlib import Path
from typing import Annotated

import typer

from diffresnet.cli.options import Jobs
from diffresnet.cli.outputs import make_folder
from diffresnet.cli.reproduce.ending import finish_report
from diffresnet.paper.synthetic.report import report_synthetic


def synthetic(
    out: Annotated[Path, typer.Option(help="Folder for the page, the pictures and the numbers.")],
    seeds: Annotated[int, typer.Option(help="Seeds to train each set from.", min=1)] = 20,
    epochs: Annotated[int, typer.Option(help="Epochs of each of these.", min=20)] = 200,
    jobs: Jobs = 2,
) -> None:
    """Show diffusion on the XOR, moon, circle and spiral sets (Section 5.1, Appendix E.1).

    Writes index.html, which shows everything and needs no other file; xor.png, moon.png, ... and
    the same as SVG; xor.gif; and results.json, with the accuracy of every seed.
    """
    make_folder(out)
    finish_report(report_synthetic(n_seeds=seeds, n_epochs=epochs, n_jobs=jobs), out)
