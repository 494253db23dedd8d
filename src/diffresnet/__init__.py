"""Classify everything from a handful of labels: diffusion over a graph, inside a residual network.

>>> import torch
>>> from diffresnet import DiffusionOperator, build_weights
>>> points = torch.tensor([[0.0, 0.0], [0.1, 0.0], [4.0, 0.0], [4.1, 0.0]])
>>> operator = DiffusionOperator(build_weights(points, n_top=2))
>>> operator.diffuse(points, step_size=0.5, n_steps=100)[:, 0]
tensor([0.0500, 0.0500, 4.0500, 4.0500])
"""

from diffresnet.diffusion import DiffusionOperator, StabilityWarning
from diffresnet.distance_weights import weights_from_distances
from diffresnet.neighbors import Neighbors, kth_distances, nearest_neighbors
from diffresnet.normalization import normalize
from diffresnet.weights import build_weights, gaussian_kernel, graph_weights, sparsify

__all__ = [
    "DiffusionOperator",
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
]

__version__ = "0.1.0.dev0"
