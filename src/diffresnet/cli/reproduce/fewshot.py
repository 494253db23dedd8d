"""The few-shot tables and figures of `diffresnet reproduce`."""

from collections.abc import Callable, Sequence
from inspect import getdoc
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from diffresnet.cli.banks import choose_split
from diffresnet.cli.options import BANK_HELP, Jobs, Split, Tasks, TaskSeed
from diffresnet.cli.outputs import make_folder
from diffresnet.cli.reproduce.ending import finish_report
from diffresnet.fewshot import EpisodeSampler, FeatureBank
from diffresnet.fewshot.methods import Solver
from diffresnet.paper.fewshot.ablation import report_ablation
from diffresnet.paper.fewshot.curves import report_sweep
from diffresnet.paper.fewshot.plan import TaskPlan, task_shape
from diffresnet.paper.fewshot.table import report_table
from diffresnet.paper.fewshot.time import report_time
from diffresnet.paper.fewshot.tsne import report_tsne
from diffresnet.paper.settings import ABLATION_TASKS, FEWSHOT_SHOTS
from diffresnet.report.files import Report
from diffresnet.report.panels import new_figure

Features: TypeAlias = Annotated[Path, typer.Option(help=BANK_HELP)]
Out: TypeAlias = Annotated[
    Path,
    typer.Option(
        help="Folder for the page, the pictures and the numbers. A run that was stopped goes on "
        "from what it has left there."
    ),
]
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
    shots: Sequence[int],
    *,
    split: str | None,
    tasks: int,
    seed: int,
    jobs: int,
) -> TaskPlan:
    """Try everything that may be wrong, and return what to compute on."""
    new_figure("diffresnet reproduce", 1, 1)
    bank = FeatureBank.load(features)
    chosen = choose_split(bank, split)
    for n_shots in shots:  # refuses tasks that cannot be drawn
        EpisodeSampler(bank, task_shape(n_shots), split=chosen)
    make_folder(out)
    return TaskPlan(bank, features.name, chosen, tasks, seed, jobs, out / "unfinished")


def finish(report: Report, plan: TaskPlan, out: Path) -> None:
    """Print a report, write its files, and delete what was kept on the way."""
    finish_report(report, out)
    plan.forget()


def ablation(
    *,
    features: Features,
    out: Out,
    split: Split = None,
    tasks: Tasks = ABLATION_TASKS,
    seed: TaskSeed = 1,
    jobs: Jobs = 2,
    shots: ShotsOrBoth = None,
    solver: SolverChoice = "kernel",
) -> None:
    """Compare prototypes, diffusion, a network, and both (Table "ablation").

    Five methods on the same tasks, on features as they are. Nearest Prototype;
    Diffusion of labels, without a network (LaplacianShot); Convection, a
    residual network without diffusion; External Convection-Diffusion, with
    diffusion in the loss; Internal Convection-Diffusion, which is Diff-ResNet.

    Writes index.html, ours beside the paper's, which needs no other file;
    ablation.png and .svg; results.json, with paired differences.

    Example: diffresnet reproduce ablation --features bank.npz --out ablation
    """
    chosen = FEWSHOT_SHOTS if shots is None else (shots,)
    plan = plan_tasks(features, out, chosen, split=split, tasks=tasks, seed=seed, jobs=jobs)
    finish(report_ablation(plan, shots=chosen, solver=solver), plan, out)


def fewshot(
    *,
    features: Features,
    out: Out,
    split: Split = None,
    tasks: Tasks = 1000,
    seed: TaskSeed = 1,
    jobs: Jobs = 2,
    shots: ShotsOrBoth = None,
    solver: SolverChoice = "kernel",
    skip_slow: Annotated[
        bool,
        typer.Option(
            "--skip-slow",
            help="Leave out TIM, alpha-TIM and iLPC: about ten milliseconds a task.",
        ),
    ] = False,
) -> None:
    """Compare every method with its own transforms (Table "fewshot").

    Diff-ResNet with the paper's transforms, the methods that the paper compares
    with, and stronger ones, on the same tasks: with as many queries of every
    class, as in the paper, and in random proportions (Dirichlet), which some
    methods do not expect. The paper draws 10,000 tasks.

    Writes index.html, ours beside the paper's, which needs no other file;
    fewshot.png and .svg; results.json.

    Example: diffresnet reproduce fewshot --features bank.npz --out fewshot
    """
    chosen = FEWSHOT_SHOTS if shots is None else (shots,)
    plan = plan_tasks(features, out, chosen, split=split, tasks=tasks, seed=seed, jobs=jobs)
    report = report_table(plan, shots=chosen, solver=solver, skip_slow=skip_slow)
    finish(report, plan, out)


def tsne(
    *,
    features: Features,
    out: Out,
    split: Split = None,
    task: Annotated[int, typer.Option(help="Number of the task to draw.", min=0)] = 0,
    seed: TaskSeed = 1,
) -> None:
    """Draw one task before and after diffusion, by t-SNE (Figure "tsne").

    One task with one label per class, and one with five. Stars are labeled
    points, circles are queries, colors are classes.

    Writes index.html, which needs no other file; tsne.png and .svg;
    results.json.

    Example: diffresnet reproduce tsne --features bank.npz --out tsne --task 3
    """
    plan = plan_tasks(features, out, FEWSHOT_SHOTS, split=split, tasks=1, seed=seed, jobs=1)
    finish(report_tsne(plan, task=task), plan, out)


def _sweep(setting: Callable[[], None]) -> Callable[..., None]:
    """Make the command that varies a setting, with its help."""
    figure = setting.__name__.replace("_", "-")

    def vary(
        *,
        features: Features,
        out: Out,
        split: Split = None,
        tasks: Tasks = ABLATION_TASKS,
        seed: TaskSeed = 1,
        jobs: Jobs = 2,
        shots: Shots = 1,
        solver: SolverChoice = "kernel",
    ) -> None:
        plan = plan_tasks(features, out, [shots], split=split, tasks=tasks, seed=seed, jobs=jobs)
        finish(report_sweep(plan, figure, n_shots=shots, solver=solver), plan, out)

    vary.__doc__ = (
        f"{getdoc(setting)}\n\n"
        f"Writes index.html, which needs no other file; {figure}.png and .svg;\nresults.json.\n\n"
        f"Example: diffresnet reproduce {figure} --features bank.npz --out {figure}"
    )
    return vary


@_sweep
def n_top() -> None:
    """Vary how many neighbors each point is linked to (Figure "n_top").

    Diff-ResNet on features as they are, with the bandwidth at the distance of
    rank n_top/2. Few links break clusters up, many join classes.
    """


@_sweep
def strength() -> None:
    """Vary how much is diffused: steps times step size (Figure "strength").

    Diff-ResNet on features as they are, with 0 to 20 steps of size 0.5. Too
    much diffusion makes all points alike.
    """


@_sweep
def steps() -> None:
    """Vary the number of steps at the same strength, 5 (Figure "steps").

    Diff-ResNet on features as they are. No step is larger than 1, so that below
    5 steps the strength is less.
    """


def time(
    *,
    features: Features,
    out: Out,
    split: Split = None,
    tasks: Tasks = 200,
    seed: TaskSeed = 1,
    jobs: Annotated[
        int,
        typer.Option(
            help="Processes, one thread each; several at once disturb each other's clock.", min=1
        ),
    ] = 1,
    shots: Shots = 1,
    descent_tasks: Annotated[
        int,
        typer.Option(help="Tasks of the solver descent, seconds each; 0 to leave it out.", min=0),
    ] = 3,
) -> None:
    """Measure seconds per task by number of steps and by solver (Figure "time").

    Diff-ResNet on features as they are, at strength 2, without diffusion first:
    by the solvers kernel and reordered, and on a few tasks by descent, which is
    the paper's own training loop. The paper draws 1,000 tasks.

    Writes index.html, which needs no other file; time.png and .svg;
    results.json.

    Example: diffresnet reproduce time --features bank.npz --out time
    """
    plan = plan_tasks(features, out, [shots], split=split, tasks=tasks, seed=seed, jobs=jobs)
    finish(report_time(plan, n_shots=shots, n_descent_tasks=descent_tasks), plan, out)
