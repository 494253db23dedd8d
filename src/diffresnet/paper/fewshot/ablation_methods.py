"""The five methods of Table "ablation" (Section 5.3), with its settings (Appendix E.3.3)."""

from dataclasses import replace

from diffresnet.fewshot import Recipe
from diffresnet.fewshot.methods import DiffResNetMethod, LaplacianShot, NearestPrototype, Solver
from diffresnet.fewshot.recipes import MANY_SHOTS
from diffresnet.paper.settings import (
    ABLATION_STEPS,
    FEWSHOT_GRAPH,
    FEWSHOT_SCHEDULE,
    FEWSHOT_STEP_SIZE,
    LABEL_LAPLACIAN_WEIGHT,
    OUTPUT_LAPLACIAN_WEIGHT,
)

INTERNAL = "Internal Convection-Diffusion"


def ablation_network(n_shots: int, solver: Solver) -> DiffResNetMethod:
    """Return Diff-ResNet as the ablation has it: r = 10 for one shot, 5 for five."""
    return DiffResNetMethod(
        n_steps=ABLATION_STEPS[5 if n_shots >= MANY_SHOTS else 1],
        step_size=FEWSHOT_STEP_SIZE,
        graph=FEWSHOT_GRAPH,
        solver=solver,
        schedule=FEWSHOT_SCHEDULE,
    )


def at_strength(network: DiffResNetMethod, n_steps: int, strength: float) -> DiffResNetMethod:
    """Return the network with r steps of strength/r each, or of 1 where that would be more."""
    step_size = min(1.0, strength / n_steps) if n_steps > 0 else network.step_size
    return replace(network, n_steps=n_steps, step_size=step_size)


def ablation_recipes(n_shots: int, solver: Solver) -> list[Recipe]:
    """Return the five methods of the table, none of which transforms the features."""
    internal = ablation_network(n_shots, solver)
    convection = replace(internal, n_steps=0)
    external = replace(convection, output_laplacian_weight=OUTPUT_LAPLACIAN_WEIGHT)
    return [
        Recipe("Nearest Prototype", NearestPrototype()),
        Recipe("Diffusion", LaplacianShot(LABEL_LAPLACIAN_WEIGHT, squared=False)),
        Recipe("Convection", convection),
        Recipe("External Convection-Diffusion", external),
        Recipe(INTERNAL, internal),
    ]
