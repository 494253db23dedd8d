"""Every number that the paper sets, in the words of this package."""

from dataclasses import dataclass

from diffresnet._support.types import Array, Normalization
from diffresnet.diffusion.operator import DiffusionOperator
from diffresnet.encoders.framing import Framing
from diffresnet.encoders.schedule import BackboneSchedule
from diffresnet.fewshot.methods import TaskGraph
from diffresnet.graph.weights import build_weights
from diffresnet.learning.tasks import Schedule
from diffresnet.nodes.diffresnet_method import TrainedDiffResNet


@dataclass(frozen=True)
class DiffusionSettings:
    """How a planar set is diffused; row normalization is what the authors' code does there."""

    n_top: int
    bandwidth: float = 0.5
    step_size: float = 1.0
    normalization: Normalization = "row"

    def operator(self, points: Array) -> DiffusionOperator:
        """Return diffusion over the graph of the points."""
        weights = build_weights(
            points, self.n_top, bandwidth=self.bandwidth, normalization=self.normalization
        )
        return DiffusionOperator(weights)


XOR = DiffusionSettings(n_top=20)
"""Appendix E.1.3."""

XOR_STEPS = (0, 1, 10, 20, 200)
"""The steps after which Figure "XOR" shows the points, the raw ones first."""


@dataclass(frozen=True)
class SyntheticSettings:
    """How a planar set is diffused and learned."""

    diffusion: DiffusionSettings
    n_steps: int
    learning_rate: float


SYNTHETIC = {
    "moon": SyntheticSettings(DiffusionSettings(n_top=25), n_steps=60, learning_rate=1.0),
    "circle": SyntheticSettings(DiffusionSettings(n_top=50), n_steps=200, learning_rate=1.0),
    "spiral": SyntheticSettings(DiffusionSettings(n_top=25), n_steps=900, learning_rate=0.8),
}
"""Appendix E.1.3."""

SYNTHETIC_MOMENTUM = 0.9
SYNTHETIC_WEIGHT_DECAY = 5e-4

SYNTHETIC_EPOCHS = (0, 10, 20)
"""The epochs at which the figures of Section 5.1 and Appendix E.1.4 show the features."""

FEWSHOT_WAYS = 5
FEWSHOT_QUERIES = 15
FEWSHOT_SHOTS = (1, 5)
"""Section 5.3: tasks of 5 classes, 15 queries per class, one or five labels per class."""

FEWSHOT_GRAPH = TaskGraph(n_top=7, bandwidth_rank=4)
"""Appendix E.3.3; the paper's n_top is 8, of which the authors' code keeps 7."""

FEWSHOT_STEP_SIZE = 0.5
FEWSHOT_SCHEDULE = Schedule(0.1, 0.9, 1e-4, n_epochs=100, milestones=(0.5, 0.75), factor=0.1)
"""Appendix E.3.3: learning rate, momentum, weight decay; when the rate falls, and to what part."""

ABLATION_TASKS = 1000
ABLATION_STEPS = {1: 10, 5: 5}
"""Appendix E.3.3: diffusion steps by shots, for features as they are."""

LABEL_LAPLACIAN_WEIGHT = 0.5
OUTPUT_LAPLACIAN_WEIGHT = 0.01
"""Appendix E.3.3: lambda of Diffusion, mu of External Convection-Diffusion."""

FEWSHOT_TASKS = 10_000
FEWSHOT_STEPS = {
    "miniImageNet": {1: 6, 5: 3},
    "tieredImageNet": {1: 6, 5: 3},
    "CUB": {1: 7, 5: 3},
}
"""Appendix E.3.3: diffusion steps by set and shots, for transformed features (Table "fewshot")."""

FEWSHOT_PROTOTYPE_WEIGHT = {1: 0.0, 5: 0.5}
"""Appendix E.3.3: alpha by shots."""

N_TOPS = (4, 6, 8, 10, 12, 14, 16, 20, 24, 30, 40)
"""What we put on the axis of Figure "n_top", as the paper counts; its text does not say which."""

STRENGTH_STEPS = tuple(range(21))
"""Figure "strength": r, at the usual step size."""

FIXED_STRENGTH = 5.0
FIXED_STRENGTH_STEPS = tuple(range(21))
"""Figure "steps": r gamma, and r; where gamma would be above 1, it is 1."""

TIME_STRENGTH = 2.0
TIME_STEPS = (0, 1, 2, 3, 4, 6, 8, 10)
"""Figure "time": r gamma, and r from 0 to the 10 that the text speaks of."""

NODE_SETTINGS = {
    "cora": TrainedDiffResNet(step_size=0.25, n_steps=20, dropout=0.25),
    "citeseer": TrainedDiffResNet(step_size=0.2, n_steps=20, dropout=0.35),
    "pubmed": TrainedDiffResNet(step_size=0.4, n_steps=10, dropout=0.3),
}
"""Appendix E.2; the schedule of training is that of the authors' code."""

NODE_DEPTHS = (2, 4, 8, 16, 32)
"""Figure "graph": layers, of which the text names the last."""

NODE_DEPTH_DROPOUT = 0.5
"""Ours: the paper does not say."""

BACKBONE_SCHEDULE = BackboneSchedule(n_epochs=100)
"""Section 5.3: 100 epochs for miniImageNet and tieredImageNet, 400 for CUB."""

BACKBONE_VALIDATION_TASKS = 1000
"""One-shot tasks of the validation classes, which choose among the epochs of the last quarter."""

BACKBONE_FRAMING = Framing(image_size=84, resize=96)
"""Appendix E.3.1; CUB is resized to 120."""
