"""How long, and at what rate, a backbone is trained."""

from dataclasses import dataclass

from diffresnet._support.settings import Count, Positive, Probability, Several, check_settings


@dataclass(frozen=True)
class BackboneSchedule:
    """How a backbone is trained; the defaults are the paper's for mini-ImageNet.

    Attributes:
        n_epochs: passes over the images.
        batch_size: images of a step, over all processes.
        learning_rate: of SGD, at first.
        momentum: of SGD.
        weight_decay: of all parameters.
        label_smoothing: part of a label that is spread over all classes.
        milestones: parts of training after which the rate is divided by ten.
        validation_start: part of training after which every epoch is validated.
    """

    n_epochs: Count = 100
    batch_size: Several = 256
    learning_rate: Positive = 0.1
    momentum: Probability = 0.9
    weight_decay: float = 5e-4
    label_smoothing: Probability = 0.1
    milestones: tuple[float, ...] = (0.5, 0.75)
    validation_start: float = 0.75

    __post_init__ = check_settings

    def rate(self, epoch: int) -> float:
        """Return the learning rate of an epoch, counted from 0."""
        n_past = sum(epoch >= part * self.n_epochs for part in self.milestones)
        return self.learning_rate * 0.1**n_past

    def validates(self, epoch: int) -> bool:
        """Return whether the network is validated after an epoch, counted from 0."""
        return epoch >= self.validation_start * self.n_epochs
