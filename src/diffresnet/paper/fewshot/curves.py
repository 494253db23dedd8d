"""Figures "n_top", "strength" and "steps" (Section 5.3): accuracy by one setting."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from diffresnet._support.words import count
from diffresnet.fewshot import Evaluation, Recipe
from diffresnet.fewshot.methods import DiffResNetMethod, Solver
from diffresnet.measuring.statistics import percent
from diffresnet.paper.fewshot.ablation_methods import ablation_network, at_strength
from diffresnet.paper.fewshot.plan import SOURCE, TaskPlan, task_shape
from diffresnet.paper.settings import FIXED_STRENGTH, FIXED_STRENGTH_STEPS, N_TOPS, STRENGTH_STEPS
from diffresnet.report.curves import CurvePanel, accuracy_curve, draw_curves
from diffresnet.report.files import Report
from diffresnet.report.page import Heading, Paragraph, Picture, Table
from diffresnet.report.panels import in_all_formats

Networks: TypeAlias = Mapping[float, DiffResNetMethod]
"""Diff-ResNet by the value of the setting that is varied."""


def _vary_n_top(network: DiffResNetMethod) -> Networks:
    graphs = {n: replace(network.graph, n_top=n - 1, bandwidth_rank=n // 2) for n in N_TOPS}
    return {n_top: replace(network, graph=graph) for n_top, graph in graphs.items()}


def _vary_strength(network: DiffResNetMethod) -> Networks:
    size = network.step_size
    return {n_steps * size: replace(network, n_steps=n_steps) for n_steps in STRENGTH_STEPS}


def _vary_steps(network: DiffResNetMethod) -> Networks:
    return {
        n_steps: at_strength(network, n_steps, FIXED_STRENGTH) for n_steps in FIXED_STRENGTH_STEPS
    }


@dataclass(frozen=True)
class Sweep:
    """One figure.

    Attributes:
        title: of the page.
        setting: what is varied, below the axis.
        vary: gives the networks to compare.
        chosen: which value the given network has itself.
        question: what is varied and how, in the paper and here.
        finding: what the paper concludes.
    """

    title: str
    setting: str
    vary: Callable[[DiffResNetMethod], Networks]
    chosen: Callable[[DiffResNetMethod], float]
    question: str
    finding: str


SWEEPS = {
    "n-top": Sweep(
        "How many neighbors: n_top",
        "n_top, as the paper counts",
        _vary_n_top,
        lambda network: network.graph.n_top + 1,
        "n_top is varied, with the bandwidth at the distance of rank n_top/2. The authors' code "
        "keeps one weight less than n_top says, the point itself counted, and so do we here.",
        "n_top should be neither too small nor too large; accuracy is not very sensitive to it.",
    ),
    "strength": Sweep(
        "How much diffusion: total strength",
        "total strength, steps times step size",
        _vary_strength,
        lambda network: network.n_steps * network.step_size,
        f"The step size is fixed, and the number of steps goes from 0 to {STRENGTH_STEPS[-1]}.",
        "the strength should not be pushed to infinity: it has an optimum.",
    ),
    "steps": Sweep(
        "How many steps, at fixed strength",
        "diffusion steps",
        _vary_steps,
        lambda network: network.n_steps,
        f"Steps times step size is {FIXED_STRENGTH}, but no step is larger than 1, so that below "
        f"{FIXED_STRENGTH:.0f} steps the strength is less; 0 is a network without diffusion.",
        "with fixed strength accuracy stays almost the same, so that many layers do not help.",
    ),
}
"""The figures by their names on the command line."""


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
    pictures = in_all_formats(name, lambda kind: draw_curves([panel], kind))
    summary = result.table(sweep.setting)
    parts = [
        Paragraph(
            f"A figure of {SOURCE}, taken as they are. {sweep.question} All else is as in the "
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
