"""`diffresnet nodes --predict`: labels for the nodes that have none."""

from collections.abc import Callable, Mapping
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components

from diffresnet._support.checks import refuse
from diffresnet._support.words import count
from diffresnet.cli.console import say
from diffresnet.cli.outputs import write_files
from diffresnet.files.points import read_points
from diffresnet.files.predictions import encode_predictions
from diffresnet.nodes.catalog import KERNEL
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.method import NodeMethod
from diffresnet.nodes.prediction import predict_nodes

MEASURING = {
    **{name: f"--{name}" for name in ("splits", "inits", "seed", "steps", "dropout", "jobs")},
    "train_nodes": "--train-nodes",
    "validation_nodes": "--validation-nodes",
    "given_split": "--given-split",
    "step_size": "--step-size",
    "adapt_proportions": "--adapt-proportions",
    "cluster": "--cluster",
    "resume": "--resume",
    "json_file": "--json",
}
"""Options that --predict does not heed, by the names of their arguments."""


def check_predicting(command: Callable[..., object], given: Mapping[str, Any]) -> None:
    """Refuse options that would be ignored beside --predict.

    Args:
        command: whose parameters have the defaults.
        given: its arguments by name.
    """
    if given["predict"] is None:
        return
    defaults = signature(command).parameters
    asked = [option for name, option in MEASURING.items() if given[name] != defaults[name].default]
    if asked:
        got = f"{', '.join(asked)} beside it"
        refuse("--predict", "given without options of measuring", got, "Leave these out.")
    methods = given["method"] or [KERNEL]
    if len(methods) > 1 or "all" in methods:
        got = ", ".join(methods)
        refuse("--method", "a single one beside --predict", got, f"Pass {KERNEL}, or leave it out.")


def write_predictions(
    graph: NodeGraph, ids: list[str], method: NodeMethod, out: Path, *, needs_validation: bool
) -> None:
    """Predict the nodes without a label, write a table of them, and say what was written.

    Args:
        graph: standardized, of all nodes.
        ids: (N,) of these.
        method: with its settings.
        out: .csv or .parquet.
        needs_validation: see `predict_nodes`.
    """
    probabilities = predict_nodes(graph, method, needs_validation=needs_validation).numpy()
    component = connected_components(graph.adjacency, directed=False)[1]
    reached = np.isin(component, component[graph.labels >= 0])
    rows = np.flatnonzero(graph.labels < 0)
    names = np.array(graph.class_names)[probabilities.argmax(axis=1)]
    table = encode_predictions(
        [ids[row] for row in rows],
        names[rows],
        probabilities[rows],
        reached[rows],
        out.suffix,
    )
    learned = graph.n_nodes - len(rows)
    words = f"{count(len(rows), 'label')} by {method.name}, learned from {learned:,}: {out}"
    n_apart = int((~reached[rows]).sum())
    if n_apart:
        words += (
            f". No label reaches {count(n_apart, 'node')} (`reached` is false): what they are "
            "is guessed by their features alone, if they have any."
        )
    write_files({out: table}, lambda: say(words))


def read_ids(
    graph: NodeGraph, nodes: Path | None, id_column: str | None, label_column: str | None
) -> list[str]:
    """Return the ids of the nodes: those of the table, or their numbers in the file, from 0."""
    if nodes is None:
        return [str(number) for number in range(graph.n_nodes)]
    points = read_points(nodes, id_column=id_column, label_column=label_column, what="--nodes")
    return list(points.ids)
