"""`diffresnet reproduce xor`: see diffusion pull the subclasses of the XOR set together."""

import json
from pathlib import Path
from typing import Annotated

import torch
import typer

from diffresnet.cli.console import show
from diffresnet.cli.outputs import make_folder, write_files
from diffresnet.paper.xor import run_xor
from diffresnet.report.evolution import draw_evolution
from diffresnet.report.panels import new_figure


def xor(
    out: Annotated[Path, typer.Option(help="Folder for the picture and the numbers.")],
    seed: Annotated[int, typer.Option(help="Seed of the random points.", min=0, max=2**63 - 1)] = 0,
) -> None:
    """Diffuse the XOR set, print L, D and L/D along the way, and draw it.

    L is the smallest distance between two of the four discs, D the largest diameter of one.

    The larger L/D, the easier the classes are told apart.

    Writes xor.png and xor.json (L, D and L/D after every step).
    """
    new_figure("diffresnet reproduce", 1, 1)  # before the work
    make_folder(out)
    result = run_xor(torch.Generator().manual_seed(seed))
    numbers = result.to_json()
    picture = draw_evolution(
        result.shown,
        result.data.labels,
        numbers["max_diameter"],
        numbers["distance_diameter_ratio"],
    )
    contents = {out / "xor.json": json.dumps(numbers).encode(), out / "xor.png": picture}
    heads = ["steps", "L", "D", "L/D"]
    write_files(contents, lambda: show("XOR set, diffused", heads, result.rows()))
