"""How long a diffusion step may be, and how many are needed (Appendix A, corrected)."""

import math
from dataclasses import asdict, dataclass

import numpy as np

from diffresnet._support.checks import check_real, fail
from diffresnet._support.writing import finite
from diffresnet.diffusion.operator import DiffusionOperator
from diffresnet.theory.spectrum import moving_eigenvalues

ROUNDING = 1e-9


@dataclass(frozen=True)
class StabilityReport:
    """What steps of one size do.

    Attributes:
        step_size: gamma.
        largest_eigenvalue: lambda_max of Lambda - W, the largest in size; 0 without links.
        second_eigenvalue: lambda_2, the least positive one, over all components (of weights that
            are not symmetric, the least real part); 0 without links.
        contraction: what a step leaves of the slowest mode, the largest |1 - gamma lambda| over the
            positive lambda; 0 without links.
        oscillates: whether some mode turns around for ever and never fades. So does a step of 1/d
            on a component that is bipartite and regular, without weights of points to themselves:
            its lambda_max is 2d, so that 1 - gamma lambda_max = -1.
        max_convex_step_size: up to it every new point is a convex combination of old ones.
        max_stable_step_size: up to it the 2-norm never grows; of weights that are not symmetric,
            for which there is no such bound, `max_convex_step_size`.
    """

    step_size: float
    largest_eigenvalue: float
    second_eigenvalue: float
    contraction: float
    oscillates: bool
    max_convex_step_size: float
    max_stable_step_size: float

    @property
    def is_convex(self) -> bool:
        """Whether hulls grow at no step."""
        return self.step_size <= self.max_convex_step_size * (1 + ROUNDING)

    @property
    def is_stable(self) -> bool:
        """Whether no step makes features grow, as far as is known."""
        return self.step_size <= self.max_stable_step_size * (1 + ROUNDING)

    def count_steps(self, factor: float) -> int | None:
        """Return after how many steps the slowest mode is at most `factor` of what it was.

        Returns:
            The number of steps; None if that never happens.

        Raises:
            ValueError: if `factor` is not between 0 and 1.
        """
        factor = check_real("count_steps", "factor", factor)
        if factor >= 1:
            fail("count_steps", "factor", "below 1", f"{factor:g}", "Lower `factor`.")
        if self.contraction >= 1 - ROUNDING:
            return None
        if self.contraction < ROUNDING:
            return 1
        return math.ceil(math.log(factor) / math.log(self.contraction) - ROUNDING)

    def to_json(self) -> dict[str, float | bool | None]:
        """Return everything, for a file; infinite numbers become None."""
        numbers = {name: finite(value) for name, value in asdict(self).items()}
        return {**numbers, "is_convex": self.is_convex, "is_stable": self.is_stable}


def analyze_stability(operator: DiffusionOperator, step_size: float) -> StabilityReport:
    """Tell what steps of size gamma do: are they stable, do they oscillate, how fast are they.

    The paper calls the iteration a contraction for gamma <= 1/d, all degrees being d. It is
    non-expansive: what is constant on a component stays. For any symmetric weights, a step is a
    convex combination if gamma <= 1 / max_i (d_i - w_ii), and never lengthens a column of features
    if gamma <= 2 / lambda_max; what is not constant then fades by max |1 - gamma lambda| a step.

    Args:
        operator: diffusion over one graph.
        step_size: gamma, positive.

    Raises:
        ValueError: if the operator is a batch, or `step_size` not positive.
        RuntimeError: if an eigenvalue of a large graph is not found.

    Examples:
        >>> import torch
        >>> pair = DiffusionOperator(torch.tensor([[0.0, 1.0], [1.0, 0.0]]))
        >>> analyze_stability(pair, 0.75).contraction
        0.5
        >>> analyze_stability(pair, 1.0).oscillates  # the two points change places
        True
    """
    step_size = check_real("analyze_stability", "step_size", step_size)
    values = moving_eigenvalues(operator)
    factors = 1 - step_size * values
    turning = (np.abs(np.abs(factors) - 1) <= ROUNDING) & (np.abs(factors - 1) > 1e-6)
    convex = operator.max_convex_step_size
    return StabilityReport(
        step_size,
        float(np.abs(values).max(initial=0.0)),
        float(values.real.min()) if len(values) else 0.0,
        float(np.abs(factors).max(initial=0.0)),
        bool(turning.any()),
        convex,
        operator.max_stable_step_size if operator.is_symmetric else convex,
    )
