"""From images and texts to features: backbones, their training, ready encoders, and a cache."""

from diffresnet.encoders.backbones.catalog import BACKBONE_NAMES, make_backbone
from diffresnet.encoders.checkpoint import Checkpoint
from diffresnet.encoders.encoder import Encoder, ImageEncoder
from diffresnet.encoders.extraction import Extraction, extract
from diffresnet.encoders.framing import Framing
from diffresnet.encoders.image_set import ImageSet
from diffresnet.encoders.ready import make_encoder
from diffresnet.encoders.schedule import BackboneSchedule
from diffresnet.encoders.text_set import TextSet
from diffresnet.encoders.training import EpochRecord, train_backbone
from diffresnet.encoders.training_batches import TrainingBatches

__all__ = [
    "BACKBONE_NAMES",
    "BackboneSchedule",
    "Checkpoint",
    "Encoder",
    "EpochRecord",
    "Extraction",
    "Framing",
    "ImageEncoder",
    "ImageSet",
    "TextSet",
    "TrainingBatches",
    "extract",
    "make_backbone",
    "make_encoder",
    "train_backbone",
]
