import json

import pytest

from diffresnet.paper.fewshot.ablation_methods import ablation_network
from diffresnet.paper.fewshot.curves import SWEEPS, report_sweep, run_sweep
from diffresnet.report.page import make_page
from tests.paper.examples import small_plan

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


@pytest.mark.parametrize("name", SWEEPS)
def test_the_ablation_is_one_of_the_values(name: str) -> None:
    sweep = SWEEPS[name]
    assert sweep.vary(NETWORK)[sweep.chosen(NETWORK)] == NETWORK


def test_values_are_evaluated_on_the_same_tasks() -> None:
    result = run_sweep(small_plan(), "strength", 1, "kernel")
    assert list(result.evaluations) == [0.5 * n_steps for n_steps in range(21)]
    assert len({evaluation.tasks for evaluation in result.evaluations.values()}) == 1
    best = max(evaluation.accuracy for evaluation in result.evaluations.values())
    assert result.evaluations[result.best].accuracy == best
    accuracies = {evaluation.accuracy for evaluation in result.evaluations.values()}
    assert len(accuracies) > 1  # diffusion changes something


@pytest.mark.parametrize("name", SWEEPS)
def test_report(name: str) -> None:
    pytest.importorskip("matplotlib")
    report = report_sweep(small_plan(2), name, n_shots=1, solver="kernel")
    assert set(report.pictures) == {f"{name}.png", f"{name}.svg"}
    numbers = json.loads(json.dumps(report.numbers))
    assert numbers["command"].startswith(f"diffresnet reproduce {name} --features birds.npz")
    values = [row["value"] for row in numbers["results"]]
    assert values == sorted(values)
    chosen = next(row for row in numbers["results"] if (row["n_top"], row["n_steps"]) == (7, 10))
    assert (chosen["bandwidth_rank"], chosen["step_size"]) == (4, 0.5)
    page = make_page(report.title, report.parts).decode()
    assert SWEEPS[name].setting in page
    assert f"{100 * chosen['accuracy']:.2f} ± {100 * chosen['ci95']:.2f}" in page
