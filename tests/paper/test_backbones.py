import numpy as np
import torch
from torch import nn

from diffresnet.encoders.framing import Framing
from diffresnet.fewshot.episodes import EpisodeShape
from diffresnet.paper.backbones import bank_of, prototype_accuracy
from tests.encoders.examples import drawing_set

FRAMING = Framing(16, 16, 1, (0.5,), (0.5,))
SHAPE = EpisodeShape(n_ways=4, n_shots=1, n_queries=5)


class _Scramble(nn.Module):
    """Features that say nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1))

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return torch.randn(len(images), 5, generator=torch.Generator().manual_seed(0))


def test_pixels_tell_patterns_apart_and_noise_does_not() -> None:
    images = drawing_set(6)
    pixels = nn.Sequential(nn.Flatten(), nn.Linear(256, 256))
    assert prototype_accuracy(pixels, images, FRAMING, SHAPE) > 0.9
    assert abs(prototype_accuracy(_Scramble(), images, FRAMING, SHAPE) - 0.25) < 0.1


def test_a_bank_has_the_classes_and_splits_of_its_images() -> None:
    images = drawing_set(2, 3)
    bank = bank_of(np.zeros((6, 2)), images)
    assert bank.class_names == ("class 0", "class 1")
    assert bank.split_names == ()
