from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch.optim.lr_scheduler import StepLR

from diffresnet import DiffusionOperator, build_weights
from diffresnet.datasets import make_moon
from diffresnet.learning import (
    Batch,
    CrossEntropy,
    Descent,
    DivergenceError,
    EarlyStopping,
    LaplacianPenalty,
)
from diffresnet.nn import DiffResNet

SGD = partial(torch.optim.SGD, lr=0.1, momentum=0.9)


class Problem:
    """A small set, a model with dropout, and what trains it."""

    def __init__(self, seed: int = 0, n_points: int = 60) -> None:
        data = make_moon(torch.Generator().manual_seed(seed), n_points=n_points)
        self.points, self.labels = data.points.float(), data.labels.clone()
        self.known = self.labels.clone()
        self.known[::2] = -1
        self.operator = DiffusionOperator(build_weights(self.points, 6))
        torch.manual_seed(seed)
        self.model = DiffResNet(2, 2, step_size=0.5, n_steps=5, dropout=0.2)

    def batches(self) -> list[Batch]:
        return [Batch((self.points, self.operator), self.known)]

    def evaluate(self, model: nn.Module) -> dict[str, float]:
        outputs = model(self.points, self.operator)
        loss = nn.functional.cross_entropy(outputs, self.labels)
        accuracy = (outputs.argmax(dim=1) == self.labels).float().mean()
        return {"validation_loss": float(loss), "validation_accuracy": float(accuracy)}

    def train(self, descent: Descent) -> tuple[list[dict[str, float]], Tensor]:
        generator = torch.Generator().manual_seed(7)
        history = descent.train(
            self.model,
            self.batches,
            [CrossEntropy()],
            evaluate=self.evaluate,
            generator=generator,
        )
        return history.records, self.model.classifier.weight.detach()


def test_learns_and_records() -> None:
    problem = Problem()
    history = Descent(SGD, n_epochs=40).train(
        problem.model,
        problem.batches,
        [CrossEntropy(), LaplacianPenalty(problem.operator, 1e-3)],
        evaluate=problem.evaluate,
    )
    assert history.n_epochs == 40
    assert history.ending == "finished"
    assert history["loss"][40] < history["loss"][1]
    assert history["validation_accuracy"][40] > 0.8
    assert torch.tensor(history["loss"])[0].isnan()
    assert not problem.model.training


def test_a_generator_decides_and_torch_is_left_alone() -> None:
    results = [Problem().train(Descent(SGD, n_epochs=5)) for _ in range(2)]
    assert results[0][0] == results[1][0]
    assert torch.equal(results[0][1], results[1][1])
    torch.manual_seed(3)
    expected = torch.rand(1)
    problem = Problem()
    torch.manual_seed(3)
    problem.train(Descent(SGD, n_epochs=2))
    assert torch.equal(torch.rand(1), expected)


def test_renewing_the_optimizer_leaves_out_momentum() -> None:
    renewed = Problem().train(Descent(SGD, n_epochs=5, renew_optimizer=True))
    plain = Problem().train(Descent(partial(torch.optim.SGD, lr=0.1), n_epochs=5))
    assert torch.equal(renewed[1], plain[1])


def test_a_schedule_is_stepped_every_epoch() -> None:
    rates: list[float] = []

    class Spy(torch.optim.SGD):
        def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
            rates.append(self.param_groups[0]["lr"])
            super().step(closure)

    descent = Descent(
        partial(Spy, lr=1.0), n_epochs=4, make_schedule=partial(StepLR, step_size=2, gamma=0.1)
    )
    Problem().train(descent)
    assert rates == pytest.approx([1, 1, 0.1, 0.1])


def test_early_stopping_restores_the_best() -> None:
    problem = Problem()
    losses = iter([3.0, 2.0, 1.0, 4.0, 5.0, 6.0])
    weights: list[Tensor] = []

    def evaluate(model: nn.Module) -> dict[str, float]:
        assert isinstance(model, DiffResNet)
        weights.append(model.classifier.weight.detach().clone())
        return {"validation_loss": next(losses), "validation_accuracy": -len(weights)}

    descent = Descent(SGD, n_epochs=100, stopping=EarlyStopping(patience=2))
    history = descent.train(problem.model, problem.batches, [CrossEntropy()], evaluate=evaluate)
    assert history.ending == "stopped early"
    assert history.n_epochs == 4
    assert torch.equal(problem.model.classifier.weight, weights[2])


@pytest.mark.parametrize("interrupted_after", [1, 4, 5, 11])
def test_a_break_changes_nothing(tmp_path: Path, interrupted_after: int) -> None:
    def make(n_epochs: int, checkpoint: Path | None) -> Descent:
        return Descent(
            partial(torch.optim.Adam, lr=0.05),
            n_epochs,
            make_schedule=partial(StepLR, step_size=5, gamma=0.5),
            stopping=EarlyStopping(patience=50),
            checkpoint=checkpoint,
            checkpoint_every=2,
        )

    unbroken = Problem().train(make(12, None))
    broken = Problem()
    n_batches = 0
    whole = broken.batches

    def batches() -> list[Batch]:
        nonlocal n_batches
        n_batches += 1
        if n_batches > interrupted_after:
            raise SystemExit  # as if the process ended
        return whole()

    file = tmp_path / "training.pt"
    broken.batches = batches  # type: ignore[method-assign]
    with pytest.raises(SystemExit):
        broken.train(make(12, file))
    resumed = Problem(seed=0).train(make(12, file))
    assert resumed[0] == unbroken[0]
    assert torch.equal(resumed[1], unbroken[1])
    again = Problem().train(make(12, file))  # finished: nothing left to do
    assert again[0] == unbroken[0]
    assert torch.equal(again[1], unbroken[1])


def test_ctrl_c_returns_what_has_been_learned() -> None:
    problem = Problem()
    calls = 0

    def batches() -> Iterable[Batch]:
        nonlocal calls
        calls += 1
        if calls == 4:
            raise KeyboardInterrupt
        return problem.batches()

    history = Descent(SGD, n_epochs=100).train(problem.model, batches, [CrossEntropy()])
    assert history.ending == "interrupted"
    assert history.n_epochs == 3


def test_mini_batches() -> None:
    problem = Problem()
    halves = [
        Batch((problem.points[part],), problem.known[part])
        for part in (slice(None, 30), slice(30, None))
    ]
    model = DiffResNet(2, 2, step_size=0.0, n_steps=0)
    history = Descent(SGD, n_epochs=30).train(model, lambda: halves, [CrossEntropy()])
    assert history["loss"][30] < history["loss"][1]


def test_a_checkpoint_of_another_model(tmp_path: Path) -> None:
    file = tmp_path / "training.pt"
    Problem().train(Descent(SGD, n_epochs=1, checkpoint=file))
    other = DiffResNet(3, 2, step_size=0.0, n_steps=0)
    with pytest.raises(ValueError, match="Descent: `checkpoint` must be one of this training, got"):
        Descent(SGD, 1, checkpoint=file).train(other, list[Batch], [CrossEntropy()])
    file.write_bytes(b"not a checkpoint")
    with pytest.raises(ValueError, match="Delete the file to train from the start"):
        Problem().train(Descent(SGD, n_epochs=1, checkpoint=file))


def test_bad_input() -> None:
    problem = Problem()
    problem.points[:] = 1e30
    problem.model = DiffResNet(2, 2, step_size=0.0, n_steps=0)
    assert issubclass(DivergenceError, ValueError)
    with pytest.raises(
        DivergenceError, match=r"Descent: `loss` must be finite, got (nan|inf) in epoch \d"
    ):
        problem.train(Descent(SGD, n_epochs=3))
    with pytest.raises(
        ValueError, match="Descent: `batches` must be at least one a call, got none"
    ):
        Descent(SGD, 1).train(problem.model, list[Batch], [CrossEntropy()])
    with pytest.raises(ValueError, match="Descent: `n_epochs` must be at least 0, got -1"):
        Descent(SGD, -1)
    with pytest.raises(ValueError, match="Descent: `make_schedule` must be None, got a schedule"):
        Descent(SGD, 1, make_schedule=partial(StepLR, step_size=1), renew_optimizer=True)


@pytest.mark.parametrize("content", [b"", b"text", b"PK\x03\x04"])
def test_a_broken_checkpoint_changes_nothing(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "training.pt"
    file.write_bytes(content)
    problem = Problem()
    before = problem.model.classifier.weight.detach().clone()
    with pytest.raises(ValueError, match="`checkpoint` must be one of this training"):
        problem.train(Descent(SGD, 1, checkpoint=file))
    assert torch.equal(problem.model.classifier.weight, before)


def test_a_checkpoint_of_another_optimizer(tmp_path: Path) -> None:
    file = tmp_path / "training.pt"
    Problem().train(Descent(partial(torch.optim.Adam, lr=0.1), 1, checkpoint=file))
    with pytest.raises(ValueError, match="optimizer and schedule were"):
        Problem().train(Descent(SGD, 2, checkpoint=file))


def test_more_patience_goes_on_from_a_checkpoint(tmp_path: Path) -> None:
    file = tmp_path / "training.pt"

    def train(patience: int) -> int:
        problem = Problem()
        worse = iter(range(100))

        def evaluate(_: object) -> dict[str, float]:
            step = next(worse)
            return {"validation_loss": 1.0 + step, "validation_accuracy": -step}

        descent = Descent(SGD, 9, stopping=EarlyStopping(patience), checkpoint=file)
        batches, terms = problem.batches, [CrossEntropy()]
        return descent.train(problem.model, batches, terms, evaluate=evaluate).n_epochs

    assert train(2) == 2
    assert train(2) == 2
    assert train(100) == 9


def test_a_stopping_rule_is_used_once() -> None:
    descent = Descent(SGD, 2, stopping=EarlyStopping(5))
    Problem().train(descent)
    with pytest.raises(ValueError, match="`stopping` must be new for every training"):
        Problem().train(descent)


def test_evaluate_may_return_any_number_but_not_call_it_loss() -> None:
    problem = Problem()
    history = Descent(SGD, 1).train(
        problem.model,
        problem.batches,
        [CrossEntropy()],
        evaluate=lambda _: {"a": torch.tensor(2.0)},  # type: ignore[dict-item]
    )
    assert history["a"] == [2.0, 2.0]
    with pytest.raises(ValueError, match="`evaluate` must be free of the name 'loss'"):
        Descent(SGD, 1).train(
            problem.model, problem.batches, [CrossEntropy()], evaluate=lambda _: {"loss": 1.0}
        )
    with pytest.raises(ValueError, match="`terms` must be at least one loss term"):
        Descent(SGD, 1).train(problem.model, problem.batches, [])
