"""Gradient descent: one training loop for every model (Algorithm 1)."""

import math
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import torch
from torch import nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler

from diffresnet._support.checks import fail
from diffresnet._support.progress import progress_bar
from diffresnet._support.settings import Count, CountOrZero, check_settings
from diffresnet._support.tensors import read_tensors, write_tensors
from diffresnet.learning.losses import Batch, LossTerm
from diffresnet.learning.stopping import EarlyStopping


@dataclass
class History:
    """What happened in training, one record an epoch; record 0 is the untrained model.

    Attributes:
        records: by epoch, the mean training ``"loss"`` (from epoch 1 on) and what `evaluate` gave.
        ending: how training ended.
    """

    records: list[dict[str, float]] = field(default_factory=list[dict[str, float]])
    ending: Literal["finished", "stopped early", "interrupted"] = "finished"

    @property
    def n_epochs(self) -> int:
        """How many epochs were completed."""
        return len(self.records) - 1

    def __getitem__(self, name: str) -> list[float]:
        """Return one of the recorded quantities by epoch, NaN where there is none."""
        return [record.get(name, math.nan) for record in self.records]


class DivergenceError(ValueError):
    """The loss is no longer a finite number.

    Attributes:
        history: what happened until then.
    """

    def __init__(self, message: str, history: History) -> None:
        super().__init__(message)
        self.history = history


@dataclass
class Descent:
    """Train a model: optimizer and schedule are given, the loop is the same for all.

    Attributes:
        make_optimizer: makes the optimizer from the model's parameters.
        n_epochs: passes over the batches, at most.
        make_schedule: makes the learning-rate schedule from the optimizer; stepped every epoch.
        renew_optimizer: make the optimizer anew every epoch, so that momentum never builds up, as
            the authors' code does for the synthetic sets.
        stopping: a rule for stopping early, used up by one training.
        checkpoint: a file to which the state of training is written, whole, every
            `checkpoint_every` epochs, and from which training goes on if the file exists, with the
            same result as without the break; the learning rate and schedule are those of the file.
        checkpoint_every: epochs between checkpoints.
        show_progress: show a bar, on a terminal, once training has taken two seconds.

    Examples:
        >>> from diffresnet.nn import DiffResNet
        >>> from diffresnet.learning import CrossEntropy
        >>> points, labels = torch.tensor([[-1.0], [1.0]]), torch.tensor([0, 1])
        >>> model = DiffResNet(1, 2, step_size=0.0, n_steps=0)
        >>> descent = Descent(lambda parameters: torch.optim.SGD(parameters, lr=1.0), n_epochs=50)
        >>> history = descent.train(model, lambda: [Batch((points,), labels)], [CrossEntropy()])
        >>> history["loss"][-1] < history["loss"][1]
        True
    """

    make_optimizer: Callable[[Iterable[nn.Parameter]], Optimizer]
    n_epochs: CountOrZero
    make_schedule: Callable[[Optimizer], LRScheduler] | None = None
    renew_optimizer: bool = False
    stopping: EarlyStopping | None = None
    checkpoint: Path | None = None
    checkpoint_every: Count = 10
    show_progress: bool = True

    def __post_init__(self) -> None:
        check_settings(self)
        if self.renew_optimizer and self.make_schedule is not None:
            remedy = "Drop the schedule, or keep the optimizer."
            got = "a schedule beside `renew_optimizer`"
            fail("Descent", "make_schedule", "None", got, remedy)

    def train(
        self,
        model: nn.Module,
        batches: Callable[[], Iterable[Batch]],
        terms: Sequence[LossTerm],
        *,
        evaluate: Callable[[nn.Module], Mapping[str, float]] | None = None,
        generator: torch.Generator | None = None,
    ) -> History:
        """Lower the sum of `terms` over the batches; change `model` in place.

        Ctrl-C ends training and keeps what has been learned.

        Args:
            model: called with the inputs of a batch.
            batches: called once an epoch; one batch of all points for full-batch training.
            terms: the parts of the loss.
            evaluate: called, in evaluation mode and without gradients, before training and after
                every epoch; its numbers are recorded.
            generator: source of the randomness inside the model (dropout); without it, torch's own.
                Batches that are drawn need a generator of their own or this same one.

        Returns:
            The history; `model` is left in evaluation mode.

        Raises:
            DivergenceError: if the loss is not finite; a `ValueError` that holds the history.
            ValueError: if labels do not fit the outputs, or if the checkpoint is not one of this
                training.
        """
        if not terms:
            fail("Descent", "terms", "at least one loss term", "none", "Pass `[CrossEntropy()]`.")
        run = _Run(self, model, batches, terms, evaluate, generator)
        with (
            _forked_randomness(generator),
            progress_bar("training", self.n_epochs, show=self.show_progress) as advance,
        ):
            run.start()
            try:
                while run.history.n_epochs < self.n_epochs and run.history.ending == "finished":
                    run.run_epoch()
                    advance(run.history.n_epochs, f"loss {run.history.records[-1]['loss']:.4g}")
            except KeyboardInterrupt:
                run.history.ending = "interrupted"
        if self.stopping is not None:
            self.stopping.restore(model)
        model.eval()
        return run.history


@contextmanager
def _forked_randomness(generator: torch.Generator | None) -> Generator[None]:
    """Let torch's own random numbers follow from `generator`, and leave them as they were."""
    seed = None if generator is None else int(torch.randint(2**62, (), generator=generator))
    with torch.random.fork_rng(enabled=seed is not None):
        if seed is not None:
            torch.manual_seed(seed)
        yield


@dataclass
class _Run:
    """One training under way: all that a checkpoint has to hold."""

    descent: Descent
    model: nn.Module
    batches: Callable[[], Iterable[Batch]]
    terms: Sequence[LossTerm]
    evaluate: Callable[[nn.Module], Mapping[str, float]] | None
    generator: torch.Generator | None
    history: History = field(default_factory=History)

    def __post_init__(self) -> None:
        self.optimizer = self.descent.make_optimizer(self.model.parameters())
        make_schedule = self.descent.make_schedule
        self.schedule = None if make_schedule is None else make_schedule(self.optimizer)
        # What must be the same when training goes on.
        self.kinds = [type(self.optimizer).__name__, type(self.schedule).__name__]

    def start(self) -> None:
        """Go on from the checkpoint, or record the untrained model."""
        checkpoint = self.descent.checkpoint
        if checkpoint is not None and checkpoint.exists():
            self._load(checkpoint)
            return
        stopping = self.descent.stopping
        if stopping is not None and stopping.best_state is not None:
            got = "one that has been used"
            fail("Descent", "stopping", "new for every training", got, "Make another one.")
        self._record({})

    def run_epoch(self) -> None:
        """Take a step for every batch, then evaluate, and stop or go on."""
        if self.descent.renew_optimizer:
            self.optimizer = self.descent.make_optimizer(self.model.parameters())
        self.model.train()
        losses = [self._step(batch) for batch in self.batches()]
        if not losses:
            remedy = "Let `batches` make new batches every time it is called."
            fail("Descent", "batches", "at least one a call", "none", remedy)
        if self.schedule is not None:
            self.schedule.step()
        stop = self._record({"loss": sum(losses) / len(losses)})
        if stop:
            self.history.ending = "stopped early"
        last = stop or self.history.n_epochs == self.descent.n_epochs
        if last or self.history.n_epochs % self.descent.checkpoint_every == 0:
            self._save()

    def _step(self, batch: Batch) -> float:
        outputs = self.model(*batch.inputs)
        loss = torch.stack([term(outputs, batch) for term in self.terms]).sum()
        value = float(loss.detach())
        if not math.isfinite(value):
            message = (
                f"Descent: `loss` must be finite, got {value} in epoch "
                f"{self.history.n_epochs + 1}. Lower the learning rate, and check the inputs for "
                "very large numbers."
            )
            raise DivergenceError(message, self.history)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return value

    def _record(self, record: dict[str, float]) -> bool:
        """Add an epoch to the history; tell whether to stop."""
        if self.evaluate is not None:
            self.model.eval()
            with torch.no_grad():
                found = {name: float(value) for name, value in self.evaluate(self.model).items()}
            if "loss" in found:
                remedy = "Call it 'validation_loss'."
                fail("Descent", "evaluate", "free of the name 'loss'", "one", remedy)
            record |= found
        self.history.records.append(record)
        stopping = self.descent.stopping
        return stopping is not None and stopping.update(record, self.model)

    def _save(self) -> None:
        if self.descent.checkpoint is None:
            return
        stopping, schedule = self.descent.stopping, self.schedule
        state = {
            "kinds": self.kinds,
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "schedule": None if schedule is None else schedule.state_dict(),
            "stopping": None if stopping is None else stopping.state_dict(),
            "records": self.history.records,
            "random": torch.get_rng_state(),
            "generator": None if self.generator is None else self.generator.get_state(),
        }
        write_tensors(self.descent.checkpoint, state)

    def _load(self, checkpoint: Path) -> None:
        before = {name: tensor.clone() for name, tensor in self.model.state_dict().items()}
        try:
            state = read_tensors(checkpoint)
            if state["kinds"] != self.kinds:
                raise ValueError(f"optimizer and schedule were {state['kinds']}")  # noqa: TRY301
            self.model.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])
            if self.schedule is not None:
                self.schedule.load_state_dict(state["schedule"])
            if self.descent.stopping is not None:
                self.descent.stopping.load_state_dict(state["stopping"])
            torch.set_rng_state(state["random"])
            if self.generator is not None:
                self.generator.set_state(state["generator"])
            self.history = History(state["records"])
            if self.descent.stopping is not None and self.descent.stopping.is_over:
                self.history.ending = "stopped early"
        except Exception as error:
            self.model.load_state_dict(before)
            reason = (str(error) or "no content").splitlines()[0]
            got = f"{checkpoint} ({type(error).__name__}: {reason})"
            remedy = "Delete the file to train from the start, or name another one."
            fail("Descent", "checkpoint", "one of this training", got, remedy)
