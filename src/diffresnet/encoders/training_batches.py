"""The batches of an epoch: which images, changed how, by which process."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from diffresnet.encoders.augmentation import Augmentation
from diffresnet.encoders.framing import Framing
from diffresnet.encoders.image_set import ImageSet
from diffresnet.encoders.pictures import open_picture
from diffresnet.encoders.processes import process_count, process_rank


@dataclass(frozen=True)
class TrainingBatches:
    """Draws the batches of an epoch.

    What is drawn depends on the seed, the epoch and the image alone: not on the number of
    processes and workers, nor on where training was interrupted.

    Attributes:
        images: with labels.
        framing: size and normalization.
        augmentation: how pictures change.
        batch_size: images of a batch, over all processes.
        seed: of the order and of the changes.
        n_workers: processes that prepare images beside this one.
    """

    images: ImageSet
    framing: Framing
    augmentation: Augmentation
    batch_size: int
    seed: int
    n_workers: int = 0

    @property
    def n_batches(self) -> int:
        """Batches of an epoch; the images that do not fill the last one wait for the next epoch."""
        return max(len(self.images) // self.batch_size, 1)

    def epoch(self, number: int, n_done: int = 0) -> Iterator[tuple[Tensor, Tensor]]:
        """Give images (B, channels, height, width) and classes (B,) after the `n_done` batches."""
        order = np.random.default_rng((self.seed, number)).permutation(len(self.images))
        batches = [
            order[place * self.batch_size : (place + 1) * self.batch_size]
            for place in range(n_done, self.n_batches)
        ]
        mine = [batch[process_rank() :: process_count()] for batch in batches]
        keys = [[(number, int(row)) for row in batch] for batch in mine]
        dataset = _AugmentedImages(self)
        yield from DataLoader(dataset, batch_sampler=keys, num_workers=self.n_workers)


class _AugmentedImages(Dataset[tuple[Tensor, Tensor]]):
    def __init__(self, batches: TrainingBatches) -> None:
        self.batches = batches
        self.labels = torch.from_numpy(batches.images.encoded_labels())

    def __getitem__(self, key: tuple[int, int]) -> tuple[Tensor, Tensor]:
        epoch, row = key
        batches = self.batches
        random = np.random.default_rng((batches.seed, epoch, row))
        picture = open_picture(batches.images.sources[row], batches.framing.n_channels)
        changed = batches.augmentation(picture, batches.framing.image_size, random)
        return batches.framing.normalize(changed), self.labels[row]
