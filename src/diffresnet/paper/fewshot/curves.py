"""Figures "n_top", "strength" and "steps" (Section 5.3): accuracy by one setting."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from diffresnet._support.words import count
from diffresnet.fewshot import Evaluation, Recipe
from diffresnet.fewshot.methods import Solver
from diffresnet.measuring.statistics import percent
from diffresnet.paper.fewshot.ablation_methods import ablation_network
from diffresnet.paper.fewshot.plan import PAPER, TaskPlan, task_shape
from diffresnet.paper.fewshot.sweeps import SWEEPS, Networks
from diffresnet.report.curves import CurvePanel, accuracy_curve, draw_curves
from diffresnet.report.files import Report
from diffresnet.report.page import Heading, Paragraph, Picture, Table
from diffresnet.report.panels import in_all_formats


@dataclass(frozen=True)
class SweepResult:
    """Diff-ResNet on the same tasks, by the value of a setting."""

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
    evaluations = {
        value: plan.evaluate(Recipe(f"{name} {value:g}", network), task_shape(n_shots))
        for value, network in networks.items()
    }
    return SweepResult(networks, evaluations)


def report_sweep(plan: TaskPlan, name: str, *, n_shots: int, solver: Solver) -> Report:
    """Compute a figure and tell what the paper finds."""
    sweep = SWEEPS[name]
    result = run_sweep(plan, name, n_shots, solver)
    best = result.evaluations[result.best]
    accuracies = {value: found.accuracies for value, found in result.evaluations.items()}
    curve = accuracy_curve("Diff-ResNet", accuracies)
    marked = sweep.chosen(ablation_network(n_shots, solver)), "the paper's ablation"
    title = f"{count(n_shots, 'shot')}, {count(plan.n_tasks, 'task')}"
    panel = CurvePanel(title, sweep.setting, "accuracy (%)", [curve], marked)
    pictures = in_all_formats(name, partial(draw_curves, [panel]))
    summary = result.table(sweep.setting)
    parts = [
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
        Picture(pictures[f"{name}.png"], "image/png", f"Accuracy by {sweep.setting}."),
        summary,
    ]
    numbers = {
        "command": plan.command(name, "--shots", str(n_shots), "--solver", solver),
        "n_shots": n_shots,
        "results": result.to_json(),
    }
    return Report(sweep.title, parts, pictures, numbers, [summary])
