"""How the parameters of a model are found."""

from diffresnet.learning.descent import Descent, DivergenceError, History
from diffresnet.learning.losses import (
    Batch,
    CrossEntropy,
    LaplacianPenalty,
    LossTerm,
    ProportionLoss,
    PrototypicalLoss,
)
from diffresnet.learning.stopping import EarlyStopping

__all__ = [
    "Batch",
    "CrossEntropy",
    "Descent",
    "DivergenceError",
    "EarlyStopping",
    "History",
    "LaplacianPenalty",
    "LossTerm",
    "ProportionLoss",
    "PrototypicalLoss",
]
