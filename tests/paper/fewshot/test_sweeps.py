import pytest

from diffresnet.paper.fewshot.ablation_methods import ablation_network, at_strength
from diffresnet.paper.fewshot.curves import SWEEPS

NETWORK = ablation_network(1, "kernel")


def test_n_top_is_counted_as_in_the_paper() -> None:
    networks = SWEEPS["n-top"].vary(NETWORK)
    graphs = {n_top: network.graph for n_top, network in networks.items()}
    assert (graphs[8].n_top, graphs[8].bandwidth_rank) == (7, 4)
    assert (graphs[20].n_top, graphs[20].bandwidth_rank) == (19, 10)
    assert min(graph.bandwidth_rank for graph in graphs.values()) == 2  # rank 1 is the point itself
    assert {network.n_steps for network in networks.values()} == {10}


def test_strength() -> None:
    networks = SWEEPS["strength"].vary(NETWORK)
    assert [network.n_steps for network in networks.values()] == list(range(21))
    for strength, network in networks.items():
        assert network.n_steps * network.step_size == pytest.approx(strength)
        assert network.step_size == 0.5


def test_steps_share_a_strength_of_five() -> None:
    networks = SWEEPS["steps"].vary(NETWORK)
    assert list(networks) == list(range(21))
    for n_steps, network in networks.items():
        assert network.n_steps == n_steps
        if n_steps >= 5:
            assert n_steps * network.step_size == pytest.approx(5)
        elif n_steps >= 1:
            assert network.step_size == 1


def test_one_step_of_strength_two_is_one() -> None:
    assert at_strength(NETWORK, 1, 2.0).step_size == 1
    assert at_strength(NETWORK, 8, 2.0).step_size == 0.25
    assert at_strength(NETWORK, 0, 2.0).n_steps == 0


@pytest.mark.parametrize("name", SWEEPS)
def test_the_ablation_is_one_of_the_values(name: str) -> None:
    sweep = SWEEPS[name]
    assert sweep.vary(NETWORK)[sweep.chosen(NETWORK)] == NETWORK
