"""Table "fewshot" (Section 5.3): every method with its own transforms, on the same tasks."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TypeAlias

from diffresnet._support.words import count
from diffresnet.fewshot import TITLES, EpisodeShape, Evaluation, make_recipe
from diffresnet.fewshot.methods import Solver
from diffresnet.fewshot.recipes import ASSUME_BALANCE
from diffresnet.measuring.statistics import percent_interval
from diffresnet.paper.fewshot.plan import SOURCE, TaskPlan, accuracy_table, shots_option, task_shape
from diffresnet.paper.published import FEWSHOT_ACCURACY, FEWSHOT_COLUMNS, LATER_ACCURACY
from diffresnet.paper.settings import FEWSHOT_PROTOTYPE_WEIGHT, FEWSHOT_STEPS, FEWSHOT_TASKS
from diffresnet.report.files import Report
from diffresnet.report.intervals import draw_intervals
from diffresnet.report.page import Heading, Paragraph, Part, Picture, Table
from diffresnet.report.panels import in_all_formats

DIRICHLET = 2.0
"""Of the proportions of unbalanced queries; not the paper's, but common since."""

SLOW = ("tim", "alpha-tim", "ilpc")
"""Methods that take about ten milliseconds a task, or more."""

BALANCE = {None: "balanced", DIRICHLET: f"Dirichlet({DIRICHLET:g})"}


Results: TypeAlias = Mapping[EpisodeShape, Mapping[str, Evaluation]]
"""Every method on the same tasks of each shape: by shape, then by name of the recipe."""


def table_shapes(shots: tuple[int, ...]) -> list[EpisodeShape]:
    """Return the shapes of the tasks: balanced queries first, then Dirichlet ones."""
    return [task_shape(n_shots, dirichlet) for dirichlet in BALANCE for n_shots in shots]


def run_table(
    plan: TaskPlan, shots: tuple[int, ...], solver: Solver, *, skip_slow: bool
) -> Results:
    """Evaluate every method on the same tasks of each shape."""
    names = [name for name in TITLES if not (skip_slow and name in SLOW)]
    return {
        shape: {
            name: plan.evaluate(make_recipe(name, shape, solver=solver), shape) for name in names
        }
        for shape in table_shapes(shots)
    }


def report_table(
    plan: TaskPlan, *, shots: tuple[int, ...], solver: Solver, skip_slow: bool
) -> Report:
    """Compute the table and show it beside the paper's."""
    results = run_table(plan, shots, solver, skip_slow=skip_slow)
    panels = {
        count(n_shots, "shot"): {
            f"{name} queries": {
                TITLES[recipe]: percent_interval(one.accuracies)
                for recipe, one in results[task_shape(n_shots, dirichlet)].items()
            }
            for dirichlet, name in BALANCE.items()
        }
        for n_shots in shots
    }
    pictures = in_all_formats("fewshot", partial(draw_intervals, panels))
    parts = [
        *_our_parts(plan, solver),
        Picture(pictures["fewshot.png"], "image/png", "Mean accuracy with its 95 % interval."),
        _accuracies(results, table_shapes(shots)),
        Paragraph("What is done to the features first, in order:"),
        _transforms(results),
        *_published_parts(),
    ]
    flags = ["--skip-slow"] if skip_slow else []
    numbers = {
        "command": plan.command("fewshot", *shots_option(shots), "--solver", solver, *flags),
        "results": [
            {"n_shots": shape.n_shots, "dirichlet": shape.dirichlet, **evaluation.to_json()}
            for shape, evaluations in results.items()
            for evaluation in evaluations.values()
        ],
        "published_columns": FEWSHOT_COLUMNS,
        "published_percent": [row._asdict() for row in FEWSHOT_ACCURACY],
        "published_by_others": [row._asdict() for row in LATER_ACCURACY],
    }
    summaries = [
        _accuracies(results, [task_shape(n_shots, dirichlet) for n_shots in shots])
        for dirichlet in BALANCE
    ]
    return Report("Few-shot learning, every method", parts, pictures, numbers, summaries)


def _accuracies(results: Results, shapes: Sequence[EpisodeShape]) -> Table:
    columns = {
        f"{count(shape.n_support // shape.n_ways, 'shot')}, {BALANCE[shape.dirichlet]}": {
            TITLES[name]: evaluation for name, evaluation in results[shape].items()
        }
        for shape in shapes
    }
    return accuracy_table("method", columns)


def _transforms(results: Results) -> Table:
    evaluations = next(iter(results.values()))
    rows = [
        [TITLES[name], ", ".join(evaluation.to_json()["transforms"]) or "none"]
        for name, evaluation in evaluations.items()
    ]
    return Table(["method", "transforms"], rows)


def _our_parts(plan: TaskPlan, solver: Solver) -> list[Part]:
    steps, alpha = FEWSHOT_STEPS["miniImageNet"], FEWSHOT_PROTOTYPE_WEIGHT
    birds = FEWSHOT_STEPS["CUB"]
    presume = ", ".join(sorted(TITLES[name] for name in ASSUME_BALANCE))
    return [
        Paragraph(
            f"Table 'fewshot' of {SOURCE}, with more methods. "
            "Each has the transforms and settings that its authors publish; those of Diff-ResNet "
            "are the paper's (centering by the mean of the base classes, unit norm, shift of the "
            "queries; rectified prototypes for LaplacianShot and the prototypical loss)."
        ),
        Paragraph(
            f"{plan.describe()} Diff-ResNet takes what the paper takes for miniImageNet: "
            f"{steps[1]} steps and alpha {alpha[1]:g} for one shot, {steps[5]} steps and alpha "
            f"{alpha[5]:g} for five. (For CUB the paper takes {birds[1]} and {birds[5]} steps.) "
            f"Networks are trained by the solver '{solver}'."
        ),
        Heading("Ours"),
        Paragraph(
            "Percent ± half of the 95 % interval; time on one thread, where it is longest. "
            "Balanced: as many queries of every class. Dirichlet(2): as many in all, in random "
            f"proportions. Methods that presume balanced queries: {presume}; where support and "
            "query are moved to the same mean (shift, center-own), that presumes it a little. "
            "Those with unknown proportions are told which of the two it is."
        ),
    ]


def _published_parts() -> list[Part]:
    rows = [
        [row.method, row.backbone, *(_cell(cell) for cell in row.cells)] for row in FEWSHOT_ACCURACY
    ]
    return [
        Heading("The paper's"),
        Paragraph(
            f"Percent ± half of the 95 % interval, balanced queries, {FEWSHOT_TASKS:,} tasks for "
            "the rows that the authors ran. † transductive; * run by the authors with their own "
            "backbone. PT+NCM and EASE with WRN use another backbone than the rest, and the "
            "5-shot tiered cell of EASE with WRN repeats that with ResNet-12. Other "
            "features give other figures: compare the order of the methods. (mini and tiered: "
            "miniImageNet and tieredImageNet.)"
        ),
        Table(["method", "backbone", *FEWSHOT_COLUMNS], rows),
        Heading("Published by others"),
        Paragraph(
            "Percent, as their authors report it; other backbones, other tasks. Dirichlet(2): "
            "queries in random proportions."
        ),
        Table(
            ["method", "backbone", "queries", "source", *FEWSHOT_COLUMNS],
            [
                [*row[:-1], *("-" if cell is None else f"{cell:.2f}" for cell in row.cells)]
                for row in LATER_ACCURACY
            ],
        ),
    ]


def _cell(cell: tuple[float, float] | None) -> str:
    return "-" if cell is None else f"{cell[0]:.2f} ± {cell[1]:.2f}"
