"""How much time does the Chebyshev series save in training, and does it change the result?"""

from functools import partial
from typing import Any

import torch

from diffresnet import DiffusionOperator, build_weights
from diffresnet._support.types import DiffusionMethod
from diffresnet.datasets import make_spiral
from diffresnet.learning import Batch, CrossEntropy, Descent
from diffresnet.nn import DiffResNet
from timing import set_threads, take_turns, write_results

N_EPOCHS = 20
N_STEPS = 900


def train(method: DiffusionMethod, data: Any, operator: DiffusionOperator) -> list[float]:
    """Train Diff-ResNet on the spiral; return the accuracy by epoch."""
    torch.manual_seed(0)
    step_size = operator.max_convex_step_size
    model = DiffResNet(2, 2, step_size=step_size, n_steps=N_STEPS, method=method)
    inputs = data.points.float(), operator

    def evaluate(_: object) -> dict[str, float]:
        right = model(*inputs).argmax(dim=1) == data.labels
        return {"accuracy": float(right.double().mean())}

    make_optimizer = partial(torch.optim.SGD, lr=0.1, momentum=0.9, weight_decay=5e-4)
    batch = Batch(inputs, data.labels)
    history = Descent(make_optimizer, N_EPOCHS, show_progress=False).train(
        model, lambda: [batch], [CrossEntropy()], evaluate=evaluate
    )
    return history["accuracy"]


def chebyshev_against_euler(n_threads: int) -> dict[str, Any]:
    """Train on the spiral (symmetric weights) by both methods."""
    data = make_spiral(torch.Generator().manual_seed(0))
    operator = DiffusionOperator(build_weights(data.points.float(), 25, bandwidth=0.5))
    calls = {name: partial(train, name, data, operator) for name in ("euler", "chebyshev")}
    accuracies = {name: call() for name, call in calls.items()}
    times = take_turns(dict(calls), 7)
    pairs = zip(accuracies["euler"], accuracies["chebyshev"], strict=True)
    return {
        "question": "training on the spiral, 900 steps, 20 epochs, chebyshev against euler",
        "threads": n_threads,
        "time_relative_to_euler": times["chebyshev"]["median_seconds"]
        / times["euler"]["median_seconds"],
        "final_accuracy": {name: values[-1] for name, values in accuracies.items()},
        "largest_difference_of_accuracy": max(abs(left - right) for left, right in pairs),
        "times": times,
    }


def main() -> None:
    """Run with one thread and with two."""
    results: list[dict[str, Any]] = []
    for n_threads in (1, 2):
        set_threads(n_threads)
        results.append(chebyshev_against_euler(n_threads))
    write_results("training", "python benchmarks/training.py", results)


if __name__ == "__main__":
    main()
