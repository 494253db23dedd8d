"""`diffresnet reproduce n-top`, `strength`, `steps` and `time`: settings of Diff-ResNet, varied."""

from collections.abc import Callable
from typing import Annotated

import typer

from diffresnet.cli.options import Jobs
from diffresnet.cli.reproduce.options import (
    Features,
    NTasks,
    Out,
    Seed,
    Shots,
    SolverChoice,
    Split,
    finish,
    plan_tasks,
)
from diffresnet.paper.fewshot.curves import report_sweep
from diffresnet.paper.fewshot.plan import task_shape
from diffresnet.paper.fewshot.time import report_time
from diffresnet.paper.settings import ABLATION_TASKS


def _sweep(figure: str, text: str) -> Callable[..., None]:
    """Make the command that varies one setting, with `text` for its help."""

    def vary(
        *,
        features: Features,
        out: Out,
        split: Split = None,
        tasks: NTasks = ABLATION_TASKS,
        seed: Seed = 1,
        jobs: Jobs = 2,
        shots: Shots = 1,
        solver: SolverChoice = "kernel",
    ) -> None:
        shapes = [task_shape(shots)]
        plan = plan_tasks(
            features, out, split=split, n_tasks=tasks, seed=seed, n_jobs=jobs, shapes=shapes
        )
        finish(report_sweep(plan, figure, n_shots=shots, solver=solver), plan, out)

    vary.__doc__ = f"""{text}

    Writes index.html, which needs no other file; {figure}.png and .svg;
    results.json.

    Example: diffresnet reproduce {figure} --features bank.npz --out {figure}
    """
    return vary


n_top = _sweep(
    "n-top",
    """Vary how many neighbors each point is linked to (Figure "n_top").

    Diff-ResNet on features as they are, with the bandwidth at the distance of
    rank n_top/2. Few links break clusters up, many join classes.""",
)
strength = _sweep(
    "strength",
    """Vary how much is diffused: steps times step size (Figure "strength").

    Diff-ResNet on features as they are, with 0 to 20 steps of size 0.5. Too
    much diffusion makes all points alike.""",
)
steps = _sweep(
    "steps",
    """Vary the number of steps at the same strength, 5 (Figure "steps").

    Diff-ResNet on features as they are. No step is larger than 1, so that below
    5 steps the strength is less.""",
)


def time(
    *,
    features: Features,
    out: Out,
    split: Split = None,
    tasks: NTasks = 200,
    seed: Seed = 1,
    jobs: Annotated[
        int, typer.Option(help="Processes; several at once disturb each other's clock.", min=1)
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
    shapes = [task_shape(shots)]
    plan = plan_tasks(
        features, out, split=split, n_tasks=tasks, seed=seed, n_jobs=jobs, shapes=shapes
    )
    finish(report_time(plan, n_shots=shots, n_descent_tasks=descent_tasks), plan, out)
