"""One setting of Diff-ResNet, varied: what Section 5.3 shows in figures."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from diffresnet.fewshot.methods import DiffResNetMethod
from diffresnet.paper.settings import (
    FIXED_STRENGTH,
    FIXED_STRENGTH_STEPS,
    N_TOPS,
    STRENGTH_STEPS,
)

Networks: TypeAlias = Mapping[float, DiffResNetMethod]
"""Diff-ResNet by the value of the setting that is varied."""


def at_strength(network: DiffResNetMethod, n_steps: int, strength: float) -> DiffResNetMethod:
    """Return the network with r steps of strength/r each, or of 1 where that would be more."""
    step_size = min(1.0, strength / n_steps) if n_steps > 0 else network.step_size
    return replace(network, n_steps=n_steps, step_size=step_size)


def _vary_n_top(network: DiffResNetMethod) -> Networks:
    def links(n_top: int) -> DiffResNetMethod:
        graph = replace(network.graph, n_top=n_top - 1, bandwidth_rank=n_top // 2)
        return replace(network, graph=graph)

    return {n_top: links(n_top) for n_top in N_TOPS}


def _vary_strength(network: DiffResNetMethod) -> Networks:
    size = network.step_size
    return {n_steps * size: replace(network, n_steps=n_steps) for n_steps in STRENGTH_STEPS}


def _vary_steps(network: DiffResNetMethod) -> Networks:
    return {
        n_steps: at_strength(network, n_steps, FIXED_STRENGTH) for n_steps in FIXED_STRENGTH_STEPS
    }


@dataclass(frozen=True)
class Sweep:
    """One figure.

    Attributes:
        title: of the page.
        setting: what is varied, below the axis.
        vary: gives the networks to compare.
        chosen: which value the given network has itself.
        question: what is varied and how, in the paper and here.
        finding: what the paper concludes.
    """

    title: str
    setting: str
    vary: Callable[[DiffResNetMethod], Networks]
    chosen: Callable[[DiffResNetMethod], float]
    question: str
    finding: str


SWEEPS = {
    "n-top": Sweep(
        "How many neighbors: n_top",
        "n_top, as the paper counts",
        _vary_n_top,
        lambda network: network.graph.n_top + 1,
        "n_top is varied, with the bandwidth at the distance of rank n_top/2. The authors' code "
        "keeps one weight less than n_top says, the point itself counted, and so do we here.",
        "n_top should be neither too small nor too large; accuracy is not very sensitive to it.",
    ),
    "strength": Sweep(
        "How much diffusion: total strength",
        "total strength, steps times step size",
        _vary_strength,
        lambda network: network.n_steps * network.step_size,
        f"The step size is fixed, and the number of steps goes from 0 to {STRENGTH_STEPS[-1]}.",
        "the strength should not be pushed to infinity: it has an optimum.",
    ),
    "steps": Sweep(
        "How many steps, at fixed strength",
        "diffusion steps",
        _vary_steps,
        lambda network: network.n_steps,
        f"Steps times step size is {FIXED_STRENGTH}, but no step is larger than 1, so that below "
        f"{FIXED_STRENGTH:.0f} steps the strength is less; 0 is a network without diffusion.",
        "with fixed strength accuracy stays almost the same, so that many layers do not help.",
    ),
}
"""The figures by their names on the command line."""
