"""How large L/D must be for a separating direction to exist for sure (Theorem 2, corrected)."""

import math
from typing import Literal, TypeAlias, get_args

from scipy.special import betainc, betaincinv

from diffresnet._support.checks import check_choice, check_count, check_real

Bound: TypeAlias = Literal["paper", "sqrt", "exact"]
BOUNDS: tuple[Bound, ...] = get_args(Bound)


def required_ratio(n_subclasses: int, n_features: int, bound: Bound = "exact") -> float:
    """Return the L/D from which M subclasses in d dimensions are parted by parallel planes.

    With centers of balls O_i, a direction w does not part two subclasses only if
    |w.(O_i - O_j)| <= D. Their fraction of all directions is at most that of |w.e| <= t with
    t = D / |O_i O_j|, and the M(M-1)/2 fractions must not add up to 1. That is so from 1/t = c on:

    - ``"paper"``: c = M(M-1) sqrt(pi) d / 4;
    - ``"sqrt"``: c = M(M-1)/2 sqrt(pi (d-1) / 2), of the order of sqrt(d) only;
    - ``"exact"``: the fraction itself, an incomplete beta function:
      M(M-1)/2 I(1/c^2; 1/2, (d-1)/2) = 1.

    The paper takes |O_i O_j| >= L. The center of a ball need not be in its set, and only
    |O_i O_j|^2 >= L^2 - D^2 holds, so that the ratio must be sqrt(1 + c^2).

    D is the diameter of the balls that hold the subclasses (`max_ball_diameter`). For the largest
    distance in a subclass (`max_diameter`) multiply the result by `ball_factor(n_features)`.

    Args:
        n_subclasses: M.
        n_features: d.
        bound: one of the three, each smaller than the one before.

    Returns:
        The ratio; where L/D is above it, a direction exists. 0 for one subclass, which needs none;
        1 on a line (d = 1) for ``"sqrt"`` and ``"exact"``: if L > D, no subclass reaches into
        another.

    Raises:
        ValueError: if an argument is out of range.

    Examples:
        >>> [round(required_ratio(10, 512, bound)) for bound in ("paper", "sqrt", "exact")]
        [20419, 1275, 811]
    """
    m = check_count("required_ratio", "n_subclasses", n_subclasses, low=1)
    d = check_count("required_ratio", "n_features", n_features, low=1)
    check_choice("required_ratio", "bound", bound, BOUNDS)
    if m == 1:
        return 0.0
    n_pairs = m * (m - 1) / 2
    match bound:
        case "paper":
            c = n_pairs * math.sqrt(math.pi) * d / 2
        case "sqrt":
            c = n_pairs * math.sqrt(math.pi * (d - 1) / 2)
        case "exact":
            c = 0.0 if d == 1 else 1 / math.sqrt(float(betaincinv(0.5, (d - 1) / 2, 1 / n_pairs)))
    return math.sqrt(1 + c * c)


def bad_fraction(n_subclasses: int, n_features: int, ratio: float) -> float:
    """Return the largest fraction of directions that fail, if L/D is `ratio` (proof of Theorem 2).

    Random directions find one that parts the subclasses at least as often as 1 minus this.

    Args:
        n_subclasses: M.
        n_features: d.
        ratio: L/D, D the diameter of the balls that hold the subclasses.

    Returns:
        A fraction from 0 to 1; 1 says nothing.

    Raises:
        ValueError: if an argument is out of range.

    Examples:
        >>> round(bad_fraction(10, 512, ratio=811.0), 2)
        1.0
        >>> round(bad_fraction(10, 512, ratio=8110.0), 2)
        0.1
    """
    m = check_count("bad_fraction", "n_subclasses", n_subclasses, low=1)
    d = check_count("bad_fraction", "n_features", n_features, low=1)
    ratio = check_real("bad_fraction", "ratio", ratio, zero=True)
    if m == 1 or (d == 1 and ratio > 1):
        return 0.0
    if d == 1 or ratio * ratio <= 2:
        return 1.0
    fraction = float(betainc(0.5, (d - 1) / 2, 1 / (ratio * ratio - 1)))
    return min(1.0, m * (m - 1) / 2 * fraction)
