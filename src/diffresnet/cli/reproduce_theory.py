"""`diffresnet reproduce theory`: the theory on examples, and where the paper's proofs slip."""

import json
from pathlib import Path
from typing import Annotated

import torch
import typer
from rich.console import Console

from diffresnet._files import write_whole
from diffresnet.cli.folders import make_folder
from diffresnet.paper.theory import TheoryResult, run_theory
from diffresnet.report.theory_figures import draw_levels, draw_required, draw_states


def theory(
    out: Annotated[Path, typer.Option(help="Folder for the pictures and the numbers.")],
    seed: Annotated[int, typer.Option(help="Seed of the random points.", min=0, max=2**63 - 1)] = 0,
) -> None:
    """Show the growth of L/D, a directed graph that breaks Proposition 1, and one hinge and two.

    Writes theory_growth.png, theory_directed.png, theory_hinges.png and theory.json.
    """
    make_folder(out)
    result = run_theory(torch.Generator().manual_seed(seed))
    contents = {
        "theory_growth.png": _draw_growth(result),
        "theory_directed.png": draw_states(
            {
                "raw points": result.raw,
                f"directed graph: D stays at {result.diameters[0]:.2f}": result.directed,
                f"symmetrized: D is {result.diameters[1]:.1g}": result.symmetrized,
            },
            result.labels,
        ),
        "theory_hinges.png": draw_levels(
            {
                "five regions, two classes": result.slabs,
                f"one hinge a region: {result.n_wrong[0]} points wrong": result.one_hinge,
                f"two hinges a change: {result.n_wrong[1]} wrong": result.two_hinges,
            },
            result.slab_labels,
        ),
        "theory.json": (json.dumps(result.to_json(), indent=1) + "\n").encode(),
    }
    console = Console()
    console.print_json(json.dumps(result.to_json()))
    for name, content in contents.items():
        console.print(f"wrote {write_whole(out / name, content)}", soft_wrap=True)


def _draw_growth(result: TheoryResult) -> bytes:
    growth = result.growth
    middle = 100  # late enough for the slowest mode to be the only one left
    predicted = [
        growth.ratios[middle] / growth.contraction ** (step - middle)
        for step in range(len(growth.ratios))
    ]
    return draw_required(growth.ratios, predicted, result.required)
