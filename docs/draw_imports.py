"""Draw which package of diffresnet imports which, from the code: docs/images/imports.png."""

import tomllib
from pathlib import Path

import grimp
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

ROOT = Path(__file__).parent.parent


def read_layers() -> list[list[str]]:
    """Return the packages layer by layer, the highest first, as import-linter checks them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contract = settings["tool"]["importlinter"]["contracts"][0]
    return [[name.strip(" ()") for name in layer.split("|")] for layer in contract["layers"]]


def count_imports(layers: list[list[str]]) -> dict[tuple[str, str], int]:
    """Return how many modules of a package import modules of another."""
    graph = grimp.build_graph("diffresnet", exclude_type_checking_imports=True)
    packages = {name for layer in layers for name in layer}
    counts: dict[tuple[str, str], int] = {}
    for module in graph.modules:
        for imported in graph.find_modules_directly_imported_by(module):
            ends = [name.split(".")[1] for name in (module, imported) if name.count(".") >= 1]
            if len(ends) == 2 and ends[0] != ends[1] and set(ends) <= packages:
                counts[ends[0], ends[1]] = counts.get((ends[0], ends[1]), 0) + 1
    return counts


def draw(layers: list[list[str]], counts: dict[tuple[str, str], int]) -> Figure:
    """Draw a box for each package, and a line for each pair of which one imports the other."""
    places = {
        name: ((place + 0.5) / len(layer), -row)
        for row, layer in enumerate(layers)
        for place, name in enumerate(layer)
    }
    figure = Figure(figsize=(9, 8), layout="constrained")
    axes = figure.subplots()
    most = max(counts.values())
    for (upper, lower), count in counts.items():
        style = {"color": "#4477aa", "alpha": 0.2 + 0.6 * count / most, "linewidth": 1.2}
        bent = "arc3,rad=0.12"  # so that lines of one column do not cover each other
        ends = places[upper], places[lower]
        axes.add_patch(FancyArrowPatch(*ends, arrowstyle="-", connectionstyle=bent, **style))
    for name, place in places.items():
        box = {"boxstyle": "round", "facecolor": "white", "edgecolor": "#335577"}
        axes.text(*place, name, ha="center", va="center", fontsize=11, bbox=box)
    axes.set(xlim=(0, 1), ylim=(0.5 - len(layers), 0.5))
    axes.set_axis_off()
    axes.set_title("Imports go down only; darker lines are more modules")
    return figure


def main() -> None:
    """Write the picture."""
    layers = read_layers()
    draw(layers, count_imports(layers)).savefig(ROOT / "docs/images/imports.png", dpi=110)


if __name__ == "__main__":
    main()
