"""`diffresnet reproduce ablation`, `fewshot` and `tsne`: few-shot tables, and one task drawn."""

from typing import Annotated

import typer

from diffresnet.cli.options import Jobs
from diffresnet.cli.reproduce.options import (
    Features,
    NTasks,
    Out,
    Seed,
    ShotsOrBoth,
    SolverChoice,
    Split,
    finish,
    plan_tasks,
)
from diffresnet.paper.fewshot.ablation import report_ablation
from diffresnet.paper.fewshot.plan import task_shape
from diffresnet.paper.fewshot.table import report_table, table_shapes
from diffresnet.paper.fewshot.tsne import report_tsne
from diffresnet.paper.settings import ABLATION_TASKS, FEWSHOT_SHOTS


def ablation(
    *,
    features: Features,
    out: Out,
    split: Split = None,
    tasks: NTasks = ABLATION_TASKS,
    seed: Seed = 1,
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
    shapes = [task_shape(n_shots) for n_shots in chosen]
    plan = plan_tasks(
        features, out, split=split, n_tasks=tasks, seed=seed, n_jobs=jobs, shapes=shapes
    )
    finish(report_ablation(plan, shots=chosen, solver=solver), plan, out)


def fewshot(
    *,
    features: Features,
    out: Out,
    split: Split = None,
    tasks: NTasks = 1000,
    seed: Seed = 1,
    jobs: Jobs = 2,
    shots: ShotsOrBoth = None,
    solver: SolverChoice = "kernel",
    skip_slow: Annotated[
        bool,
        typer.Option(
            "--skip-slow",
            help="Leave out TIM, alpha-TIM and PT-MAP: a tenth of a second a task, or more.",
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
    shapes = table_shapes(chosen)
    plan = plan_tasks(
        features, out, split=split, n_tasks=tasks, seed=seed, n_jobs=jobs, shapes=shapes
    )
    report = report_table(plan, shots=chosen, solver=solver, skip_slow=skip_slow)
    finish(report, plan, out)


def tsne(
    *,
    features: Features,
    out: Out,
    split: Split = None,
    task: Annotated[int, typer.Option(help="Number of the task to draw.", min=0)] = 0,
    seed: Seed = 1,
) -> None:
    """Draw one task before and after diffusion, by t-SNE (Figure "tsne").

    One task with one label per class, and one with five. Stars are labeled
    points, circles are queries, colors are classes.

    Writes index.html, which needs no other file; tsne.png and .svg;
    results.json.

    Example: diffresnet reproduce tsne --features bank.npz --out tsne --task 3
    """
    shapes = [task_shape(n_shots) for n_shots in FEWSHOT_SHOTS]
    plan = plan_tasks(features, out, split=split, n_tasks=1, seed=seed, n_jobs=1, shapes=shapes)
    finish(report_tsne(plan, task=task), plan, out)
