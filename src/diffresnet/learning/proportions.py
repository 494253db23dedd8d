"""Class proportions as an unknown: from estimated ones to even ones, by one number.

Memberships r of n points in K classes, found from scores s, may know more than each point by
itself. With the mean membership m_k of each class, and even proportions u_k = 1/K, they maximize

    sum_ik r_ik s_ik - sum_ik r_ik log r_ik - balance n KL(m || u)

so that r_ik is exp(s_ik + b_k) over its sum, with one bias b_k = -balance log(m_k / u_k) a class.
The last term is what balance n draws from even classes say of proportions m. `balance` is

- infinite: every class has as many points, as optimal transport (PT-MAP) has it;
- 0: each point by itself, softmax(s);
- -1: the proportions of a mixture, unknown and estimated by expectation maximization; their prior
  is Dirichlet(2, ..., 2), which is one point more a class.
"""

import math
from numbers import Real
from typing import Annotated, NamedTuple, TypeAlias

import torch
from torch import Tensor

from diffresnet._support.checks import fail

TRANSPORT_ROUNDS = 100
TRANSPORT_TOLERANCE = 1e-4
"""How far, in all, proportions may be off their goal."""

LONGEST_STEP = 4.0
"""Of a bias, in one of Newton's steps; less, after one that took the proportions too far."""

RIDGE = 1e-6

ESTIMATION_ROUNDS = 20
PRIOR_POINTS = 1.0
"""Points that the prior adds to each class where proportions are estimated."""


def check_balance(function: str, argument: str, value: object) -> float:
    """Return `value` as a float of at least -1, infinity among them."""
    must, remedy = "a number of at least -1, or infinity", f"Pass 0 for a `{argument}` of none."
    if isinstance(value, bool) or not isinstance(value, Real):
        fail(function, argument, must, repr(value), remedy)
    number = float(value)
    if not number >= -1:
        fail(function, argument, must, f"{number:g}", remedy)
    return number


Balance: TypeAlias = Annotated[float, check_balance]
"""A setting: -1 for proportions that are estimated, 0 for none, infinity for even ones."""


def class_biases(scores: Tensor, balance: float, start: Tensor | None = None) -> Tensor:
    """Return what to add to the scores of each class, (T, K, 1), for the `balance` that is wanted.

    Args:
        scores: (T, K, n) of the points of T tasks.
        balance: see above.
        start: (T, K, 1) biases to begin from, those of scores that are much alike.

    Examples:
        Six points look like the first class, two like the second; even classes need four each.

        >>> scores = torch.tensor([[[2.0, 2, 2, 2, 1, 1, 0, 0], [0.0, 0, 0, 0, 0, 0, 2, 2]]])
        >>> for balance in (-1.0, 0.0, math.inf):
        ...     memberships = (scores + class_biases(scores, balance)).softmax(dim=1)
        ...     print([round(number, 2) for number in memberships.mean(dim=2)[0].tolist()])
        [0.75, 0.25]
        [0.65, 0.35]
        [0.5, 0.5]
    """
    biases = torch.zeros_like(scores[..., :1]) if start is None else start
    if balance == 0:
        return torch.zeros_like(biases)
    if balance < 0:
        return _estimate(scores, -balance, biases)
    return _transport(scores, balance, biases)


def _estimate(scores: Tensor, weight: float, biases: Tensor) -> Tensor:
    """Return weight times the logarithms of the proportions that the memberships have."""
    n_classes, n_points = scores.shape[1:]
    likelihoods = (scores - scores.amax(dim=1, keepdim=True)).exp()
    factors = biases.exp()
    for _ in range(ESTIMATION_ROUNDS):
        totals = (factors * likelihoods).sum(dim=1, keepdim=True)
        counts = factors * (likelihoods @ totals.reciprocal().mT)
        proportions = (counts + PRIOR_POINTS) / (n_points + PRIOR_POINTS * n_classes)
        factors = (n_classes * proportions).pow(weight)
    return factors.log()


class _State(NamedTuple):
    """Where the search for biases is.

    Attributes:
        biases: (T, K, 1) b.
        memberships: (T, K, n) that they give.
        goals: (T, K, 1) the proportions that belong to these biases.
        errors: (T, 1, 1) how far the proportions are off their goals, in all.
        values: (T, 1, 1) what is minimized: mean_i log sum_k exp(s_ik + b_k) plus balance log
            mean_k exp(-b_k / balance), which is convex, with m - goals as its slope.
    """

    biases: Tensor
    memberships: Tensor
    goals: Tensor
    errors: Tensor
    values: Tensor


def _transport(scores: Tensor, balance: float, biases: Tensor) -> Tensor:
    """Solve m(b) = softmax(-b / balance) by Newton's method, or Sinkhorn's where it is better.

    Sinkhorn's step b <- balance / (1 + balance) (b - log m) is always one forward, Newton's is much
    faster near the goal. A task that is there stays as it is, so that tasks do not depend on each
    other.
    """
    part = 1.0 if math.isinf(balance) else balance / (1 + balance)
    now = _state_at(scores, biases, balance)
    reach = torch.full_like(now.errors, LONGEST_STEP)
    for _ in range(TRANSPORT_ROUNDS):
        off = now.errors >= TRANSPORT_TOLERANCE
        if not off.any():
            break
        means = now.memberships.mean(dim=2, keepdim=True)
        scaled = part * (now.biases - means.clamp(min=1e-30).log())
        sinkhorn = _state_at(scores, scaled, balance)
        steps = _newton_step(now, means, balance)
        newton = _state_at(scores, now.biases + steps.clamp(-reach, reach), balance)
        reach = torch.where(newton.errors < now.errors, 2 * reach, reach / 4)
        reach = reach.clamp(max=LONGEST_STEP)
        better = (newton.errors < sinkhorn.errors) | (newton.values < sinkhorn.values)
        now = _State(
            *(
                torch.where(off, torch.where(better, one, other), kept)
                for one, other, kept in zip(newton, sinkhorn, now, strict=True)
            )
        )
    return now.biases


def _state_at(scores: Tensor, biases: Tensor, balance: float) -> _State:
    biases = biases - biases.mean(dim=1, keepdim=True)  # what classes share changes nothing
    moved = scores + biases
    totals = moved.logsumexp(dim=1, keepdim=True)
    memberships = (moved - totals).exp()
    goals = (-biases / balance).softmax(dim=1)
    errors = (memberships.mean(dim=2, keepdim=True) - goals).abs().sum(dim=1, keepdim=True)
    values = totals.mean(dim=2, keepdim=True)
    if not math.isinf(balance):
        values = values + balance * (-biases / balance).logsumexp(dim=1, keepdim=True)
    return _State(biases, memberships, goals, errors, values)


def _newton_step(now: _State, means: Tensor, balance: float) -> Tensor:
    slopes = now.memberships @ now.memberships.mT / -now.memberships.shape[2]
    slopes.diagonal(dim1=-2, dim2=-1).add_(means.squeeze(2))
    if not math.isinf(balance):
        slopes.baddbmm_(now.goals, now.goals.mT, alpha=-1 / balance)
        slopes.diagonal(dim1=-2, dim2=-1).add_(now.goals.squeeze(2), alpha=1 / balance)
    # What all classes share changes nothing, nor does a class whose members are all sure.
    slopes.diagonal(dim1=-2, dim2=-1).add_(RIDGE)
    return torch.linalg.solve_ex(slopes + 1 / slopes.shape[-1], now.goals - means).result
