"""`diffresnet reproduce nodes` and `depth`: the experiments on citation graphs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from diffresnet._support.checks import refuse
from diffresnet._support.words import some
from diffresnet.cli.options import Jobs
from diffresnet.cli.outputs import make_folder
from diffresnet.cli.reproduce.ending import finish_report
from diffresnet.nodes.catalog import METHOD_NAMES
from diffresnet.nodes.citation import CHECKSUMS, find_citation_graph
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.splits import SplitProtocol
from diffresnet.nodes.standardization import standardize
from diffresnet.paper.nodes.depth import report_depth
from diffresnet.paper.nodes.plan import NodePlan
from diffresnet.paper.nodes.table import report_nodes
from diffresnet.report.panels import new_figure

ALL_GRAPHS = ",".join(CHECKSUMS)

Out: TypeAlias = Annotated[
    Path,
    typer.Option(
        help="Folder for the page, the pictures, the numbers and the runs. The same command goes "
        "on from the runs that are there."
    ),
]
Graphs: TypeAlias = Annotated[
    str, typer.Option(help="Of cora, citeseer and pubmed, joined by commas; downloaded once.")
]
Inits: TypeAlias = Annotated[
    int, typer.Option(help="Initializations of each; the paper has 20.", min=1)
]


def nodes(
    *,
    out: Out,
    graphs: Graphs = ALL_GRAPHS,
    methods: Annotated[
        str,
        typer.Option(
            help=f"Of {', '.join(METHOD_NAMES)}, joined by commas; or all. The first is compared "
            "with the others."
        ),
    ] = "all",
    splits: Annotated[int, typer.Option(help="Splits; the paper has 100.", min=1, max=100)] = 20,
    inits: Inits = 1,
    jobs: Jobs = 2,
) -> None:
    """Compare every method on the citation graphs (Table "graph").

    Diff-ResNet, trained and by its kernel, without diffusion, and the methods
    that the paper compares with, on the splits of the authors' code. With the
    defaults it takes some hours on two cores, nearly all of it for the trained
    networks: --methods kernel,gcn,label-propagation is a matter of minutes.

    Writes index.html, ours beside the paper's, which needs no other file;
    nodes.png and .svg; results.json; the folder runs.

    Example: diffresnet reproduce nodes --out nodes --graphs cora --splits 5
    """
    asked = METHOD_NAMES if methods == "all" else _listed(methods, "--methods", METHOD_NAMES)
    finish_report(report_nodes(_plan(out, graphs, splits, inits, jobs), asked), out)


def depth(
    *,
    out: Out,
    graphs: Graphs = ALL_GRAPHS,
    splits: Annotated[int, typer.Option(help="Splits to draw.", min=1, max=100)] = 5,
    inits: Inits = 1,
    jobs: Jobs = 2,
) -> None:
    """Compare GCN and Diff-ResNet with 2 to 32 layers (Figure "graph").

    Writes index.html, which needs no other file; depth.png and .svg;
    results.json; the folder runs.

    Example: diffresnet reproduce depth --out depth --graphs cora
    """
    finish_report(report_depth(_plan(out, graphs, splits, inits, jobs)), out)


def _listed(text: str, option: str, choices: Sequence[str]) -> list[str]:
    """Return the names in a text, each once."""
    names = list(dict.fromkeys(text.split(",")))
    for name in names:
        if name not in choices:
            must = f"of {some(choices, len(choices))}"
            refuse(option, must, f"'{name}'", "Join the names by commas, without blanks.")
    return names


def _plan(out: Path, graphs: str, splits: int, inits: int, jobs: int) -> NodePlan:
    """Try everything that may be wrong, and return what to compute on."""
    names = _listed(graphs, "--graphs", tuple(CHECKSUMS))
    new_figure("diffresnet reproduce", 1, 1)
    loaded = {name: standardize(NodeGraph.from_file(find_citation_graph(name))) for name in names}
    make_folder(out)
    return NodePlan(loaded, SplitProtocol(n_splits=splits, n_inits=inits), jobs, out / "runs")
