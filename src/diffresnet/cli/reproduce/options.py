"""What the few-shot commands of `diffresnet reproduce` share: options, and the way they end."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from diffresnet.cli.banks import check_tasks, choose_split
from diffresnet.cli.outputs import make_folder
from diffresnet.cli.reproduce.ending import finish_report
from diffresnet.fewshot import EpisodeShape, FeatureBank
from diffresnet.fewshot.methods import Solver
from diffresnet.paper.fewshot.plan import TaskPlan
from diffresnet.report.files import Report
from diffresnet.report.panels import new_figure

Features: TypeAlias = Annotated[
    Path,
    typer.Option(
        help="Feature bank: an .npz file with features (n, d), labels (n,) and, if there are any, "
        "split (n,) and the names classes."
    ),
]
Out: TypeAlias = Annotated[
    Path,
    typer.Option(
        help="Folder for the page, the pictures and the numbers. A run that was stopped goes on "
        "from what it has left there."
    ),
]
Split: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Split of the bank to draw tasks from; 'all' for all examples.",
        show_default="test, or all if the bank has no splits",
    ),
]
NTasks: TypeAlias = Annotated[int, typer.Option("--tasks", help="Tasks to draw.", min=1)]
Seed: TypeAlias = Annotated[int, typer.Option(help="Seed of the tasks.", min=0)]
Shots: TypeAlias = Annotated[int, typer.Option(help="Labeled examples of each class.", min=1)]
ShotsOrBoth: TypeAlias = Annotated[
    int | None,
    typer.Option(help="Labeled examples of each class.", min=1, show_default="1 and 5"),
]
SolverChoice: TypeAlias = Annotated[
    Solver,
    typer.Option(
        "--solver",
        help="How the network of each task is trained. kernel: infinitely wide and linearized, "
        "milliseconds per task. reordered: the paper's training with fewer operations, a few "
        "hundred times slower. descent: the paper's training as it is, slower again.",
    ),
]


def plan_tasks(
    features: Path,
    out: Path,
    *,
    split: str | None,
    n_tasks: int,
    seed: int,
    n_jobs: int,
    shapes: Sequence[EpisodeShape],
) -> TaskPlan:
    """Try everything that may be wrong, and return what to compute on."""
    new_figure("diffresnet reproduce", 1, 1)
    bank = FeatureBank.load(features)
    chosen = choose_split(bank, split)
    for shape in shapes:
        check_tasks(bank, chosen, shape)
    make_folder(out)
    return TaskPlan(bank, features.name, chosen, n_tasks, seed, n_jobs, out / "unfinished")


def finish(report: Report, plan: TaskPlan, out: Path) -> None:
    """Print a report, write its files, and delete what was kept on the way."""
    finish_report(report, out)
    plan.forget()
