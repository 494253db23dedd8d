"""`diffresnet nodes`: the accuracy of methods that label the nodes of a graph."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from diffresnet._support.checks import refuse
from diffresnet._support.writing import encode_json
from diffresnet.cli.cluster_run import shared_out
from diffresnet.cli.comparison import compare_in_json, show_comparison
from diffresnet.cli.console import say
from diffresnet.cli.node_description import describe_graph, describe_split
from diffresnet.cli.node_prediction import check_predicting, read_ids, write_predictions
from diffresnet.cli.options import Cluster, Force, Jobs, JsonFile, Resume
from diffresnet.cli.outputs import check_new_file, make_folder, write_files
from diffresnet.files.predictions import SUFFIXES
from diffresnet.nodes.adaptation import ProportionsAdapted
from diffresnet.nodes.catalog import (
    DIFFUSION,
    DIFFUSION_KERNEL,
    KERNEL,
    LABELS_ALONE,
    METHOD_NAMES,
    NO_DIFFUSION,
    REFITTED,
    SELF_TRAINED,
    NodeSolver,
    check_installed,
    make_method,
)
from diffresnet.nodes.channel_method import ChannelDiffResNet
from diffresnet.nodes.citation import recognize
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.protocol import NodeResult, compare
from diffresnet.nodes.reading import parse_steps, read_node_graph, standardized
from diffresnet.nodes.splits import GivenSplit, Protocol, SplitProtocol
from diffresnet.nodes.standardization import StandardStep
from diffresnet.paper.nodes.plan import NodePlan
from diffresnet.paper.settings import NODE_SETTINGS

HEADS = ("accuracy %", "splits x inits", "s per run")
WITHOUT_VALIDATION = {KERNEL, REFITTED, DIFFUSION_KERNEL, SELF_TRAINED, LABELS_ALONE}
"""Methods that need no validation nodes."""

CAPTION = "± is the deviation over runs; of differences, the 95 % interval over splits"


def nodes(
    graph: Annotated[
        str,
        typer.Argument(
            help="An .npz file with the CSR parts adj_... and attr_..., and labels; or .csv or "
            ".parquet with links, and --nodes; or cora, citeseer or pubmed, downloaded once."
        ),
    ],
    *,
    nodes_file: Annotated[
        Path | None,
        typer.Option(
            "--nodes",
            help="With a table of links: .csv or .parquet with an id, a label and features for "
            "each node. Nodes without a label take part, but are not scored.",
        ),
    ] = None,
    id_column: Annotated[
        str | None, typer.Option(help="Column of the ids in --nodes.", show_default="id")
    ] = None,
    label_column: Annotated[
        str | None, typer.Option(help="Column of the labels in --nodes.", show_default="label")
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            help=f"One of {', '.join(METHOD_NAMES)}; or 'all'. Several give one table, the first "
            "of them compared with the others.",
            show_default=DIFFUSION,
        ),
    ] = None,
    solver: Annotated[
        NodeSolver,
        typer.Option(
            help="Of diffresnet: train (the paper's network, minutes per run) or kernel (its limit "
            "of infinite width, about a second, no seed)."
        ),
    ] = "train",
    splits: Annotated[
        int | None, typer.Option(help="Splits to draw.", min=1, show_default="100")
    ] = None,
    inits: Annotated[
        int, typer.Option(help="Initializations of each, if the method is random.", min=1)
    ] = 20,
    train_nodes: Annotated[
        int | None, typer.Option(help="Labeled nodes of each class.", min=1, show_default="20")
    ] = None,
    validation_nodes: Annotated[
        int | None,
        typer.Option(help="Nodes of each class that end the training.", min=0, show_default="30"),
    ] = None,
    given_split: Annotated[
        bool,
        typer.Option(
            "--given-split",
            help="Use the masks train_mask, val_mask, test_mask of the file, as of Planetoid.",
        ),
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed of the splits.", min=0, max=2**32 - 1)] = 42,
    step_size: Annotated[
        float | None,
        typer.Option(help="Diffusion step size of diffresnet.", show_default="the paper's"),
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option(help="Diffusion steps of diffresnet.", min=0, show_default="the paper's"),
    ] = None,
    dropout: Annotated[
        float | None,
        typer.Option(help="Dropout before each step of diffresnet.", show_default="the paper's"),
    ] = None,
    adapt_proportions: Annotated[
        bool,
        typer.Option(
            "--adapt-proportions",
            help="Adapt the predictions of every method to how common the classes are among all "
            "nodes, estimated from those without a label.",
        ),
    ] = False,
    standardize: Annotated[
        str | None,
        typer.Option(
            help="Steps joined by commas, or none: undirected, binary, without-loops, "
            "largest-component, binary-features, row-features.",
            show_default="all for the paper's graphs; else links keep their weights, and features "
            "that are no counts stay as they are",
        ),
    ] = None,
    predict: Annotated[
        Path | None,
        typer.Option(
            help="Measure nothing: learn from all labels, and write those of nodes that have none "
            "to this .csv or .parquet file, with probabilities. By the kernel, or by --method.",
        ),
    ] = None,
    jobs: Jobs = 1,
    cluster: Cluster = None,
    resume: Resume = None,
    json_file: JsonFile = None,
    force: Force = False,
) -> None:
    """Measure how well methods label the nodes of a graph from a few of them, over many splits.

    By default the protocol is the paper's: 20 nodes of each class to learn from, 30 to stop by, all
    others to test; 100 splits, 20 initializations each, from the seeds of the authors' code. Its
    settings are the paper's for the three graphs, and those of Cora for others.

    With --resume, what was stopped goes on when the same command is given again. With --predict
    nothing is measured: nodes without a label get one.

    Examples:
      diffresnet nodes cora --solver kernel

      diffresnet nodes citeseer.npz --method diffresnet --method gcn --inits 1

      diffresnet nodes links.csv --nodes papers.csv --solver kernel

      diffresnet nodes links.csv --nodes papers.csv --predict labels.csv
    """
    check_predicting(nodes, locals())
    loaded = read_node_graph(graph, nodes_file, id_column=id_column, label_column=label_column)
    taken = parse_steps(standardize, loaded)
    inputs = [path for path in (Path(graph), nodes_file) if path is not None]
    if predict is not None:
        check_new_file(predict, "--predict", SUFFIXES, inputs, force=force)
        kept: tuple[StandardStep, ...] = tuple(one for one in taken if one != "largest-component")
        ids = read_ids(loaded, nodes_file, id_column, label_column)
        name = method[0] if method and solver == "train" else KERNEL
        _predict(standardized(loaded, kept), ids, name, predict)
        return
    ready = standardized(loaded, taken)
    asked = list(dict.fromkeys(method or [DIFFUSION]))
    names = METHOD_NAMES if "all" in asked else asked
    given = {"step_size": step_size, "n_steps": steps, "dropout": dropout}
    wanted: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    recognized = graph if graph in NODE_SETTINGS else recognize(ready)
    settings = replace(NODE_SETTINGS[recognized or "cora"], **wanted)
    methods = [
        make_method(name, settings, solver=solver if name == DIFFUSION else "train")
        for name in names
    ]
    _check_used(names, solver, given)
    check_installed(names)
    if adapt_proportions:
        methods = [
            one if isinstance(one, ChannelDiffResNet) else ProportionsAdapted(one)
            for one in methods
        ]
    drawn = {"n_train": train_nodes, "n_validation": validation_nodes, "n_splits": splits}
    protocol = _protocol(drawn, inits, seed, given_split=given_split)
    if len(next(iter(protocol.splits(ready))).validation) == 0:
        _check_validation(names, solver, adapt_proportions=adapt_proportions)
    check_new_file(json_file, "--json", (".json",), inputs, force=force)
    if resume is not None:
        make_folder(resume, "--resume")
    say(describe_graph(loaded, ready, taken))
    say(describe_split(ready, next(iter(protocol.splits(ready)))))
    stem = Path(graph).stem
    plan = NodePlan({stem: ready}, protocol, jobs, resume)
    with shared_out(cluster):
        results = [plan.run(stem, one) for one in methods]
    differences, contents = [compare(results[0], one) for one in results], dict[Path, bytes]()
    if json_file is not None:
        content = compare_in_json([result.to_json() for result in results], differences)
        content |= {"graph": Path(graph).name, "standardized": taken}
        contents[json_file] = encode_json(content)
    rows = [_cells(result) for result in results]
    shown = results[0].kind, HEADS, rows, results[0].method, differences
    write_files(contents, lambda: show_comparison(*shown, caption=CAPTION))


def _predict(graph: NodeGraph, ids: list[str], name: str, out: Path) -> None:
    check_installed([name])
    needs = name not in WITHOUT_VALIDATION
    write_predictions(graph, ids, make_method(name), out, needs_validation=needs)


def _protocol(
    drawn: Mapping[str, int | None], inits: int, seed: int, *, given_split: bool
) -> Protocol:
    asked = {name: number for name, number in drawn.items() if number is not None}
    if not given_split:
        return SplitProtocol(**asked, n_inits=inits, seed=seed)
    if asked:
        what = "--splits, --train-nodes and --validation-nodes"
        refuse(
            what, "left out", "one of them with --given-split", "The splits are those of the file."
        )
    return GivenSplit(inits, seed)


def _check_used(
    names: Sequence[str], solver: NodeSolver, given: Mapping[str, float | None]
) -> None:
    """Refuse options that none of the methods would look at."""
    if solver == "kernel" and DIFFUSION not in names:
        refuse("--solver", "'train'", "'kernel' without diffresnet", f"Add --method {DIFFUSION}.")
    trained = (DIFFUSION, NO_DIFFUSION) if solver == "train" else (NO_DIFFUSION,)
    if any(value is not None for value in given.values()) and not set(names) & set(trained):
        what = "--step-size, --steps and --dropout"
        remedy = "Leave them out; the kernel chooses its own."
        refuse(what, "left out", "them without a network of ours to train", remedy)


def _check_validation(names: Sequence[str], solver: NodeSolver, *, adapt_proportions: bool) -> None:
    """Refuse methods that need validation nodes, where there are none."""
    without = WITHOUT_VALIDATION | ({DIFFUSION} if solver == "kernel" else set())
    needing = [name for name in names if name not in without]
    if adapt_proportions or needing:
        what = "--adapt-proportions" if adapt_proportions else ", ".join(needing)
        got = f"no validation nodes with {what}"
        remedy = "Raise it; the kernel by itself and label propagation can do without."
        refuse("--validation-nodes", "at least 1", got, remedy)


def _cells(result: NodeResult) -> list[str]:
    n_splits = len(result.of_splits())
    wide = f" ± {100 * result.std:.2f}" if len(result.runs) > 1 else ""
    return [
        result.method,
        f"{100 * result.mean:.2f}{wide}",
        f"{n_splits} x {len(result.runs) // n_splits}",
        f"{result.seconds_per_run:.2f}",
    ]
