"""How the parameters of a model are found."""

from diffresnet.solvers.descent import Descent, History
from diffresnet.solvers.losses import (
    Batch,
    CrossEntropy,
    LaplacianPenalty,
    LossTerm,
    PrototypicalLoss,
)
from diffresnet.solvers.stopping import EarlyStopping

__all__ = [
    "Batch",
    "CrossEntropy",
    "Descent",
    "EarlyStopping",
    "History",
    "LaplacianPenalty",
    "LossTerm",
    "PrototypicalLoss",
]
