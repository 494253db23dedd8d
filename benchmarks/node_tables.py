"""How do the methods for nodes compare, on six graphs, with 20 labels per class and with few?

Every method runs on the same splits, the first of those that the seeds of the authors' code draw:
Diff-ResNet with channels on `--most` of them, others on 1, 2, 5, 10, 20, 50 and 100, until they
have run on `--least` of them and taken `--seconds` of one thread. Differences are paired, over the
splits that both have. What is done is kept in a folder, and a stopped run goes on.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from diffresnet._support.writing import finite, write_whole
from diffresnet.datasets.files import find_data_file
from diffresnet.measuring.statistics import difference_of, half_interval
from diffresnet.nodes import NodeGraph, NodeResult, SplitProtocol, make_method, run_protocol
from diffresnet.nodes.catalog import BASELINES, DIFFUSION_KERNEL, KERNEL, REFITTED, SELF_TRAINED
from diffresnet.nodes.reading import parse_steps, standardized
from diffresnet.nodes.splits import GivenSplit, Protocol
from timing import keep_results, kept_results, set_threads

RESULTS = "node_tables"
DRAWN, GIVEN = ("cora", "citeseer", "pubmed", "amazon_photo"), ("texas", "chameleon_filtered")
GRAPHS = (*DRAWN, *GIVEN)
FEW_LABELS = (1, 3, 5)
N_SPLITS = (1, 2, 5, 10, 20, 50, 100)
UNLIMITED = (KERNEL, SELF_TRAINED)

ALL_LABELS_METHODS = (KERNEL, REFITTED, DIFFUSION_KERNEL, *BASELINES)
FEW_LABELS_METHODS = (KERNEL, SELF_TRAINED, "gcn", "appnp", "sgc", "label-propagation")
OURS = {"channels": "Diff-ResNet, channels", "refitted": "Diff-ResNet, channels, refitted"}


def load(name: str) -> NodeGraph:
    """Return a graph, standardized as the command does it."""
    loaded = NodeGraph.from_file(find_data_file(f"graphs/{name}.npz"))
    return standardized(loaded, parse_steps(None, loaded))


def run(
    graph: NodeGraph, method: str, labels: str, kept: Path, *, seconds: float, least: int, most: int
) -> dict[str, Any]:
    """Run a method on more and more splits, and return the numbers of the last."""
    result = None
    kept.parent.mkdir(parents=True, exist_ok=True)
    for n_splits in (n for n in N_SPLITS if n <= most):
        if result and n_splits > least and method not in UNLIMITED and _spent(result) > seconds:
            break
        protocol: Protocol
        if labels == "given":
            protocol = GivenSplit(n_inits=1)
        else:
            protocol = SplitProtocol(n_train=int(labels), n_splits=n_splits, n_inits=1)
        made = make_method(method)
        result = run_protocol(graph, made, protocol, resume=kept, show_progress=False)
        if labels == "given":
            break
    assert result is not None  # noqa: S101
    return result.to_json()


def _spent(result: NodeResult) -> float:
    """Return the seconds that the runs took, of one thread, before a break and after it."""
    return sum(run.seconds for run in result.runs)


def summarize(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield each result, with its paired differences to Diff-ResNet with channels.

    What the folder does not have stays as an earlier run has kept it.
    """
    cells = [*kept_results(RESULTS), *(json.loads(p.read_text()) for p in folder.glob("*.json"))]
    latest = {(cell["graph"], cell["labels"], cell["method"]): cell for cell in cells}
    found = [latest[key] for key in sorted(latest)]
    for one in found:
        beside = [o for o in found if (o["graph"], o["labels"]) == (one["graph"], one["labels"])]
        accuracies = np.array([each["accuracy"] for each in one["runs"]])
        one |= {"n_splits": len(accuracies), "ci95": finite(half_interval(accuracies))}
        for short, name in OURS.items():
            ours = next((other for other in beside if other["method"] == name), None)
            if ours is not None and ours is not one:
                theirs = np.array([each["accuracy"] for each in ours["runs"]])[: len(accuracies)]
                both = accuracies[: len(theirs)]
                difference = difference_of(theirs, both).to_json()
                one[f"{short}_minus_it"] = difference | {"n_splits": len(both)}
        yield one


def main() -> None:
    """Run what is missing, cell by cell, and write what is there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", default=",".join(GRAPHS))
    parser.add_argument("--labels", default="20,1,3,5", help="per class, of the drawn splits")
    parser.add_argument("--methods", default="", help="only these")
    parser.add_argument("--seconds", type=float, default=60, help="then no more splits")
    parser.add_argument("--least", type=int, default=5, help="splits, however long they take")
    parser.add_argument("--most", type=int, default=100, help="splits, of every method")
    parser.add_argument("--unfinished", type=Path, default=Path("unfinished/nodes"))
    given = parser.parse_args()
    set_threads(1)
    only = set(given.methods.split(",")) - {""}
    for labels in given.labels.split(","):
        for name in given.graphs.split(","):
            few = int(labels) in FEW_LABELS
            if few and name in GIVEN:
                continue
            per_class, graph = "given" if name in GIVEN else labels, load(name)
            for method in FEW_LABELS_METHODS if few else ALL_LABELS_METHODS:
                if only and method not in only:
                    continue
                stem = given.unfinished / f"{name}-{per_class}-{method}"
                kept = stem.with_suffix(".jsonl")
                limits = {"least": given.least, "most": given.most, "seconds": given.seconds}
                found = run(graph, method, per_class, kept, **limits)
                found = {"graph": name, "labels": per_class} | found
                write_whole(stem.with_suffix(".json"), json.dumps(found).encode())
                summary = f"{100 * found['accuracy_mean']:.2f} on {len(found['runs'])}"
                print(name, per_class, method, summary, flush=True)
    command = f"python benchmarks/node_tables.py --seconds {given.seconds:g} --least {given.least}"
    keep_results(RESULTS, command, list(summarize(given.unfinished)))


if __name__ == "__main__":
    main()
