"""The tasks that a few-shot table or figure is computed on, and how they are told on its page."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from diffresnet._support.words import count
from diffresnet.fewshot import EpisodeShape, Evaluation, FeatureBank, Recipe, evaluate
from diffresnet.fewshot.evaluation import identify
from diffresnet.measuring.runs import file_of
from diffresnet.measuring.statistics import percent
from diffresnet.paper.published import PAPER
from diffresnet.paper.settings import FEWSHOT_QUERIES, FEWSHOT_SHOTS, FEWSHOT_WAYS
from diffresnet.report.page import Table

SOURCE = f"{PAPER} (Section 5.3), computed anew on other features"
"""How the pages begin."""


def task_shape(n_shots: int, dirichlet: float | None = None) -> EpisodeShape:
    """Return the shape of the paper's tasks, with this number of labels per class."""
    return EpisodeShape(FEWSHOT_WAYS, n_shots, FEWSHOT_QUERIES, dirichlet)


def shots_option(shots: tuple[int, ...]) -> list[str]:
    """Return the words of a command that ask for these shots; one and five go without saying."""
    return [] if shots == FEWSHOT_SHOTS else ["--shots", str(shots[0])]


def accuracy_table(head: str, columns: Mapping[str, Mapping[str, Evaluation]]) -> Table:
    """Return the accuracies of the methods of each column, and the time where it is longest."""
    rows: list[list[str]] = []
    for method in next(iter(columns.values())):
        found = [evaluations[method] for evaluations in columns.values()]
        accuracies = [percent(one.accuracy, one.ci95) for one in found]
        slowest = max(one.seconds_per_task for one in found)
        rows.append([method, *accuracies, f"{1000 * slowest:.2f}"])
    return Table([head, *columns, "ms per task"], rows)


@dataclass(frozen=True)
class TaskPlan:
    """Which tasks to draw, and how to share the work.

    Attributes:
        bank: to draw from.
        name: of its file.
        split: of the bank; None for all of it.
        n_tasks: for each method and shape.
        seed: of the tasks.
        n_jobs: processes, each with one thread.
        unfinished: a folder in which each evaluation keeps what it has, to go on from.
        device: where torch computes.
    """

    bank: FeatureBank
    name: str
    split: str | None
    n_tasks: int
    seed: int = 1
    n_jobs: int = 1
    unfinished: Path | None = None
    device: str = "cpu"

    def evaluate(self, recipe: Recipe, shape: EpisodeShape) -> Evaluation:
        """Evaluate a recipe on these tasks."""
        resume = None
        if self.unfinished is not None:
            identity = identify(self.bank, recipe, shape, self.split, self.seed)
            resume = file_of(self.unfinished, recipe.name, identity)
        return evaluate(
            self.bank,
            recipe,
            shape=shape,
            split=self.split,
            n_tasks=self.n_tasks,
            seed=self.seed,
            n_jobs=self.n_jobs,
            device=self.device,
            resume=resume,
        )

    def command(self, figure: str, *options: str) -> str:
        """Return the command that computes a table or figure on these tasks."""
        bank = ["--features", self.name, "--split", self.split or "all"]
        tasks = ["--tasks", str(self.n_tasks), "--seed", str(self.seed)]
        return " ".join(["diffresnet reproduce", figure, *bank, *tasks, *options])

    def describe(self) -> str:
        """Return a sentence about the tasks."""
        rows = self.bank.rows(self.split)
        n_classes = len(self.bank.labels[rows].unique())
        where = "all" if self.split is None else f"the split '{self.split}'"
        return (
            f"{count(self.n_tasks, 'task')} of {FEWSHOT_WAYS} classes and {FEWSHOT_QUERIES} "
            f"queries per class, drawn from {where} of {self.name} ({n_classes} classes, "
            f"{len(rows):,} examples, {self.bank.features.shape[1]:,} features) with seed "
            f"{self.seed}."
        )

    def forget(self) -> None:
        """Delete what the evaluations have kept, once the results are written."""
        if self.unfinished is not None and self.unfinished.is_dir():
            for file in self.unfinished.glob("*.jsonl"):
                file.unlink()
            with suppress(OSError):  # what others put there stays
                self.unfinished.rmdir()
