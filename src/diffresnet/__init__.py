"""Classify everything from a handful of labels: diffusion over a graph, inside a residual network.

>>> import torch
>>> from diffresnet import DiffusionOperator, build_weights
>>> points = torch.tensor([[0.0, 0.0], [0.1, 0.0], [4.0, 0.0], [4.1, 0.0]])
>>> operator = DiffusionOperator(build_weights(points, n_top=2))
>>> operator.diffuse(points, step_size=0.5, n_steps=100)[:, 0]
tensor([0.0500, 0.0500, 4.0500, 4.0500])
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from diffresnet.diffusion.input import StabilityWarning
    from diffresnet.diffusion.operator import DiffusionOperator
    from diffresnet.estimators import (
        DiffResNetClassifier,
        DiffResNetMultiLabelClassifier,
        DiffResNetRegressor,
        LabeledKFold,
    )
    from diffresnet.graph.distance_weights import weights_from_distances
    from diffresnet.graph.given_neighbors import weights_from_neighbors
    from diffresnet.graph.neighbors import Neighbors, kth_distances, nearest_neighbors
    from diffresnet.graph.normalization import normalize
    from diffresnet.graph.weights import build_weights, gaussian_kernel, graph_weights, sparsify
    from diffresnet.report.classification.page import write_report

__all__ = [
    "DiffResNetClassifier",
    "DiffResNetMultiLabelClassifier",
    "DiffResNetRegressor",
    "DiffusionOperator",
    "LabeledKFold",
    "Neighbors",
    "StabilityWarning",
    "build_weights",
    "gaussian_kernel",
    "graph_weights",
    "kth_distances",
    "nearest_neighbors",
    "normalize",
    "sparsify",
    "weights_from_distances",
    "weights_from_neighbors",
    "write_report",
]

__version__ = "0.1.0.dev0"

_HOMES = {
    "DiffResNetClassifier": "estimators",
    "DiffResNetMultiLabelClassifier": "estimators",
    "DiffResNetRegressor": "estimators",
    "DiffusionOperator": "diffusion.operator",
    "LabeledKFold": "estimators",
    "Neighbors": "graph.neighbors",
    "StabilityWarning": "diffusion.input",
    "build_weights": "graph.weights",
    "gaussian_kernel": "graph.weights",
    "graph_weights": "graph.weights",
    "kth_distances": "graph.neighbors",
    "nearest_neighbors": "graph.neighbors",
    "normalize": "graph.normalization",
    "sparsify": "graph.weights",
    "weights_from_distances": "graph.distance_weights",
    "weights_from_neighbors": "graph.given_neighbors",
    "write_report": "report.classification.page",
}
"""Where each public name is defined: it is imported when it is first used."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
