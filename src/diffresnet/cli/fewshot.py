"""`diffresnet fewshot`: the accuracy of few-shot methods on a bank of features."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from diffresnet._support.checks import refuse
from diffresnet._support.writing import encode_json
from diffresnet.cli.banks import choose_split
from diffresnet.cli.cluster_run import shared_out
from diffresnet.cli.comparison import compare_in_json, show_comparison
from diffresnet.cli.console import say
from diffresnet.cli.options import (
    BANK_HELP,
    Cluster,
    Device,
    Force,
    Jobs,
    JsonFile,
    Resume,
    Split,
    Tasks,
    TaskSeed,
)
from diffresnet.cli.outputs import check_new_file, make_folder, write_files
from diffresnet.fewshot import (
    TITLES,
    EpisodeSampler,
    EpisodeShape,
    Evaluation,
    FeatureBank,
    Recipe,
    make_recipe,
    paired_difference,
)
from diffresnet.fewshot.methods import Solver
from diffresnet.fewshot.recipes import with_balance, with_steps
from diffresnet.fewshot.transforms import parse_transforms
from diffresnet.fewshot.tuning import tune
from diffresnet.measuring.statistics import percent
from diffresnet.paper.fewshot.plan import TaskPlan

DEFAULT = "diffresnet"
DIFFUSING = {"diffresnet", "diffresnet-proportions"}


def fewshot(
    features: Annotated[Path, typer.Argument(help=BANK_HELP)],
    *,
    method: Annotated[
        list[str] | None,
        typer.Option(
            help=f"One of {', '.join(TITLES)}; or 'all'. Several give one table, the first of "
            "them compared with the others.",
            show_default="diffresnet",
        ),
    ] = None,
    solver: Annotated[
        Solver,
        typer.Option(
            help="How a network is trained: kernel (infinitely wide and linearized, about a "
            "millisecond a task), reordered (the paper's training with fewer operations) or "
            "descent (as it is)."
        ),
    ] = "kernel",
    ways: Annotated[int, typer.Option(help="Classes of a task.", min=1)] = 5,
    shots: Annotated[
        str, typer.Option(help="Labeled examples of each class: a number, or one per class: 1,2,5.")
    ] = "1",
    queries: Annotated[
        int, typer.Option(help="Examples to classify, for each class on average.", min=1)
    ] = 15,
    dirichlet: Annotated[
        float | None,
        typer.Option(
            help="Draw the proportions of the queries from Dirichlet(a, ..., a); 2 is usual.",
            show_default="as many of every class",
        ),
    ] = None,
    tasks: Tasks = 1000,
    split: Split = None,
    class_split: Annotated[
        str | None,
        typer.Option(
            help="Divide the classes anew: BASE,VALIDATION counts, such as 27,20; all others are "
            "'test'. For banks whose splits share their classes."
        ),
    ] = None,
    transforms: Annotated[
        str | None,
        typer.Option(
            help="Joined by commas, in order: center (base mean), center-task, center-own, l2, "
            "power, shift (of queries), ease, bpa, rectify; or none. What belongs to a method, "
            "such as EASE's projection, follows in any case.",
            show_default="what the method's authors use",
        ),
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option(help="Diffusion steps of diffresnet.", min=0, show_default="6 or 3"),
    ] = None,
    balance: Annotated[
        float | None,
        typer.Option(
            help="What diffresnet, soft k-means and pt-map presume of the class proportions of the "
            "queries: -1 that they are unknown, and estimated; 0 nothing; inf that they are even; "
            "or a number between.",
            show_default="what the method has",
        ),
    ] = None,
    tuned: Annotated[
        bool,
        typer.Option(
            "--tune",
            help="Choose transforms and settings on the split 'val' before the test, and say "
            "what was chosen.",
        ),
    ] = False,
    tuning_tasks: Annotated[int, typer.Option(help="Tasks of each trial of --tune.", min=1)] = 200,
    seed: TaskSeed = 1,
    jobs: Jobs = 1,
    cluster: Cluster = None,
    device: Device = "cpu",
    resume: Resume = None,
    json_file: JsonFile = None,
    force: Force = False,
) -> None:
    """Draw few-shot tasks from a bank of features, classify them, and print the accuracy.

    The numbers are means over the tasks, with 95 % intervals. All methods get the same tasks, and
    the last column is the first method minus each other one, task by task.

    Examples:
      diffresnet fewshot cub.npz --shots 5 --tasks 1000 --jobs 2

      diffresnet fewshot cub.npz --method diffresnet --dirichlet 2

      diffresnet fewshot banking77.npz --class-split 27,20 --method all --tune
    """
    counts = _counts(shots, "--shots")
    shape = EpisodeShape(ways, counts[0] if len(counts) == 1 else counts, queries, dirichlet)
    recipes = _recipes(method or [DEFAULT], shape, solver, transforms, steps)
    if balance is not None:
        recipes = _with_balance(recipes, balance)
    bank = _with_class_split(FeatureBank.load(features), class_split)
    chosen = choose_split(bank, split)
    EpisodeSampler(bank, shape, split=chosen)  # refuses tasks that cannot be drawn
    if resume is not None:
        make_folder(resume, "--resume")
    check_new_file(json_file, "--json", (".json",), [features], force=force)
    if tuned:
        _check_tuning(bank, chosen, shape, transforms)
        tunings = [
            tune(bank, recipe, shape=shape, n_tasks=tuning_tasks, n_jobs=jobs) for recipe in recipes
        ]
        for tuning in tunings:
            say(f"tuned {tuning.describe()}")
        recipes = [tuning.best for tuning in tunings]
    plan = TaskPlan(bank, features.name, chosen, tasks, seed, jobs, resume, device)
    with shared_out(cluster):
        results = [plan.evaluate(recipe, shape) for recipe in recipes]
    differences = [paired_difference(results[0], result) for result in results]
    contents: dict[Path, bytes] = {}
    if json_file is not None:
        tasks_drawn = {"features": features.name, "split": chosen, "seed": seed} | asdict(shape)
        content = compare_in_json([result.to_json() for result in results], differences)
        contents[json_file] = encode_json(content | tasks_drawn | {"tuned": tuned})
    title, heads = _describe(shape, tasks, chosen), ["accuracy %", "ms per task"]
    rows = [_cells(result) for result in results]
    write_files(contents, lambda: show_comparison(title, heads, rows, recipes[0].name, differences))


def _counts(text: str, option: str) -> tuple[int, ...]:
    """Return the whole numbers in a text such as "1,2,5"."""
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        refuse(option, "whole numbers joined by commas", f"'{text}'", "Write 1, or 1,2,5.")


def _recipes(
    names: Sequence[str],
    shape: EpisodeShape,
    solver: Solver,
    transforms: str | None,
    steps: int | None,
) -> list[Recipe]:
    """Return what to evaluate, each method once."""
    asked = [DEFAULT, *TITLES] if "all" in names else names
    asked = list(dict.fromkeys(asked))
    recipes = [make_recipe(name, shape, solver=solver) for name in asked]
    if transforms is not None:
        wanted = parse_transforms(transforms)
        recipes = [replace(recipe, transforms=wanted) for recipe in recipes]
    if steps is not None:
        if not DIFFUSING & set(asked):
            refuse("--steps", "left out", f"it without {DEFAULT}", f"Add --method {DEFAULT}.")
        recipes = [
            with_steps(recipe, steps) if recipe.name in DIFFUSING else recipe for recipe in recipes
        ]
    return recipes


def _with_balance(recipes: Sequence[Recipe], balance: float) -> list[Recipe]:
    """Return the recipes, those that can with this balance."""
    able = [hasattr(recipe.method, "balance") for recipe in recipes]
    if not any(able):
        remedy = "Add --method diffresnet-proportions."
        refuse("--balance", "left out", "it without a method that has one", remedy)
    return [
        with_balance(recipe, balance) if can else recipe
        for recipe, can in zip(recipes, able, strict=True)
    ]


def _with_class_split(bank: FeatureBank, class_split: str | None) -> FeatureBank:
    if class_split is None:
        return bank
    counts = _counts(class_split, "--class-split")
    if len(counts) != 2:
        refuse("--class-split", "two numbers", f"'{class_split}'", "Write BASE,VALIDATION.")
    return bank.with_class_split(*counts)


def _check_tuning(
    bank: FeatureBank, split: str | None, shape: EpisodeShape, transforms: str | None
) -> None:
    """Refuse to choose settings on classes that are tested, or what was chosen already."""
    if transforms is not None:
        raise ValueError("--tune chooses the transforms: leave out --transforms.")
    remedy = "Divide the classes by --class-split BASE,VALIDATION."
    if "val" not in bank.split_names:
        raise ValueError(f"--tune needs a split 'val', which the bank lacks. {remedy}")
    shared = bank.rows_by_class("val").keys() & bank.rows_by_class(split).keys()
    if shared:
        message = f"--tune must not see the classes that are tested: {len(shared)} of them are in"
        raise ValueError(f"{message} 'val' too. {remedy}")
    EpisodeSampler(bank, shape, split="val")


def _describe(shape: EpisodeShape, tasks: int, split: str | None) -> str:
    counts = shape.shots if len(set(shape.shots)) > 1 else shape.shots[:1]
    shots = f"{','.join(map(str, counts))} shot{'s' if counts != (1,) else ''}"
    queries = f"{shape.n_query} queries"
    if shape.dirichlet is not None:
        queries += f" in Dirichlet({shape.dirichlet:g}) proportions"
    where = "all examples" if split is None else f"split '{split}'"
    return f"{shape.n_ways} ways, {shots}, {queries}; {tasks} tasks, {where}"


def _cells(result: Evaluation) -> list[str]:
    milliseconds = f"{1000 * result.seconds_per_task:.2f}"
    return [TITLES[result.recipe.name], percent(result.accuracy, result.ci95), milliseconds]
