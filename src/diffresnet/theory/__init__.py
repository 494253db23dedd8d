"""The paper's theory (Section 4), as functions."""

from diffresnet.theory.structure import distance_diameter_ratio, max_diameter, min_distance

__all__ = ["distance_diameter_ratio", "max_diameter", "min_distance"]
