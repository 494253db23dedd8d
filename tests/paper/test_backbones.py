import numpy as np
import pytest
import torch
from torch import nn

from diffresnet.encoders.augmentation import DrawingAugmentation
from diffresnet.encoders.backbones.catalog import make_backbone
from diffresnet.encoders.encoder import ImageEncoder
from diffresnet.encoders.extraction import extract
from diffresnet.encoders.framing import Framing
from diffresnet.encoders.image_set import with_rotations
from diffresnet.encoders.schedule import BackboneSchedule
from diffresnet.encoders.source import load_omniglot
from diffresnet.encoders.training import train_backbone
from diffresnet.encoders.training_batches import TrainingBatches
from diffresnet.fewshot import make_recipe
from diffresnet.fewshot.episodes import EpisodeShape
from diffresnet.fewshot.evaluation import evaluate
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


def test_a_short_training_on_omniglot_tells_new_characters_apart() -> None:
    try:
        images = load_omniglot()
    except FileNotFoundError as error:
        pytest.skip(str(error))
    framing = Framing(28, 28, 1, (0.5,), (0.5,))
    shape = EpisodeShape(n_ways=20, n_shots=1, n_queries=10)
    train, test = images.split("train").take(range(500)), images.split("test").take(range(800))
    schedule = BackboneSchedule(n_epochs=3, batch_size=64)
    batches = TrainingBatches(with_rotations(train), framing, DrawingAugmentation(), 64, seed=0)
    trained = train_backbone("conv4", batches, schedule).make()
    torch.manual_seed(0)
    untrained = make_backbone("conv4", n_channels=1, image_size=28)
    nearest, before = (
        prototype_accuracy(network, test, framing, shape) for network in (trained, untrained)
    )
    assert nearest > before + 0.1
    features = extract(ImageEncoder("trained", trained, framing), test).features
    recipe = make_recipe("diffresnet", shape)
    diffused = evaluate(bank_of(features, test), recipe, shape=shape, n_tasks=100).accuracy
    assert diffused > nearest + 0.02
