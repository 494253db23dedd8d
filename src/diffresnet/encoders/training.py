"""Training of a backbone on base classes (Section 5.3): cross entropy, SGD, and a kept state."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel

from diffresnet._support.checks import fail
from diffresnet._support.progress import progress_bar
from diffresnet.encoders.backbones.catalog import count_features, make_backbone
from diffresnet.encoders.checkpoint import Checkpoint, TrainingState
from diffresnet.encoders.feature_cache import content_key
from diffresnet.encoders.processes import (
    process_count,
    process_rank,
    sum_over_processes,
    synchronize,
    wait_for_all,
)
from diffresnet.encoders.schedule import BackboneSchedule
from diffresnet.encoders.training_batches import TrainingBatches

SECONDS_BETWEEN_SAVES = 60.0

Validate = Callable[[nn.Module], float]
"""Returns how good a backbone is; the best one of the last quarter of training is kept."""


@dataclass(frozen=True)
class EpochRecord:
    """What an epoch came to.

    Attributes:
        epoch: its number, from 1.
        loss: mean over the images, with smoothed labels.
        accuracy: part of the changed training images that were told right.
        validation: what `validate` returned; NaN if it was not asked.
        seconds: it took.
    """

    epoch: int
    loss: float
    accuracy: float
    validation: float
    seconds: float


def train_backbone(
    name: str,
    batches: TrainingBatches,
    schedule: BackboneSchedule,
    *,
    device: torch.device | None = None,
    state: Path | None = None,
    validate: Validate | None = None,
    report: Callable[[EpochRecord], None] | None = None,
) -> Checkpoint:
    """Train a backbone to tell the classes of images, and return the best of its last quarter.

    Within a group of processes (`torchrun`) each takes its part of every batch; the weights are
    those of one process, to rounding. Only the first of them validates: its checkpoint is the one
    to keep. On GPUs it computes in mixed precision (bfloat16).

    Args:
        name: of the backbone; see `make_backbone`.
        batches: of labeled images; their batch size must be that of the schedule.
        schedule: of training.
        device: where it computes; by default the CPU.
        state: a file that keeps what is done, about every minute and at the end. The same call
            goes on from it, to the same weights. Remove it once the checkpoint is saved.
        validate: of a backbone, the larger the better; None keeps the last epoch.
        report: called by the first process after each epoch.

    Raises:
        ValueError: if there are fewer than two classes, images do not fill a batch of all
            processes, the loss is no number, or `state` is of another training.
    """
    _check(batches, schedule)
    device = torch.device("cpu") if device is None else device
    kept, identity = _start(name, batches, schedule, device), _identify(name, batches, schedule)
    if state is not None and state.is_file():
        kept.load(state, identity)
    several, first = process_count() > 1, process_rank() == 0
    parallel = DistributedDataParallel(kept.network) if several else kept.network
    total = schedule.n_epochs * batches.n_batches
    with progress_bar(f"training {name}", total, show=first) as advance:

        def keep(*, now: bool) -> None:
            n_done = kept.epoch * batches.n_batches + kept.n_batches
            advance(n_done, _describe(kept, schedule))
            if first and now and state is not None:
                kept.save(state, identity)

        while kept.epoch < schedule.n_epochs:
            _train_epoch(kept, parallel, batches, schedule, keep)
            record = _end_epoch(kept, schedule, validate if first else None)
            keep(now=True)
            if first and report is not None:
                report(record)
    wait_for_all()
    remarks: dict[str, Any] = {
        "training": identity,
        "validation": None if validate is None else kept.best,
        "epoch": kept.best_epoch,
    }
    return Checkpoint(name, batches.framing, kept.best_weights, remarks)


def _check(batches: TrainingBatches, schedule: BackboneSchedule) -> None:
    n_classes = len(batches.images.class_names)
    if n_classes < 2:
        remedy = "Put the images of each class in a folder of its own, or list them in train.csv."
        fail("train_backbone", "batches", "images of two classes or more", n_classes, remedy)
    if batches.batch_size != schedule.batch_size:
        got = f"{batches.batch_size} and {schedule.batch_size}"
        fail("train_backbone", "batches", "of the schedule's `batch_size`", got, "Give it twice.")
    low = 2 * process_count()
    if min(len(batches.images), batches.batch_size) < low:
        got = f"{len(batches.images)} in batches of {batches.batch_size}"
        fail("train_backbone", "batches", f"at least {low} images each", got, "Add images.")


def _start(
    name: str, batches: TrainingBatches, schedule: BackboneSchedule, device: torch.device
) -> TrainingState:
    framing = batches.framing
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(batches.seed)
        backbone = make_backbone(name, n_channels=framing.n_channels, image_size=framing.image_size)
        head = nn.Linear(count_features(backbone), len(batches.images.class_names))
    network = synchronize(nn.Sequential(backbone, head))
    network.to(device, memory_format=_memory_format(device))  # pyright: ignore[reportCallIssue]
    optimizer = torch.optim.SGD(
        network.parameters(),
        lr=schedule.learning_rate,
        momentum=schedule.momentum,
        weight_decay=schedule.weight_decay,
    )
    return TrainingState(network, optimizer)


def _memory_format(device: torch.device) -> torch.memory_format:
    """Return how images lie in memory.

    On a CPU, channels last would save some time, but torch's batch normalization loses four digits
    with it, so that several processes would not find the weights of one.
    """
    return torch.channels_last if device.type == "cuda" else torch.contiguous_format


def _train_epoch(
    kept: TrainingState,
    parallel: nn.Module,
    batches: TrainingBatches,
    schedule: BackboneSchedule,
    keep: Callable[..., None],
) -> None:
    """Train on the batches of an epoch that are left."""
    parallel.train()
    device = next(parallel.parameters()).device
    for group in kept.optimizer.param_groups:
        group["lr"] = schedule.rate(kept.epoch)
    saved = begin = time.monotonic()
    for images, labels in batches.epoch(kept.epoch, kept.n_batches):
        found = _step(kept, parallel, images.to(device), labels.to(device), schedule)
        now = time.monotonic()
        kept.totals = [
            total + value for total, value in zip(kept.totals, [*found, now - begin], strict=True)
        ]
        kept.n_batches, begin = kept.n_batches + 1, now
        due = now - saved > SECONDS_BETWEEN_SAVES
        keep(now=due)
        saved = now if due else saved


def _step(
    kept: TrainingState,
    parallel: nn.Module,
    images: Tensor,
    labels: Tensor,
    schedule: BackboneSchedule,
) -> list[float]:
    """Take one step, and return the sums over all processes of loss, right answers and images."""
    images = images.to(memory_format=_memory_format(images.device))
    with torch.autocast(images.device.type, torch.bfloat16, enabled=images.is_cuda):
        scores = parallel(images)
    smoothing = schedule.label_smoothing
    loss = cross_entropy(scores.float(), labels, label_smoothing=smoothing, reduction="sum")
    right = (scores.argmax(dim=1) == labels).sum()
    n_images = torch.full_like(loss.detach(), len(labels))
    sums = sum_over_processes(torch.stack([loss.detach(), right.to(loss.dtype), n_images]))
    if not torch.isfinite(sums[0]):
        remedy = "Lower the learning rate."
        fail("train_backbone", "schedule", "one that converges", "a loss of NaN", remedy)
    kept.optimizer.zero_grad()
    (loss * (process_count() / sums[2])).backward()  # processes average their gradients
    kept.optimizer.step()
    return [float(value) for value in sums]


def _end_epoch(
    kept: TrainingState, schedule: BackboneSchedule, validate: Validate | None
) -> EpochRecord:
    """Validate, keep the best weights, and go on to the next epoch."""
    loss, n_right, n_images, seconds = kept.totals
    validation, last = float("nan"), kept.epoch + 1 == schedule.n_epochs
    backbone = kept.network[0]  # pyright: ignore[reportIndexIssue]
    if validate is not None and (last or schedule.validates(kept.epoch)):
        begin = time.monotonic()
        backbone.eval()
        with torch.inference_mode():
            validation = validate(backbone)
        seconds += time.monotonic() - begin
    if validation > kept.best or (last and not kept.best_weights):
        kept.best, kept.best_epoch = validation, kept.epoch + 1
        weights = backbone.state_dict()
        kept.best_weights = {name: one.cpu().clone() for name, one in weights.items()}
    record = EpochRecord(kept.epoch + 1, loss / n_images, n_right / n_images, validation, seconds)
    kept.epoch, kept.n_batches, kept.totals = kept.epoch + 1, 0, [0.0] * 4
    return record


def _describe(kept: TrainingState, schedule: BackboneSchedule) -> str:
    loss, n_right, n_images, _ = kept.totals
    if not n_images:
        return f"{kept.epoch} of {schedule.n_epochs} epochs"
    place = f"epoch {kept.epoch + 1}/{schedule.n_epochs}"
    return f"{place} loss {loss / n_images:.3f} accuracy {100 * n_right / n_images:.1f} %"


def _identify(name: str, batches: TrainingBatches, schedule: BackboneSchedule) -> str:
    """Return a text that is the same for the same training only."""
    content = blake2b(digest_size=8)
    images = batches.images
    for row, texts in enumerate(zip(images.ids, images.labels, strict=True)):
        content.update(repr(texts).encode() + content_key(images.content(row)))
    settings = f"{schedule}, {batches.framing}, {batches.augmentation}, seed {batches.seed}"
    return f"{name} on {len(images)} images ({content.hexdigest()}): {settings}"
