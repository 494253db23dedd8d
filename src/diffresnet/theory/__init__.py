"""The paper's theory (Section 4), as functions."""

from diffresnet.theory.analysis import RatioReached, Separation, TheoryAnalysis, analyze
from diffresnet.theory.balls import ball_factor, max_ball_diameter
from diffresnet.theory.directions import SeparatingDirection, find_separating_direction
from diffresnet.theory.flow import Flow, FlowReport, build_flow
from diffresnet.theory.growth import Growth, diffusion_growth
from diffresnet.theory.hulls import hull_distance, min_hull_distance
from diffresnet.theory.lemmas import build_point_flow
from diffresnet.theory.required_ratio import BOUNDS, Bound, bad_fraction, required_ratio
from diffresnet.theory.spectrum import count_closed_classes, moving_eigenvalues
from diffresnet.theory.stability import StabilityReport, analyze_stability
from diffresnet.theory.structure import distance_diameter_ratio, max_diameter, min_distance
from diffresnet.theory.subclasses import NTopRange, Subclasses, find_n_top_range, find_subclasses

__all__ = [
    "BOUNDS",
    "Bound",
    "Flow",
    "FlowReport",
    "Growth",
    "NTopRange",
    "RatioReached",
    "SeparatingDirection",
    "Separation",
    "StabilityReport",
    "Subclasses",
    "TheoryAnalysis",
    "analyze",
    "analyze_stability",
    "bad_fraction",
    "ball_factor",
    "build_flow",
    "build_point_flow",
    "count_closed_classes",
    "diffusion_growth",
    "distance_diameter_ratio",
    "find_n_top_range",
    "find_separating_direction",
    "find_subclasses",
    "hull_distance",
    "max_ball_diameter",
    "max_diameter",
    "min_distance",
    "min_hull_distance",
    "moving_eigenvalues",
    "required_ratio",
]
