"""Evaluation: the accuracy of a method over many tasks, and of two methods on the same tasks."""

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from diffresnet import __version__
from diffresnet._support.checks import check_count, check_device, fail
from diffresnet._support.progress import progress_bar
from diffresnet._support.writing import finite
from diffresnet.fewshot.bank import FeatureBank
from diffresnet.fewshot.episodes import EpisodeIndices, Episodes, EpisodeSampler, EpisodeShape
from diffresnet.fewshot.recipes import Recipe
from diffresnet.fewshot.transforms import TRANSFORMS, apply_transforms
from diffresnet.measuring.runs import RunFile, run_all
from diffresnet.measuring.statistics import PairedDifference, difference_of, half_interval

BATCH_SIZE = 2**21
"""How many numbers the features of the tasks of a batch have, at most."""

LONGEST = 1e9
"""Seconds that a batch may be said to have taken."""


@dataclass(frozen=True)
class Evaluation:
    """The result of a method on many tasks.

    Attributes:
        recipe: the method and its transforms.
        accuracies: (n_tasks,) part of the queries of each task that were classified right.
        seconds_per_task: of computing, on one thread, without drawing the tasks.
        tasks: what the tasks were; equal for evaluations on the same tasks.
    """

    recipe: Recipe
    accuracies: NDArray[np.float64]
    seconds_per_task: float
    tasks: str = field(repr=False)

    @property
    def accuracy(self) -> float:
        """The mean over the tasks."""
        return float(self.accuracies.mean())

    @property
    def ci95(self) -> float:
        """Half of the 95 % interval over the tasks; NaN for one task."""
        return half_interval(self.accuracies)

    def to_json(self) -> dict[str, Any]:
        """Return the numbers, for a file."""
        return {
            "method": self.recipe.name,
            "solver": getattr(self.recipe.method, "solver", None),
            "transforms": [*self.recipe.transforms, *self.recipe.ending],
            "settings": repr(self.recipe.method),
            "accuracy": self.accuracy,
            "ci95": finite(self.ci95),
            "seconds_per_task": self.seconds_per_task,
            "tasks": len(self.accuracies),
        }


def paired_difference(first: Evaluation, second: Evaluation) -> PairedDifference:
    """Compare two evaluations task by task.

    Raises:
        ValueError: if they are not of the same tasks.
    """
    if first.tasks != second.tasks:
        must, got = "on the same tasks as `first`", "other tasks"
        remedy = "Evaluate both with the same bank, shape, split, seed and number of tasks."
        fail("paired_difference", "second", must, got, remedy)
    return difference_of(first.accuracies, second.accuracies)


def evaluate(
    bank: FeatureBank,
    recipe: Recipe,
    *,
    shape: EpisodeShape | None = None,
    split: str | None = None,
    n_tasks: int = 1000,
    seed: int = 1,
    n_jobs: int = 1,
    device: str = "cpu",
    resume: Path | None = None,
    show_progress: bool = True,
) -> Evaluation:
    """Classify the queries of many tasks, and compare with their labels.

    Task i depends on `seed` and i alone, not on the number of tasks, batches or processes.

    Args:
        bank: to draw tasks from.
        recipe: a method and its transforms; `make_recipe` has those of the literature.
        shape: of the tasks; 5 ways, 1 shot, 15 queries per class by default.
        split: of the bank; None for all of it.
        n_tasks: how many.
        seed: of the tasks.
        n_jobs: processes that share the work, one thread each.
        device: where torch computes.
        resume: a file that keeps batches of tasks as they end; called again with it, the
            evaluation goes on.
        show_progress: show a bar, on a terminal, once it has taken two seconds.

    Raises:
        ValueError: if the tasks cannot be drawn from the bank, or `resume` is a file of another
            evaluation.

    Examples:
        >>> from diffresnet.fewshot import make_recipe
        >>> points = torch.randn(60, 8) + 4 * torch.eye(8)[:3].repeat_interleave(20, dim=0)
        >>> bank = FeatureBank(points, torch.arange(3).repeat_interleave(20), ("a", "b", "c"))
        >>> shape = EpisodeShape(n_ways=3, n_shots=1, n_queries=10)
        >>> evaluate(bank, make_recipe("diffresnet", shape), shape=shape, n_tasks=50).accuracy > 0.8
        True
    """
    shape = EpisodeShape() if shape is None else shape
    n_tasks = check_count("evaluate", "n_tasks", n_tasks, low=1)
    n_jobs = check_count("evaluate", "n_jobs", n_jobs, low=1)
    check_device("evaluate", device, "one that torch has", "Use 'cpu'.")
    sampler = EpisodeSampler(bank, shape, split=split, seed=seed)
    tasks = f"{bank.digest} {shape} {split} seed {seed}, {n_tasks} tasks"
    n_together = max(1, min(250, BATCH_SIZE // (shape.n_points * bank.features.shape[1])))
    # One array for all batches: processes share it through a file, once.
    features, base_mean = bank.features.numpy(), bank.base_mean().numpy()
    identity = identify(bank, recipe, shape, split, seed)
    read = partial(_read_batch, n_queries=shape.n_query)
    keys: Callable[[TaskBatch], list[int]] = attrgetter("tasks")
    done = RunFile("evaluate", resume, identity, read=read, keys=keys, write=asdict)
    accuracies = np.full(n_tasks, np.nan)
    with done, progress_bar(recipe.name, n_tasks, show=show_progress) as advance:
        for ended in done.runs:
            for task, accuracy in zip(ended.tasks, ended.accuracies, strict=True):
                if task < n_tasks:
                    accuracies[task] = accuracy
        todo = np.flatnonzero(np.isnan(accuracies)).tolist()
        batches = [todo[start : start + n_together] for start in range(0, len(todo), n_together)]
        calls = ((features, base_mean, recipe, sampler.draw(batch), device) for batch in batches)
        for place, (found, seconds) in run_all(_classify, calls, n_jobs=n_jobs):
            done.add(TaskBatch(batches[place], found.tolist(), seconds))
            accuracies[batches[place]] = found
            advance(int((~np.isnan(accuracies)).sum()), f"{np.nanmean(accuracies):.2%}")
    seconds = sum(ended.seconds for ended in done.runs) / sum(len(one.tasks) for one in done.runs)
    return Evaluation(recipe, accuracies, seconds, tasks)


def identify(
    bank: FeatureBank, recipe: Recipe, shape: EpisodeShape, split: str | None, seed: int
) -> dict[str, str]:
    """Return what the results of an evaluation are of; with more tasks, those there are stay."""
    return {
        "diffresnet": __version__,
        "bank": bank.digest,
        "shape": str(shape),
        "split": str(split),
        "seed": str(seed),
        "recipe": str(recipe),
    }


@dataclass(frozen=True)
class TaskBatch:
    """Some tasks that were classified: their numbers, accuracies, and the seconds of all."""

    tasks: list[int]
    accuracies: list[float]
    seconds: float


def _read_batch(found: Mapping[str, Any], n_queries: int) -> TaskBatch:
    """Return a batch if it may be one: each accuracy is a number of queries out of all."""
    batch = TaskBatch(**found)
    numbers = all(type(task) is int and task >= 0 for task in batch.tasks)
    reals = all(type(one) is float and 0 <= one <= 1 for one in batch.accuracies)
    timed = type(batch.seconds) is float and 0 <= batch.seconds < LONGEST
    if not (numbers and reals and timed and len(batch.tasks) == len(batch.accuracies)):
        raise ValueError("no accuracies of tasks")
    if any(abs(one * n_queries - round(one * n_queries)) > 1e-6 for one in batch.accuracies):
        raise ValueError(f"accuracies that {n_queries} queries cannot have")
    return batch


def _classify(
    features: NDArray[Any],
    base_mean: NDArray[Any],
    recipe: Recipe,
    indices: EpisodeIndices,
    device: str,
) -> tuple[NDArray[np.float64], float]:
    """Return the accuracies of some tasks, and the seconds that they took."""
    start = time.perf_counter()
    episodes = Episodes.fill(indices, torch.from_numpy(features), torch.from_numpy(base_mean))
    scores = classify(episodes.to(device), recipe)
    right = scores.argmax(dim=-1).cpu() == indices.query_labels
    seconds = time.perf_counter() - start
    return right.to(torch.float64).mean(dim=1).numpy(), seconds


def classify(episodes: Episodes, recipe: Recipe) -> Tensor:
    """Return the scores (T, n_query, n_classes) of a batch of tasks.

    Raises:
        ValueError: if the method gives scores of another shape, or some that are not finite, as
            where training diverges on features of large norm.
    """
    remedy = "The features are too large for its settings: normalize them ('l2')."
    try:
        with torch.no_grad():
            transforms = [TRANSFORMS[name] for name in (*recipe.transforms, *recipe.ending)]
            scores = recipe.method(apply_transforms(episodes, transforms))
    except torch.linalg.LinAlgError:  # pyright: ignore[reportPrivateImportUsage]
        got = "features whose products are NaN or infinite"
        fail("classify", "scores", f"finite, from '{recipe.name}'", got, remedy)
    expected = (*episodes.query.shape[:2], episodes.n_classes)
    if tuple(scores.shape) != expected:
        got, how = f"shape {tuple(scores.shape)}", "Return one score a query and class."
        fail("classify", "scores", f"of shape {expected}, from '{recipe.name}'", got, how)
    bad = ~torch.isfinite(scores).all(dim=-1).all(dim=-1)
    if bad.any():
        got = f"NaN or infinity in {int(bad.sum())} of {len(bad)} tasks"
        fail("classify", "scores", f"finite, from '{recipe.name}'", got, remedy)
    return scores
