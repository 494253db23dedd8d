"""Figure "time" (Section 5.3): seconds per task and accuracy, by diffusion steps and by solver."""

from dataclasses import dataclass, replace
from typing import Any

from diffresnet._support.words import count
from diffresnet.fewshot import Evaluation, Recipe
from diffresnet.fewshot.methods import DiffResNetMethod, Solver
from diffresnet.measuring.statistics import percent
from diffresnet.paper.fewshot.ablation_methods import ablation_network, at_strength
from diffresnet.paper.fewshot.plan import SOURCE, TaskPlan, task_shape
from diffresnet.paper.settings import TIME_STEPS, TIME_STRENGTH
from diffresnet.report.curves import Curve, CurvePanel, accuracy_curve, draw_curves
from diffresnet.report.files import Report
from diffresnet.report.page import Heading, Paragraph, Picture, Table
from diffresnet.report.panels import in_all_formats

WARM_UP_TASKS = 20
"""Done before the clock counts: the first tasks of a process take longer."""


@dataclass(frozen=True)
class TimeStudy:
    """Diff-ResNet by number of steps, for some solvers.

    Attributes:
        evaluations: by solver, then by steps. Descent has fewer tasks: the first ones.
    """

    evaluations: dict[Solver, dict[int, Evaluation]]

    def to_json(self) -> list[dict[str, Any]]:
        """Return the numbers, for a file."""
        return [
            {"n_steps": n_steps, **evaluation.to_json()}
            for evaluations in self.evaluations.values()
            for n_steps, evaluation in evaluations.items()
        ]

    def table(self) -> Table:
        """Return milliseconds and, but for descent, whose tasks are too few, accuracies."""
        heads = ["steps"]
        rows = [[str(n_steps)] for n_steps in next(iter(self.evaluations.values()))]
        for solver, evaluations in self.evaluations.items():
            heads += [f"{solver}: ms per task"] + ["accuracy (%)"] * (solver != "descent")
            for row, found in zip(rows, evaluations.values(), strict=True):
                row.append(f"{1000 * found.seconds_per_task:.2f}")
                if solver != "descent":
                    row.append(percent(found.accuracy, found.ci95))
        return Table(heads, rows)

    def growth(self, n_steps: int) -> str:
        """Return how many times as long as none this number of steps takes."""
        return ", ".join(
            f"{found[n_steps].seconds_per_task / found[0].seconds_per_task:.2f} ({solver})"
            for solver, found in self.evaluations.items()
        )

    def agreement(self) -> str:
        """Return a sentence on what descent and reordered reach on the tasks of descent."""
        if "descent" not in self.evaluations:
            return ""
        descent, reordered = self.evaluations["descent"], self.evaluations["reordered"]
        pairs = [
            (found.accuracy, reordered[n_steps].accuracies[: len(found.accuracies)].mean())
            for n_steps, found in descent.items()
        ]
        theirs, ours = (100 * sum(values) / len(pairs) for values in zip(*pairs, strict=True))
        n_tasks = len(descent[0].accuracies)
        return (
            f" Descent was timed on the first {count(n_tasks, 'task')} only, where it reaches "
            f"{theirs:.2f} % on average, and reordered {ours:.2f} %."
        )


def time_network(n_shots: int, solver: Solver, n_steps: int) -> DiffResNetMethod:
    """Return Diff-ResNet with r steps of 2/r, or one step of 1."""
    return at_strength(ablation_network(n_shots, solver), n_steps, TIME_STRENGTH)


def run_time_study(plan: TaskPlan, n_shots: int, n_descent_tasks: int) -> TimeStudy:
    """Time the solvers, one after the other; `descent` on a few tasks only, or on none."""
    plans: dict[Solver, TaskPlan] = {"kernel": plan, "reordered": plan}
    if n_descent_tasks > 0:
        plans["descent"] = replace(plan, n_tasks=n_descent_tasks)
    shape = task_shape(n_shots)
    evaluations: dict[Solver, dict[int, Evaluation]] = {}
    for solver, own_plan in plans.items():
        if solver != "descent":
            warm_up = replace(plan, n_tasks=min(WARM_UP_TASKS, plan.n_tasks), unfinished=None)
            warm_up.evaluate(Recipe("warm-up", time_network(n_shots, solver, 1)), shape)
        networks = {n_steps: time_network(n_shots, solver, n_steps) for n_steps in TIME_STEPS}
        evaluations[solver] = {
            n_steps: own_plan.evaluate(Recipe(f"{solver}, {n_steps} steps", network), shape)
            for n_steps, network in networks.items()
        }
    return TimeStudy(evaluations)


def report_time(plan: TaskPlan, *, n_shots: int, n_descent_tasks: int) -> Report:
    """Compute the figure and tell what the paper finds."""
    result = run_time_study(plan, n_shots, n_descent_tasks)
    pictures = in_all_formats("time", lambda kind: draw_curves(_panels(result, n_shots), kind))
    summary = result.table()
    caption = "Accuracy, and seconds per task on a logarithmic axis, by diffusion steps."
    parts = [
        Paragraph(
            f"Figure 'time' of {SOURCE}, taken as they are. "
            f"Steps times step size is {TIME_STRENGTH}; one step has size 1; 0 steps is a network "
            "without diffusion. All else is as in the ablation."
        ),
        Paragraph(
            f"{count(n_shots, 'shot')} a class. {plan.describe()} Solvers: 'descent' is the "
            "training loop of the paper, by autograd; 'reordered' follows the same trajectory with "
            "fewer operations; 'kernel' is its limit of infinite width. Processes at the same "
            f"time, one thread each: {plan.n_jobs}.{result.agreement()}"
        ),
        Heading("Ours"),
        Paragraph(
            f"As many times as long as no steps: two steps {result.growth(2)}; ten steps "
            f"{result.growth(10)}. The paper has about 1.25 and 2, on one GPU (GeForce RTX 2080 "
            "Ti), and two steps already reach its best accuracy."
        ),
        Picture(pictures["time.png"], "image/png", caption),
        summary,
    ]
    options = ["--shots", str(n_shots), "--descent-tasks", str(n_descent_tasks)]
    numbers = {
        "command": plan.command("time", *options, "--jobs", str(plan.n_jobs)),
        "n_shots": n_shots,
        "results": result.to_json(),
    }
    return Report("What diffusion costs: seconds per task", parts, pictures, numbers, [summary])


def _panels(result: TimeStudy, n_shots: int) -> list[CurvePanel]:
    accuracies = [
        accuracy_curve(solver, {n_steps: one.accuracies for n_steps, one in found.items()})
        for solver, found in result.evaluations.items()
        if solver != "descent"  # a few tasks tell nothing of accuracy
    ]
    seconds = [
        Curve(solver, list(found), [one.seconds_per_task for one in found.values()])
        for solver, found in result.evaluations.items()
    ]
    steps = "diffusion steps"
    return [
        CurvePanel(f"accuracy, {count(n_shots, 'shot')}", steps, "%", accuracies),
        CurvePanel("time on one thread", steps, "seconds per task", seconds, logarithmic=True),
    ]
