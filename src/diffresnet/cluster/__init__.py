"""The same job on several machines: a folder of points in, a folder of predictions out."""

from diffresnet.cluster.classification import classify
from diffresnet.cluster.job import Outcome

__all__ = ["Outcome", "classify"]
