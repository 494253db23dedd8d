"""How the parameters of a model are found."""

from diffresnet.solvers.descent import Descent, DivergenceError, History
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
    "DivergenceError",
    "EarlyStopping",
    "History",
    "LaplacianPenalty",
    "LossTerm",
    "PrototypicalLoss",
]
