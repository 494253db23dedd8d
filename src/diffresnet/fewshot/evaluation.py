"""Evaluation: the accuracy of a method over many tasks, and of two methods on the same tasks."""

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from joblib import Parallel, delayed
from numpy.typing import NDArray
from torch import Tensor

from diffresnet._support.checks import check_count, fail
from diffresnet._support.progress import progress_bar
from diffresnet._support.writing import write_whole
from diffresnet.fewshot.bank import FeatureBank
from diffresnet.fewshot.episodes import EpisodeIndices, Episodes, EpisodeSampler, EpisodeShape
from diffresnet.fewshot.recipes import Recipe
from diffresnet.fewshot.transforms import TRANSFORMS, apply_transforms

BATCH_SIZE = 2**21
"""How many numbers the features of the tasks of a batch have, at most."""

SECONDS_BETWEEN_SAVES = 5.0


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
        """Half of the 95 % confidence interval, 1.96 std / sqrt(n_tasks)."""
        return half_interval(self.accuracies)

    def to_json(self) -> dict[str, Any]:
        """Return the numbers, for a file."""
        return {
            "method": self.recipe.name,
            "solver": getattr(self.recipe.method, "solver", None),
            "transforms": [*self.recipe.transforms, *self.recipe.ending],
            "settings": repr(self.recipe.method),
            "accuracy": self.accuracy,
            "ci95": self.ci95,
            "seconds_per_task": self.seconds_per_task,
            "tasks": len(self.accuracies),
        }


@dataclass(frozen=True)
class PairedDifference:
    """By how much one method is better than another on the same tasks.

    Attributes:
        difference: of the mean accuracies, the first minus the second.
        ci95: half of its 95 % confidence interval, from the differences task by task.
    """

    difference: float
    ci95: float


def half_interval(values: NDArray[np.float64]) -> float:
    """Return 1.96 std / sqrt(n), half of the 95 % confidence interval of a mean."""
    return float(1.96 * values.std() / np.sqrt(len(values)))


def paired_difference(first: Evaluation, second: Evaluation) -> PairedDifference:
    """Compare two evaluations task by task.

    Raises:
        ValueError: if they are not of the same tasks.
    """
    if first.tasks != second.tasks:
        must, got = "on the same tasks as `first`", "other tasks"
        remedy = "Evaluate both with the same bank, shape, split, seed and number of tasks."
        fail("paired_difference", "second", must, got, remedy)
    differences = first.accuracies - second.accuracies
    return PairedDifference(float(differences.mean()), half_interval(differences))


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
    checkpoint: Path | None = None,
    show_progress: bool = True,
) -> Evaluation:
    """Classify the queries of many tasks, and compare with their labels.

    Task i depends on `seed` and i alone, not on the number of tasks, batches or processes.

    Args:
        bank: to draw tasks from.
        recipe: a method and its transforms; `make_recipe` has those of the literature.
        shape: of the tasks; 5 ways, 1 shot, 15 queries a class by default.
        split: of the bank; None for all of it.
        n_tasks: how many.
        seed: of the tasks.
        n_jobs: processes that share the work, one thread each.
        device: where torch computes.
        checkpoint: a file to which results are written as they come, and from which the
            evaluation goes on if it was interrupted.
        show_progress: show a bar, on a terminal, once it has taken two seconds.

    Raises:
        ValueError: if the tasks cannot be drawn from the bank, or the checkpoint is of another
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
    _check_device(device)
    sampler = EpisodeSampler(bank, shape, split=split, seed=seed)
    tasks = f"{bank.digest} {shape} {split} seed {seed}, {n_tasks} tasks"
    results = _Results(n_tasks, checkpoint, f"{tasks} {recipe}")
    n_together = max(1, min(250, BATCH_SIZE // (shape.n_points * bank.features.shape[1])))
    batches = results.missing(n_together)
    # One array for all batches: joblib shares it with its processes through a file, once.
    features, base_mean = bank.features.numpy(), bank.base_mean().numpy()
    calls = (
        delayed(_classify)(features, base_mean, recipe, sampler.draw(batch), device)
        for batch in batches
    )
    n_done = n_tasks - sum(map(len, batches))
    with progress_bar(recipe.name, n_tasks, show=show_progress) as advance, results:
        for batch, (accuracies, seconds) in zip(batches, _run(calls, n_jobs), strict=True):
            results.add(batch, accuracies, seconds)
            n_done += len(batch)
            advance(n_done, f"{results.mean():.2%}")
    return Evaluation(recipe, results.accuracies, results.seconds / n_tasks, tasks)


def _check_device(device: str) -> None:
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).splitlines()[0]
        fail("evaluate", "device", "one that torch has", f"'{device}' ({reason})", "Use 'cpu'.")


def _run(calls: Iterable[Any], n_jobs: int) -> Iterator[tuple[NDArray[np.float64], float]]:
    if n_jobs == 1:
        return (function(*args, **kwargs) for function, args, kwargs in calls)
    results = Parallel(n_jobs=n_jobs, return_as="generator", mmap_mode="c")(calls)
    return cast("Iterator[tuple[NDArray[np.float64], float]]", results)


def _classify(
    features: NDArray[Any],
    base_mean: NDArray[Any],
    recipe: Recipe,
    indices: EpisodeIndices,
    device: str,
) -> tuple[NDArray[np.float64], float]:
    """Return the accuracies of some tasks, and the seconds that they took, on one thread."""
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        start = time.perf_counter()
        episodes = Episodes.fill(indices, torch.from_numpy(features), torch.from_numpy(base_mean))
        scores = classify(episodes.to(device), recipe)
        right = scores.argmax(dim=-1).cpu() == indices.query_labels
        seconds = time.perf_counter() - start
    finally:
        torch.set_num_threads(n_threads)
    return right.to(torch.float64).mean(dim=1).numpy(), seconds


def classify(episodes: Episodes, recipe: Recipe) -> Tensor:
    """Return the scores (T, n_query, n_classes) of a batch of tasks.

    Raises:
        ValueError: if the method gives scores of another shape, or some that are not finite, as
            where training diverges on features of large norm.
    """
    with torch.no_grad():
        transforms = [TRANSFORMS[name] for name in (*recipe.transforms, *recipe.ending)]
        scores = recipe.method(apply_transforms(episodes, transforms))
    expected = (*episodes.query.shape[:2], episodes.n_classes)
    if tuple(scores.shape) != expected:
        got, remedy = f"shape {tuple(scores.shape)}", "Return one score a query and class."
        fail("classify", "scores", f"of shape {expected}, from '{recipe.name}'", got, remedy)
    bad = ~torch.isfinite(scores).all(dim=-1).all(dim=-1)
    if bad.any():
        got = f"NaN or infinity in {int(bad.sum())} of {len(bad)} tasks"
        remedy = "The features are too large for its settings: normalize them ('l2')."
        fail("classify", "scores", f"finite, from '{recipe.name}'", got, remedy)
    return scores


class _Results:
    """The accuracies so far, kept in a file if one is named."""

    def __init__(self, n_tasks: int, checkpoint: Path | None, evaluation: str) -> None:
        self.accuracies = np.full(n_tasks, np.nan)
        self.seconds = 0.0
        self.checkpoint, self.evaluation = checkpoint, evaluation
        self.saved_at = time.monotonic()
        if checkpoint is not None and checkpoint.exists():
            self._load(checkpoint)

    def _load(self, checkpoint: Path) -> None:
        try:
            content = json.loads(checkpoint.read_text())
            same = content["evaluation"] == self.evaluation
            accuracies = np.array(content["accuracies"], dtype=np.float64)
            seconds = float(content["seconds"])
        except (ValueError, KeyError, TypeError, OSError) as error:
            same, accuracies, seconds = False, self.accuracies, 0.0
            reason = f"{checkpoint} ({type(error).__name__})"
        else:
            reason = f"{checkpoint}, of another evaluation"
        if not same or accuracies.shape != self.accuracies.shape:
            remedy = "Delete the file to start anew, or name another one."
            fail("evaluate", "checkpoint", "one of this evaluation", reason, remedy)
        self.accuracies, self.seconds = accuracies, seconds

    def missing(self, n_together: int) -> list[list[int]]:
        """Return the tasks that are still to be done, in batches."""
        todo = np.flatnonzero(np.isnan(self.accuracies)).tolist()
        return [todo[start : start + n_together] for start in range(0, len(todo), n_together)]

    def add(self, batch: Sequence[int], accuracies: NDArray[np.float64], seconds: float) -> None:
        """Take in the results of a batch."""
        self.accuracies[list(batch)] = accuracies
        self.seconds += seconds
        if time.monotonic() - self.saved_at > SECONDS_BETWEEN_SAVES:
            self._save()

    def mean(self) -> float:
        """Return the mean accuracy of the tasks that are done."""
        return float(np.nanmean(self.accuracies))

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        self._save()  # also what was done before an error or Ctrl-C

    def _save(self) -> None:
        self.saved_at = time.monotonic()
        if self.checkpoint is None:
            return
        accuracies = [None if np.isnan(value) else value for value in self.accuracies.tolist()]
        content = {
            "evaluation": self.evaluation,
            "seconds": self.seconds,
            "accuracies": accuracies,
        }
        write_whole(self.checkpoint, json.dumps(content).encode())
