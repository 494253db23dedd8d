"""How the paper trains and chooses its backbones (Section 5.3 and Appendix E.3.1)."""

import numpy as np
from numpy.typing import NDArray
from torch import nn

from diffresnet.encoders.encoder import ImageEncoder
from diffresnet.encoders.extraction import extract
from diffresnet.encoders.framing import Framing
from diffresnet.encoders.image_set import ImageSet
from diffresnet.fewshot.bank import FeatureBank
from diffresnet.fewshot.episodes import EpisodeShape
from diffresnet.fewshot.evaluation import evaluate
from diffresnet.fewshot.recipes import make_recipe
from diffresnet.paper.settings import BACKBONE_VALIDATION_TASKS


def prototype_accuracy(
    backbone: nn.Module, images: ImageSet, framing: Framing, shape: EpisodeShape
) -> float:
    """Return the accuracy of the nearest prototype of raw features on tasks of other classes."""
    device = next(backbone.parameters()).device
    encoder = ImageEncoder("validation", backbone, framing, device)
    bank = bank_of(extract(encoder, images, batch_size=256).features, images)
    recipe = make_recipe("nearest-prototype", shape)
    n_tasks = BACKBONE_VALIDATION_TASKS
    return evaluate(bank, recipe, shape=shape, n_tasks=n_tasks, show_progress=False).accuracy


def bank_of(features: NDArray[np.floating], images: ImageSet) -> FeatureBank:
    """Return features of images with their classes and splits."""
    splits = np.array(images.splits) if images.splits else None
    return FeatureBank.from_arrays(features, np.array(images.labels), splits=splits)
