"""Table "ablation" (Section 5.3): what diffusion adds, and where, on features as they are."""

from collections.abc import Mapping
from functools import partial
from typing import Any, TypeAlias

from diffresnet._support.words import count
from diffresnet.fewshot import Evaluation, paired_difference
from diffresnet.fewshot.methods import Solver
from diffresnet.measuring.statistics import PairedDifference, percent, percent_interval
from diffresnet.paper.fewshot.ablation_methods import INTERNAL, ablation_network, ablation_recipes
from diffresnet.paper.fewshot.plan import SOURCE, TaskPlan, accuracy_table, shots_option, task_shape
from diffresnet.paper.published import ABLATION_ACCURACY, FEWSHOT_COLUMNS
from diffresnet.paper.settings import (
    ABLATION_TASKS,
    FEWSHOT_GRAPH,
    FEWSHOT_STEP_SIZE,
    LABEL_LAPLACIAN_WEIGHT,
    OUTPUT_LAPLACIAN_WEIGHT,
)
from diffresnet.report.files import Report
from diffresnet.report.intervals import draw_intervals
from diffresnet.report.page import Heading, Paragraph, Part, Picture, Table
from diffresnet.report.panels import in_all_formats

Results: TypeAlias = Mapping[int, Mapping[str, Evaluation]]
"""The five methods on the same tasks, by shots, then by method."""


def compare_with_internal(evaluations: Mapping[str, Evaluation]) -> dict[str, PairedDifference]:
    """Return by how much Internal Convection-Diffusion is better than each other method."""
    return {
        name: paired_difference(evaluations[INTERNAL], evaluation)
        for name, evaluation in evaluations.items()
        if name != INTERNAL
    }


def run_ablation(plan: TaskPlan, shots: tuple[int, ...], solver: Solver) -> Results:
    """Evaluate the five methods on the same tasks, for each number of shots."""
    return {
        n_shots: {
            recipe.name: plan.evaluate(recipe, task_shape(n_shots))
            for recipe in ablation_recipes(n_shots, solver)
        }
        for n_shots in shots
    }


def report_ablation(plan: TaskPlan, *, shots: tuple[int, ...], solver: Solver) -> Report:
    """Compute the table and show it beside the paper's."""
    results = run_ablation(plan, shots, solver)
    columns = {count(n_shots, "shot"): found for n_shots, found in results.items()}
    panels = {
        head: {"accuracy": {name: percent_interval(one.accuracies) for name, one in found.items()}}
        for head, found in columns.items()
    }
    pictures = in_all_formats("ablation", partial(draw_intervals, panels))
    caption = "Mean accuracy with its 95 % interval, by method."
    summary = accuracy_table("accuracy (%)", columns)
    steps = ", ".join(
        f"{ablation_network(n_shots, solver).n_steps} for {count(n_shots, 'shot')}"
        for n_shots in shots
    )
    parts = [
        Paragraph(
            f"Table 'ablation' of {SOURCE}. Features are taken as they are: no centering, no "
            "normalization, no shift, no rectification."
        ),
        Paragraph(
            f"{plan.describe()} Settings are the paper's (Appendix E.3.3): n_top 8, of which its "
            f"code keeps {FEWSHOT_GRAPH.n_top} with the point itself, bandwidth by the "
            f"{FEWSHOT_GRAPH.bandwidth_rank}th distance, step size {FEWSHOT_STEP_SIZE}, steps: "
            f"{steps}; lambda {LABEL_LAPLACIAN_WEIGHT} (Diffusion), mu {OUTPUT_LAPLACIAN_WEIGHT} "
            f"(External). Networks are trained by the solver '{solver}'."
        ),
        Heading("Ours"),
        Picture(pictures["ablation.png"], "image/png", caption),
        Paragraph(
            "Mean over the tasks ± half of the 95 % interval; time on one thread, where it is "
            "longest."
        ),
        summary,
        Paragraph(
            "All methods see the same tasks. So the differences, task by task, are known better "
            "than the accuracies themselves (points of percent ± half of the 95 % interval):"
        ),
        _differences(columns),
        *_published_parts(),
    ]
    numbers = {
        "command": plan.command("ablation", *shots_option(shots), "--solver", solver),
        "results": _to_json(results),
        "published_columns": FEWSHOT_COLUMNS,
        "published_percent": ABLATION_ACCURACY,
    }
    return Report("What diffusion adds: the ablation", parts, pictures, numbers, [summary])


def _to_json(results: Results) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for n_shots, evaluations in results.items():
        differences = compare_with_internal(evaluations)
        for name, evaluation in evaluations.items():
            row = {"n_shots": n_shots, **evaluation.to_json()}
            if name in differences:
                row["internal_minus_this"] = differences[name].to_json()
            rows.append(row)
    return rows


def _differences(columns: Mapping[str, Mapping[str, Evaluation]]) -> Table:
    differences = [compare_with_internal(found) for found in columns.values()]
    cells = [
        [percent(one.difference, one.ci95, sign=True) for one in found.values()]
        for found in differences
    ]
    rows = [list(row) for row in zip(differences[0], *cells, strict=True)]
    return Table(["Internal minus ...", *columns], rows)


def _published_parts() -> list[Part]:
    rows = [
        [name, backbone, *(f"{value:.2f}" for value in values)]
        for backbone, methods in ABLATION_ACCURACY.items()
        for name, values in methods.items()
    ]
    return [
        Heading("The paper's"),
        Paragraph(
            f"Percent over {ABLATION_TASKS:,} tasks, for the paper's own features. Other features "
            "give other figures: compare the order of the methods and their distances. (mini and "
            "tiered: miniImageNet and tieredImageNet.)"
        ),
        Table(["method", "backbone", *FEWSHOT_COLUMNS], rows),
    ]
