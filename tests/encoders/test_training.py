from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from diffresnet.encoders import training
from diffresnet.encoders.augmentation import DrawingAugmentation
from diffresnet.encoders.framing import Framing
from diffresnet.encoders.image_set import ImageSet
from diffresnet.encoders.schedule import BackboneSchedule
from diffresnet.encoders.training import EpochRecord, train_backbone
from diffresnet.encoders.training_batches import TrainingBatches
from tests.encoders.examples import drawing_set

FRAMING = Framing(16, 16, 1, (0.5,), (0.5,))
SCHEDULE = BackboneSchedule(n_epochs=4, batch_size=16, learning_rate=0.05)


def _batches(images: ImageSet | None = None) -> TrainingBatches:
    images = drawing_set() if images is None else images
    return TrainingBatches(images, FRAMING, DrawingAugmentation(), 16, seed=0)


def _same(first: dict[str, Tensor], second: dict[str, Tensor]) -> bool:
    return all(torch.equal(first[name], second[name]) for name in first)


def test_it_learns_to_tell_the_classes() -> None:
    records: list[EpochRecord] = []
    schedule = replace(SCHEDULE, n_epochs=8)
    train_backbone("conv4", _batches(), schedule, report=records.append)
    assert [record.epoch for record in records] == list(range(1, 9))
    assert records[-1].loss < records[0].loss
    assert records[-1].accuracy > 0.9


def test_the_first_step_is_that_of_the_formulas() -> None:
    schedule = replace(SCHEDULE, n_epochs=1, batch_size=48, validation_start=0.0)
    batches = replace(_batches(), batch_size=48)
    got = train_backbone("conv4", batches, schedule).weights
    torch.manual_seed(0)
    from diffresnet.encoders.backbones.catalog import make_backbone  # noqa: PLC0415

    backbone = make_backbone("conv4", n_channels=1, image_size=16)
    network = nn.Sequential(backbone, nn.Linear(64, 4))
    images, labels = next(batches.epoch(0))
    scores = network(images).log_softmax(dim=1)
    smooth = 0.9 * torch.eye(4)[labels] + 0.1 / 4
    loss = -(smooth * scores).sum(dim=1).mean()
    loss.backward()
    for name, weight in backbone.named_parameters():
        assert weight.grad is not None
        expected = weight - 0.05 * (weight.grad + 5e-4 * weight)
        torch.testing.assert_close(got[name], expected.detach(), rtol=1e-4, atol=1e-5)


def test_a_break_anywhere_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = train_backbone("conv4", _batches(), SCHEDULE).weights
    monkeypatch.setattr(training, "SECONDS_BETWEEN_SAVES", -1.0)
    step = training._step  # pyright: ignore[reportPrivateUsage]
    n_steps = 0

    def interrupted(*args: object) -> list[float]:
        nonlocal n_steps
        n_steps += 1
        if n_steps in (2, 6, 11):
            raise KeyboardInterrupt
        return step(*args)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(training, "_step", interrupted)
    state = tmp_path / "state"
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            train_backbone("conv4", _batches(), SCHEDULE, state=state)
        assert state.is_file()
    again = train_backbone("conv4", _batches(), SCHEDULE, state=state).weights
    assert n_steps == 12 + 3
    assert _same(whole, again)
    done = train_backbone("conv4", _batches(), SCHEDULE, state=state).weights
    assert n_steps == 12 + 3  # what is done is not done again
    assert _same(whole, done)


def test_the_best_of_the_last_quarter_is_kept() -> None:
    scores = iter([0.9, 0.7])
    seen: list[dict[str, Tensor]] = []

    def validate(backbone: nn.Module) -> float:
        assert not backbone.training
        seen.append({name: one.clone() for name, one in backbone.state_dict().items()})
        return next(scores)

    schedule = replace(SCHEDULE, n_epochs=4, validation_start=0.5)
    found = train_backbone("conv4", _batches(), schedule, validate=validate)
    assert found.remarks["epoch"] == 3
    assert found.remarks["validation"] == 0.9
    assert _same(found.weights, seen[0])


def test_the_state_of_other_images(tmp_path: Path) -> None:
    def stop(_: EpochRecord) -> None:
        raise KeyboardInterrupt

    state = tmp_path / "state"
    with pytest.raises(KeyboardInterrupt):
        train_backbone("conv4", _batches(), SCHEDULE, state=state, report=stop)
    with pytest.raises(ValueError, match="the state of the same training"):
        train_backbone("conv4", _batches(drawing_set(seed=1)), SCHEDULE, state=state)
    state.write_bytes(b"torn")
    with pytest.raises(ValueError, match=r"\(it is damaged\)\. Remove it to begin anew"):
        train_backbone("conv4", _batches(), SCHEDULE, state=state)


def test_what_cannot_be_trained() -> None:
    with pytest.raises(ValueError, match="images of two classes or more, got 1"):
        train_backbone("conv4", _batches(drawing_set(1)), SCHEDULE)
    with pytest.raises(ValueError, match="of the schedule's `batch_size`, got 16 and 8"):
        train_backbone("conv4", _batches(), replace(SCHEDULE, batch_size=8))
    with pytest.raises(ValueError, match="one that converges, got a loss of NaN"):
        train_backbone("conv4", _batches(), replace(SCHEDULE, learning_rate=1e30))
