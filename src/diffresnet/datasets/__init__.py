"""Data sets: synthetic ones that are drawn, and real ones that are loaded."""

from diffresnet.datasets.synthetic import (
    SyntheticSet,
    make_circle,
    make_moon,
    make_spiral,
    make_xor,
)

__all__ = ["SyntheticSet", "make_circle", "make_moon", "make_spiral", "make_xor"]
