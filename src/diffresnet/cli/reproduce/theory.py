"""`diffresnet reproduce theory`: the theory on examples, and where the paper's proofs slip."""

from pathlib import Path
from typing import Annotated

import torch
import typer

from diffresnet._support.writing import encode_json
from diffresnet.cli.console import say
from diffresnet.cli.outputs import make_folder, write_files
from diffresnet.paper.theory import REQUIRED, TheoryResult, run_theory
from diffresnet.report.panels import new_figure
from diffresnet.report.theory.figures import draw_levels, draw_required, draw_states


def theory(
    out: Annotated[Path, typer.Option(help="Folder for the pictures and the numbers.")],
    seed: Annotated[int, typer.Option(help="Seed of the random points.", min=0, max=2**63 - 1)] = 0,
) -> None:
    """Show the growth of L/D, a directed graph that breaks Proposition 1, and hinges.

    Writes theory_growth.png, theory_directed.png, theory_hinges.png and theory.json.
    """
    new_figure("diffresnet reproduce", 1, 1)  # before the work
    make_folder(out)
    result = run_theory(torch.Generator().manual_seed(seed))
    numbers = encode_json(result.to_json())
    contents = {
        out / "theory_growth.png": _draw_growth(result),
        out / "theory_directed.png": _draw_directed(result),
        out / "theory_hinges.png": _draw_hinges(result),
        out / "theory.json": numbers,
    }

    def speak() -> None:
        for line in numbers.decode().splitlines():
            say(line)

    write_files(contents, speak)


def _draw_growth(result: TheoryResult) -> bytes:
    growth = result.growth
    middle = 100  # late enough for the slowest mode to be the only one left
    predicted = [
        growth.ratios[middle] / growth.contraction ** (step - middle)
        for step in range(len(growth.ratios))
    ]
    return draw_required(growth.ratios, predicted, REQUIRED)


def _draw_directed(result: TheoryResult) -> bytes:
    one_way, both_ways = result.directed, result.symmetrized
    states = {
        "raw points": result.xor.points,
        f"directed graph: D stays at {one_way.max_diameter:.2f}": one_way.points,
        f"symmetrized: D is {both_ways.max_diameter:.1g}": both_ways.points,
    }
    return draw_states(states, result.xor.labels)


def _draw_hinges(result: TheoryResult) -> bytes:
    one, two, regions = result.one_hinge, result.two_hinges, result.regions
    states = {
        "five regions, two classes": regions,
        f"one hinge a region: {one.report.n_wrong} points wrong": one.network(regions).detach(),
        f"two hinges a change: {two.report.n_wrong} wrong": two.network(regions).detach(),
    }
    return draw_levels(states, result.region_labels)
