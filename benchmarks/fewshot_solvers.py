"""How much faster than the plain training loop are the solvers, and how fast the other methods?"""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from diffresnet.fewshot import (
    TITLES,
    Episodes,
    EpisodeSampler,
    EpisodeShape,
    FeatureBank,
    classify,
    evaluate,
    make_recipe,
)
from diffresnet.fewshot.methods import DiffResNetMethod
from diffresnet.learning.tasks import Tasks
from timing import set_threads, take_turns, write_results

N_FEATURES = 640
SLOW = {"tim", "alpha-tim"}
N_ROUNDS = 3


def make_bank() -> FeatureBank:
    """Return features of 20 classes, non-negative as those of a network that ends in a relu."""
    generator = torch.Generator().manual_seed(0)
    labels = torch.arange(20).repeat_interleave(100)
    centers = torch.randn(20, N_FEATURES, generator=generator)
    noise = torch.randn(len(labels), N_FEATURES, generator=generator)
    features = (0.5 * centers[labels] + noise).relu()
    return FeatureBank(features, labels, tuple(map(str, range(20))))


def train_plainly(task: Tasks) -> Tensor:
    """Train on one task by the shortest loop that does it; nothing but torch."""
    points, laplacian, labels = task.points[0], None, task.labels[0]
    if task.operator is not None:
        laplacian = task.operator.laplacian[0]
    first, second = nn.Linear(N_FEATURES, N_FEATURES), nn.Linear(N_FEATURES, N_FEATURES)
    classifier = nn.Linear(N_FEATURES, task.n_classes)
    parameters = [p for layer in (first, second, classifier) for p in layer.parameters()]
    optimizer = torch.optim.SGD(parameters, 0.1, momentum=0.9, weight_decay=1e-4)
    rates = torch.optim.lr_scheduler.MultiStepLR(optimizer, [50, 75])
    logits = points
    for _ in range(100):
        x = points + second(first(points).relu())
        for _ in range(task.n_steps):
            x = x - task.step_size * (laplacian @ x)
        logits = classifier(x)
        loss = nn.functional.cross_entropy(logits[: task.n_labeled], labels)
        if task.prototype_distances is not None:
            probabilities = logits[task.n_labeled :].softmax(dim=-1)
            loss = (
                loss
                + task.prototype_weight * (probabilities * task.prototype_distances[0].mT).sum()
            )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        rates.step()
    return logits.detach()


def compare(n_shots: int) -> dict[str, Any]:
    """Time the solvers of Diff-ResNet and all other methods, a task each, on one thread."""
    bank, shape = make_bank(), EpisodeShape(5, n_shots, 15)
    recipe = make_recipe("diffresnet", shape)
    if not isinstance(recipe.method, DiffResNetMethod):
        raise TypeError(recipe.method)
    plain = replace(recipe.method, n_steps=10 if n_shots == 1 else 5)
    sampler = EpisodeSampler(bank, shape)
    mean = bank.base_mean()

    def draw(n_tasks: int) -> Episodes:
        return Episodes.fill(sampler.draw(range(n_tasks)), bank.features, mean)

    n_tasks: dict[str, int] = {"plain loop": 1, "descent": 1, "reordered": 4, "kernel": 200}
    n_tasks |= {name: 40 if name in SLOW else 200 for name in TITLES if name != "diffresnet"}
    prepared = {name: draw(count) for name, count in n_tasks.items()}
    task = plain.tasks(prepared["plain loop"])

    def call(name: str) -> Callable[[], object]:
        if name == "plain loop":
            return lambda: train_plainly(task)
        chosen = make_recipe(name if name in TITLES else "diffresnet", shape)
        if name in ("descent", "reordered", "kernel"):
            chosen = replace(chosen, method=replace(plain, solver=name))
        episodes = prepared[name]
        n_together = max(1, 2**21 // (shape.n_points * N_FEATURES))

        def run() -> None:
            for start in range(0, len(episodes.support), n_together):
                some = slice(start, start + n_together)
                classify(
                    replace(
                        episodes,
                        support=episodes.support[some],
                        query=episodes.query[some],
                        labels=episodes.labels[some],
                        seeds=None if episodes.seeds is None else episodes.seeds[some],
                    ),
                    chosen,
                )

        return run

    times = take_turns({name: call(name) for name in n_tasks}, N_ROUNDS)
    milliseconds = {
        name: 1000 * times[name]["median_seconds"] / count for name, count in n_tasks.items()
    }
    return {
        "question": f"5 ways, {n_shots} shots, 15 queries, {N_FEATURES} features, one thread",
        "n_steps": plain.n_steps,
        "milliseconds_a_task": milliseconds,
        "faster_than_plain_loop": {
            name: milliseconds["plain loop"] / milliseconds[name]
            for name in ("descent", "reordered", "kernel")
        },
        "kernel_relative_to_laplacianshot": milliseconds["kernel"] / milliseconds["laplacianshot"],
    }


def many_tasks() -> dict[str, Any]:
    """Time 10,000 tasks by the kernel solver, in two processes, drawing included."""
    bank, shape = make_bank(), EpisodeShape(5, 1, 15)
    start = time.perf_counter()
    evaluate(bank, make_recipe("diffresnet", shape), shape=shape, n_tasks=10_000, n_jobs=2)
    return {
        "question": "10,000 tasks of 5 ways and 1 shot by the kernel, two processes",
        "seconds": time.perf_counter() - start,
    }


def main() -> None:
    """Run everything with one thread a process."""
    set_threads(1)
    results = [compare(1), compare(5), many_tasks()]
    write_results("fewshot_solvers", "python benchmarks/fewshot_solvers.py", results)


if __name__ == "__main__":
    main()
