"""`diffresnet classify --cluster`: the same on a cluster, for points that are too many for one."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from inspect import signature
from pathlib import Path

from diffresnet._support.checks import refuse
from diffresnet._support.stages import shown_stages
from diffresnet._support.words import count
from diffresnet.cli.console import say, show, warn
from diffresnet.cli.given import Columns
from diffresnet.cli.outputs import check_new_folder
from diffresnet.files.predictions import PARTS

N_ROWS = 30
"""Classes that the table shows."""

SHORTENED = re.compile(r"^([a-z][a-z0-9+.-]+):/(?!/)")
"""How an address looks that went through `Path`, which takes two slashes for one."""

ONE_MACHINE = (
    *("graph", "report", "since", "save", "suggest", "suggestions", "curve"),
    *("solver", "steps", "search", "label_sampling", "prior"),
)
"""Options of `classify` that only one machine heeds."""

ON_A_CLUSTER = ("work", "memory")
"""Those that only a cluster does."""


def check_options(command: Callable[..., object], given: Mapping[str, object]) -> None:
    """Refuse options that would be ignored, with a cluster or without one.

    Args:
        command: whose parameters have the defaults.
        given: its arguments by name.
    """
    is_alone = given["cluster"] is None
    idle = ON_A_CLUSTER if is_alone else ONE_MACHINE
    defaults = signature(command).parameters
    asked = [name for name in idle if given[name] != defaults[name].default]
    if asked and is_alone:
        refuse(_name(asked), "given with --cluster", "it alone", "Pass --cluster auto, too.")
    if asked:
        remedy = "Leave these out, or take a part of the points without --cluster."
        got = f"it with {_name(asked)}"
        refuse("--cluster", f"left out beside {_name(ONE_MACHINE)}", got, remedy)


def _name(options: Sequence[str]) -> str:
    return ", ".join(f"--{name.replace('_', '-')}" for name in options)


def address_of(path: Path) -> str:
    """Return a path as it was typed, where it is an address.

    Examples:
        >>> address_of(Path("s3://bucket/points")), address_of(Path("points/"))
        ('s3://bucket/points', 'points')
    """
    return SHORTENED.sub(r"\1://", str(path))


def shared_out(cluster: str | None) -> AbstractContextManager[None]:
    """Let runs within the block go to a cluster, if one is named."""
    if cluster is None:
        return nullcontext()
    from diffresnet.cluster.ray_engine import running_on  # noqa: PLC0415  (slow)

    return running_on(cluster)


@dataclass(frozen=True)
class ClusterRun:
    """What the command was asked for.

    Attributes:
        features: the folder of points.
        labels: their file; None for labels in the points.
        out: the folder of predictions; None for the usual one.
        cluster: its address.
        work: the folder of the job; None for the usual one.
        memory: of a worker, in GB.
        n_top: neighbors that the graph keeps.
        seed: of the classifier.
    """

    features: Path
    labels: Path | None
    out: Path | None
    cluster: str
    work: Path | None
    memory: float
    n_top: int
    seed: int

    def classify(self, columns: Columns, *, force: bool) -> None:
        """Classify on the cluster, and say what came out.

        Args:
            columns: of ids and labels.
            force: whether predictions that are there may be written over.
        """
        points, out = address_of(self.features), address_of(self.out or Path("predictions"))
        inputs = [path for path in (self.features, self.labels) if path is not None]
        if "://" not in out:
            check_new_folder(Path(out), "--out", PARTS, inputs, force=force)
        from diffresnet.cluster import classify  # noqa: PLC0415  (slow)

        with shown_stages(f"classifying {points}"):
            found = classify(
                points,
                self.labels,
                out=out,
                cluster=self.cluster,
                **columns._asdict(),
                n_top=self.n_top,
                memory=self.memory,
                work=self.work,
                seed=self.seed,
            )
        rows = [[name, f"{n:,}"] for name, n in list(found.counts.items())[:N_ROWS]]
        show(count(found.n_points, "point"), ["class", "points, labeled or predicted"], rows)
        if len(found.counts) > N_ROWS:
            say(f"The files have {count(len(found.counts) - N_ROWS, 'class')} more.")
        if found.n_unreached:
            warn(
                f"{found.n_unreached:,} points are not connected to any label, and every class is "
                "as probable for them. Label some of them, or raise --n-top."
            )
        cut = f"{count(found.n_shards, 'shard')}, {count(found.n_blocks, 'block')}"
        say(f"{cut}, {found.n_restarts} started again.")
        sampled = count(found.n_exact, "point")
        say(f"The graph has {found.recall:.1%} of the nearest neighbors of {sampled}.")
        say(f"wrote {out}")
