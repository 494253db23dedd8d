import numpy as np
import torch
from torch import Tensor

from diffresnet.encoders.augmentation import DrawingAugmentation
from diffresnet.encoders.framing import Framing
from diffresnet.encoders.training_batches import TrainingBatches
from tests.encoders.examples import drawing_set

FRAMING = Framing(16, 16, 1, (0.5,), (0.5,))


def _batches(n_workers: int = 0, seed: int = 0) -> TrainingBatches:
    return TrainingBatches(drawing_set(), FRAMING, DrawingAugmentation(), 20, seed, n_workers)


def _same(first: list[tuple[Tensor, ...]], second: list[tuple[Tensor, ...]]) -> bool:
    pairs = zip(first, second, strict=True)
    return all(torch.equal(a, b) for one, other in pairs for a, b in zip(one, other, strict=True))


def test_an_epoch_has_whole_batches_of_different_images() -> None:
    batches = list(_batches().epoch(0))
    assert _batches().n_batches == len(batches) == 2
    assert all(images.shape == (20, 1, 16, 16) for images, _ in batches)
    counts = np.bincount(torch.cat([labels for _, labels in batches]).numpy())
    assert counts.max() <= 12


def test_epochs_and_seeds_differ_and_repeat() -> None:
    first = list(_batches().epoch(0))
    assert _same(first, list(_batches().epoch(0)))
    assert not _same(first, list(_batches().epoch(1)))
    assert not _same(first, list(_batches(seed=1).epoch(0)))


def test_workers_and_breaks_change_nothing() -> None:
    first = list(_batches().epoch(3))
    assert _same(first, list(_batches(n_workers=1).epoch(3)))
    assert _same(first[1:], list(_batches().epoch(3, n_done=1)))


def test_fewer_images_than_a_batch_make_one() -> None:
    small = TrainingBatches(drawing_set(2, 3), FRAMING, DrawingAugmentation(), 20, 0)
    assert [len(labels) for _, labels in small.epoch(0)] == [6]
