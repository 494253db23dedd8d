"""Figures "n_top", "strength" and "steps" (Section 5.3): accuracy by one setting."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from diffresnet._support.words import count
from diffresnet.fewshot import Evaluation, Recipe
from diffresnet.fewshot.methods import Solver
from diffresnet.measuring.statistics import percent
from diffresnet.paper.fewshot.ablation_methods import ablation_network
from diffresnet.paper.fewshot.plan import PAPER, TaskPlan, task_shape
from diffresnet.paper.fewshot.sweeps import SWEEPS, Networks, Sweep
from diffresnet.report.curves import Curve, CurvePanel, draw_curves
from diffresnet.report.files import Report
from diffresnet.report.page import Heading, Paragraph, Part, Picture, Table
from diffresnet.report.panels import PICTURE_FORMATS


@dataclass(frozen=True)
class SweepResult:
    """Diff-ResNet on the same tasks, by the value of a setting.

    Attributes:
        networks: by value.
        evaluations: by value.
    """

    networks: Networks
    evaluations: Mapping[float, Evaluation]

    @property
    def best(self) -> float:
        """The value with the highest mean accuracy."""
        return max(self.evaluations, key=lambda value: self.evaluations[value].accuracy)

    def to_json(self) -> list[dict[str, Any]]:
        """Return the numbers, for a file."""
        return [
            {
                "value": value,
                "n_top": network.graph.n_top,
                "bandwidth_rank": network.graph.bandwidth_rank,
                "n_steps": network.n_steps,
                "step_size": network.step_size,
                **self.evaluations[value].to_json(),
            }
            for value, network in self.networks.items()
        ]

    def table(self, setting: str) -> Table:
        """Return the accuracies under the name of the setting."""
        heads = [setting, "weights kept, bandwidth", "steps", "accuracy (%)"]
        rows = [
            [
                f"{value:g}",
                f"{network.graph.n_top}, rank {network.graph.bandwidth_rank}",
                f"{network.n_steps} of size {network.step_size:.3g}" if network.n_steps else "none",
                percent(self.evaluations[value].accuracy, self.evaluations[value].ci95),
            ]
            for value, network in self.networks.items()
        ]
        return Table(heads, rows)


def run_sweep(plan: TaskPlan, name: str, n_shots: int, solver: Solver) -> SweepResult:
    """Evaluate Diff-ResNet for every value of a setting, on the same tasks."""
    networks = SWEEPS[name].vary(ablation_network(n_shots, solver))
    shape = task_shape(n_shots)
    return SweepResult(
        networks,
        {
            value: plan.evaluate(Recipe(f"{name} {value:g}", network), shape)
            for value, network in networks.items()
        },
    )


def report_sweep(plan: TaskPlan, name: str, *, n_shots: int, solver: Solver) -> Report:
    """Compute a figure and tell what the paper finds."""
    sweep = SWEEPS[name]
    result = run_sweep(plan, name, n_shots, solver)
    chosen = sweep.chosen(ablation_network(n_shots, solver))
    curve = Curve(
        "Diff-ResNet",
        list(result.evaluations),
        [100 * evaluation.accuracy for evaluation in result.evaluations.values()],
        [100 * evaluation.ci95 for evaluation in result.evaluations.values()],
    )
    marked = chosen, "the paper's ablation"
    title = f"{count(n_shots, 'shot')}, {count(plan.n_tasks, 'task')}"
    panel = CurvePanel(title, sweep.setting, "accuracy (%)", [curve], marked)
    pictures = {f"{name}.{kind}": draw_curves([panel], kind) for kind in PICTURE_FORMATS}
    summary = result.table(sweep.setting)
    parts = [*_parts(plan, sweep, result, n_shots, solver)]
    parts += [
        Picture(pictures[f"{name}.png"], "image/png", f"Accuracy by {sweep.setting}."),
        summary,
    ]
    numbers = {
        "command": plan.command(name, "--shots", str(n_shots), "--solver", solver),
        "n_shots": n_shots,
        "results": result.to_json(),
    }
    return Report(sweep.title, parts, pictures, numbers, [summary])


def _parts(
    plan: TaskPlan, sweep: Sweep, result: SweepResult, n_shots: int, solver: Solver
) -> list[Part]:
    best = result.evaluations[result.best]
    return [
        Paragraph(
            f"A figure of {PAPER}, taken as they are. {sweep.question} All else is as in the "
            "ablation."
        ),
        Paragraph(
            f"{count(n_shots, 'shot')} a class. {plan.describe()} All values see the same tasks. "
            f"Networks are trained by the solver '{solver}'."
        ),
        Heading("Ours"),
        Paragraph(
            f"Highest here: {percent(best.accuracy, best.ci95)} % at {result.best:g}. The paper "
            "shows its curves for miniImageNet as pictures, without numbers, and concludes: "
            + sweep.finding
        ),
    ]
