"""The protocol runner: many splits and initializations, in parallel, resumed after a break."""

import json
import math
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from diffresnet import __version__
from diffresnet._support.checks import check_count, fail
from diffresnet._support.progress import progress_bar
from diffresnet.measuring.runs import RunFile, run_all
from diffresnet.measuring.statistics import PairedDifference, difference_of
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.method import NodeMethod, Solve
from diffresnet.nodes.splits import Protocol, Split


@dataclass(frozen=True)
class Run:
    """One training: which split and initialization, the accuracy on test nodes, the seconds."""

    split: int
    init: int
    accuracy: float
    seconds: float


@dataclass(frozen=True)
class NodeResult:
    """The accuracies of a method over a protocol.

    Attributes:
        method: its name.
        settings: all of them.
        graph: a short name of its numbers.
        kind: of protocol, in words.
        runs: one for every split and initialization, in order.
    """

    method: str
    settings: str
    graph: str
    kind: str
    runs: tuple[Run, ...]

    @property
    def protocol(self) -> str:
        """How the splits were drawn, and how many there are, in words."""
        n_splits = len(self.of_splits())
        return f"{self.kind}, {n_splits} splits x {len(self.runs) // n_splits} inits"

    @property
    def accuracies(self) -> npt.NDArray[np.float64]:
        """The accuracy of each run, in order."""
        return np.array([run.accuracy for run in self.runs])

    @property
    def mean(self) -> float:
        """The mean over all runs."""
        return float(self.accuracies.mean())

    @property
    def std(self) -> float:
        """The population deviation over all runs, as the paper gives it."""
        return float(self.accuracies.std())

    @property
    def seconds_per_run(self) -> float:
        """The mean time of a run, on one thread."""
        return float(np.mean([run.seconds for run in self.runs]))

    def of_splits(self) -> npt.NDArray[np.float64]:
        """Return the mean accuracy of each split."""
        numbers = np.array([run.split for run in self.runs])
        return np.bincount(numbers, self.accuracies) / np.bincount(numbers)

    def to_json(self) -> dict[str, Any]:
        """Return the numbers, for a file."""
        return {
            "method": self.method,
            "settings": self.settings,
            "graph_digest": self.graph,
            "protocol": self.protocol,
            "accuracy_mean": self.mean,
            "accuracy_std": self.std,
            "seconds_per_run": self.seconds_per_run,
            "runs": [vars(run) for run in self.runs],
        }


def compare(one: NodeResult, other: NodeResult) -> PairedDifference:
    """Return the difference over the same splits, one minus other.

    Raises:
        ValueError: if the graphs, the protocols or the numbers of splits differ.
    """
    pairs = one.of_splits(), other.of_splits()
    if one.graph != other.graph:
        fail("compare", "other", "of the same graph", other.graph, "Run both on one graph.")
    if len(pairs[0]) != len(pairs[1]) or one.kind != other.kind:
        fail("compare", "other", f"of protocol {one.protocol!r}", other.protocol, "Run it again.")
    return difference_of(*pairs)


def run_protocol(
    graph: NodeGraph,
    method: NodeMethod,
    protocol: Protocol,
    *,
    resume: Path | None = None,
    n_jobs: int = 1,
    show_progress: bool = True,
) -> NodeResult:
    """Run a method on every split and initialization of a protocol.

    Each run is written to `resume` as it ends. Called again with the same file, what is there is
    not run again: the result is that of an unbroken run.

    Args:
        graph: standardized.
        method: with its settings. One that is not random has one initialization a split.
        protocol: which splits, how many initializations.
        resume: a file of finished runs, one a line.
        n_jobs: processes, each with one thread.
        show_progress: on a terminal.

    Raises:
        ValueError: if `resume` holds runs of something else, or is used by another process; if the
            scores of a run are not finite.
    """
    check_count("run_protocol", "n_jobs", n_jobs, low=1)
    splits = list(protocol.splits(graph))
    n_inits = protocol.n_inits if method.is_random else 1
    keys = [(split, init) for split in range(len(splits)) for init in range(n_inits)]
    identity = identify(graph, method, protocol)
    done = RunFile("run_protocol", resume, identity, read=_read_run, keys=_keys_of, write=asdict)
    with done, progress_bar(method.name, len(keys), show=show_progress) as advance:
        ended = {(run.split, run.init): run for run in done.runs if (run.split, run.init) in keys}
        missing = [key for key in keys if key not in ended]
        calls = [(graph, method, splits[split], split, init) for split, init in missing]
        advance(len(keys) - len(missing), "")
        for _, run in run_all(_run, calls, n_jobs=n_jobs):
            done.add(run)
            ended[run.split, run.init] = run
            accuracy = np.mean([one.accuracy for one in ended.values()])
            advance(len(ended), f"mean {100 * accuracy:.2f} %")
    _prepare.cache_clear()
    runs = tuple(ended[key] for key in keys)
    return NodeResult(method.name, repr(method), identity["graph"], protocol.kind, runs)


def identify(graph: NodeGraph, method: NodeMethod, protocol: Protocol) -> dict[str, str]:
    """Return what runs are of; with more splits or initializations, finished ones stay valid.

    Raises:
        ValueError: if the text of the method tells where it is in memory, not what it is.
    """
    if " at 0x" in repr(method):
        remedy = "Make it a frozen dataclass."
        fail("run_protocol", "method", "described by its settings", repr(method), remedy)
    return {
        "diffresnet": __version__,
        "graph": graph.digest,
        "method": repr(method),
        "protocol": protocol.kind,
    }


@dataclass(frozen=True)
class _Job:
    """A method on a graph; two are equal if their numbers and settings are."""

    graph: NodeGraph
    settings: str
    method: NodeMethod = field(compare=False)


@lru_cache(maxsize=1)
def _prepare(job: _Job) -> Solve:
    """Prepare a method, once in each process for all the runs that follow each other."""
    return job.method.prepare(job.graph)


def _run(graph: NodeGraph, method: NodeMethod, split: Split, number: int, init: int) -> Run:
    solve = _prepare(_Job(graph, repr(method), method))
    start = time.perf_counter()
    scores = solve(split, split.seeds[init])
    seconds = time.perf_counter() - start
    if not bool(torch.isfinite(scores).all()):
        got = f"NaN or infinity in the scores of {method!r}"
        fail("run_protocol", "method", "one that learns", got, "Lower its step size or its rate.")
    right = scores.argmax(dim=1).cpu().numpy()[split.test] == graph.labels[split.test]
    return Run(number, init, float(right.mean()), seconds)


def _keys_of(run: Run) -> list[tuple[int, int]]:
    return [(run.split, run.init)]


def _read_run(found: Mapping[str, Any]) -> Run:
    run = Run(**found)
    counts = all(type(number) is int and number >= 0 for number in (run.split, run.init))
    reals = all(type(number) in (int, float) for number in (run.accuracy, run.seconds))
    if not (counts and reals and 0 <= run.accuracy <= 1 and 0 <= run.seconds < math.inf):
        raise ValueError(f"{json.dumps(found)} is no run")
    return run
