import pytest

from diffresnet.fewshot.methods import DiffResNetMethod, LaplacianShot, NearestPrototype, Solver
from diffresnet.paper.fewshot.ablation_methods import (
    ablation_network,
    ablation_recipes,
    at_strength,
)
from diffresnet.paper.published import ABLATION_ACCURACY


@pytest.mark.parametrize(("n_shots", "n_steps"), [(1, 10), (2, 10), (3, 5), (5, 5)])
def test_network(n_shots: int, n_steps: int) -> None:
    network = ablation_network(n_shots, "reordered")
    assert network.n_steps == n_steps
    assert (network.step_size, network.prototype_weight) == (0.5, 0)
    assert (network.graph.n_top, network.graph.bandwidth_rank) == (7, 4)
    assert network.solver == "reordered"


@pytest.mark.parametrize("solver", ["kernel", "descent"])
def test_five_methods_on_features_as_they_are(solver: Solver) -> None:
    recipes = ablation_recipes(5, solver)
    assert [recipe.name for recipe in recipes] == list(ABLATION_ACCURACY["WRN"])
    assert all(recipe.transforms == () for recipe in recipes)
    nearest, diffusion, *networks = (recipe.method for recipe in recipes)
    assert nearest == NearestPrototype()
    assert diffusion == LaplacianShot(label_laplacian_weight=0.5, n_neighbors=2, squared=False)
    found = [
        (network.n_steps, network.output_laplacian_weight, network.solver)
        for network in networks
        if isinstance(network, DiffResNetMethod)
    ]
    assert found == [(0, 0, solver), (0, 0.01, solver), (5, 0, solver)]


def test_one_step_of_strength_two_is_one() -> None:
    network = ablation_network(1, "kernel")
    assert at_strength(network, 1, 2.0).step_size == 1
    assert at_strength(network, 8, 2.0).step_size == 0.25
    assert at_strength(network, 0, 2.0).n_steps == 0
