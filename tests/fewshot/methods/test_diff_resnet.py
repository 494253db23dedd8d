import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor

from diffresnet.fewshot import TRANSFORMS, Episodes, apply_transforms
from diffresnet.fewshot.methods import DiffResNetMethod, SoftKMeans, Solver, TaskGraph
from diffresnet.fewshot.methods.diff_resnet import KERNEL_SHARPNESS
from diffresnet.learning.kernel_descent import solve_kernel
from diffresnet.learning.proportions import class_biases
from diffresnet.learning.reordered import solve_reordered
from diffresnet.learning.tasks import Schedule
from tests import reference
from tests.fewshot.examples import (
    arrays_of,
    assert_contract,
    digits_episode,
    means_by_loops,
    one_of,
    random_episodes,
)
from tests.learning.examples import digits_task

SHORT = Schedule(n_epochs=8)
KINDS = {
    "internal": DiffResNetMethod(3, schedule=SHORT),
    "convection": DiffResNetMethod(0, schedule=SHORT),
    "external": DiffResNetMethod(0, output_laplacian_weight=0.01, schedule=SHORT),
    "prototypes": DiffResNetMethod(3, prototype_weight=0.5, schedule=SHORT),
    "proportions": DiffResNetMethod(3, proportion_weight=0.1, schedule=SHORT),
    "refined": DiffResNetMethod(
        3, prototype_weight=0.5, refinement=SoftKMeans(n_rounds=3), schedule=SHORT
    ),
}
IDENTITY = DiffResNetMethod(3, identity_weight=0.5, schedule=SHORT)


@pytest.mark.parametrize("kind", ["internal", "convection", "external_mu0.01"])
@pytest.mark.parametrize("shots", [1, 5])
@pytest.mark.parametrize("task", [0, 1, 2])
def test_equals_the_program_on_digits_from_raw_features(
    task: int, shots: int, kind: str, reference_numbers: Callable[[str], dict[str, NDArray[Any]]]
) -> None:
    digits = reference_numbers("fewshot_digits.npz")
    names = ("center", "l2", "shift", "rectify")
    raw = digits_episode(digits, task, shots)
    episodes = apply_transforms(raw, [TRANSFORMS[name] for name in names])
    method = {
        "internal": DiffResNetMethod(6)
        if shots == 1
        else DiffResNetMethod(3, prototype_weight=0.5),
        "convection": DiffResNetMethod(0),
        "external_mu0.01": DiffResNetMethod(0, output_laplacian_weight=0.01),
    }[kind]
    _, initial, expected = digits_task(digits, task, shots, kind)
    found = solve_reordered(method.tasks(episodes), method.schedule, initial)[0].mT
    assert (found - expected).abs().max() < 2e-3 * expected.abs().max()
    agree = (method(episodes)[0].argmax(dim=1) == expected[5 * shots :].argmax(dim=1)).float()
    assert agree.mean() > 0.85  # the kernel, on the same task


@pytest.mark.parametrize("rectified", [False, True])
def test_what_is_learned(rectified: bool) -> None:
    episodes = random_episodes()
    if rectified:
        episodes = replace(episodes, rectified=episodes.query[:, 2:5])
    method = DiffResNetMethod(
        5, 0.3, TaskGraph(4, 2), prototype_weight=0.7, output_laplacian_weight=0.02
    )
    tasks = method.tasks(episodes)
    assert torch.equal(tasks.points, episodes.points)
    assert torch.equal(tasks.labels, episodes.labels)
    assert (tasks.n_classes, tasks.step_size, tasks.n_steps) == (3, 0.3, 5)
    assert (tasks.prototype_weight, tasks.output_laplacian_weight) == (0.7, 0.02)
    points = episodes.points
    assert tasks.operator is not None
    expected = TaskGraph(4, 2).weights(points, points @ points.mT)
    torch.testing.assert_close(tasks.operator.weights, expected)
    assert tasks.prototype_distances is not None
    for which in range(3):
        support, labels, query = arrays_of(episodes, which)
        prototypes = means_by_loops(support, labels)
        if rectified:
            prototypes = list(query[2:5])
        distances = [[np.linalg.norm(q - p) for q in query] for p in prototypes]
        found = tasks.prototype_distances[which].numpy()
        np.testing.assert_allclose(found, np.array(distances), atol=1e-7)


def diffused(points: Tensor, method: DiffResNetMethod) -> Tensor:
    """Return points after diffusion, at a mean square distance of 1 to their mean."""
    weights = method.graph.weights(points.unsqueeze(0), (points @ points.T).unsqueeze(0))[0]
    rows = reference.diffuse(weights.tolist(), points.tolist(), method.step_size, method.n_steps)
    moved = torch.tensor(rows, dtype=torch.float64)
    return moved / (moved - moved.mean(dim=0)).square().sum(dim=1).mean().sqrt()


@pytest.mark.parametrize("n_steps", [0, 2])
@pytest.mark.parametrize("balance", [-1.0, 0.0, 1.0])
def test_refined_prototypes_are_those_of_soft_k_means(n_steps: int, balance: float) -> None:
    episodes = replace(random_episodes(), rectified=random_episodes().query[:, 2:5])
    refinement = SoftKMeans(3.0, 4, 0.5, balance)
    method = DiffResNetMethod(n_steps, prototype_weight=0.3, refinement=refinement)
    distances = method.tasks(episodes).prototype_distances
    assert distances is not None
    for which in range(3):
        points = diffused(episodes.points[which], method)
        gram = (points @ points.T).unsqueeze(0)
        mixtures = refinement.mixtures(one_of(episodes, which), gram)[0]
        expected = torch.cdist(mixtures @ points, points[6:])
        torch.testing.assert_close(distances[which], expected)


@pytest.mark.parametrize("solver", ["kernel", "reordered"])
@pytest.mark.parametrize("balance", [-1.0, 2.0, math.inf])
def test_balance_moves_the_scores_of_classes(solver: Solver, balance: float) -> None:
    episodes = random_episodes()
    plain = DiffResNetMethod(2, schedule=SHORT, solver=solver)
    scores = plain(episodes).mT * (KERNEL_SHARPNESS if solver == "kernel" else 1)
    expected = (scores + class_biases(scores, balance)).mT
    torch.testing.assert_close(replace(plain, balance=balance)(episodes), expected)


@pytest.mark.parametrize("solver", ["kernel", "reordered"])
def test_a_network_without_diffusion_has_its_part(solver: Solver) -> None:
    episodes = random_episodes()
    refinement = SoftKMeans(3.0, 4, 0.5)
    method = replace(IDENTITY, prototype_weight=0.2, refinement=refinement, solver=solver)
    plain = replace(method, n_steps=0, identity_weight=0.0)
    expected = 0.7 * method(episodes) + 0.3 * plain(episodes)
    torch.testing.assert_close(replace(method, undiffused_part=0.3)(episodes), expected)


def test_identity_gives_every_point_a_feature_of_its_own() -> None:
    episodes = random_episodes()
    tasks = DiffResNetMethod(2, identity_weight=0.5).tasks(episodes)
    assert tasks.points.shape == (3, 16, 7 + 16)
    assert torch.equal(tasks.points[..., :7], episodes.points)
    for which in range(3):
        square = 0.5 * sum(float(x @ x) for x in episodes.points[which]) / 16
        expected = torch.eye(16, dtype=torch.float64) * square**0.5
        torch.testing.assert_close(tasks.points[which, :, 7:], expected)
    torch.testing.assert_close(tasks.gram, tasks.points @ tasks.points.mT)
    # The points are linked as before.
    without = DiffResNetMethod(2).tasks(episodes)
    assert tasks.operator is not None
    assert without.operator is not None
    torch.testing.assert_close(tasks.operator.weights, without.operator.weights)


def test_nothing_is_linked_in_vain() -> None:
    tasks = DiffResNetMethod(0).tasks(random_episodes())
    assert tasks.operator is None
    assert tasks.prototype_distances is None


@pytest.mark.parametrize("kind", [*KINDS, "identity"])
def test_solvers(kind: str) -> None:
    episodes, method = random_episodes(), (KINDS | {"identity": IDENTITY})[kind]
    descent = replace(method, solver="descent")(episodes)
    reordered = replace(method, solver="reordered")(episodes)
    torch.testing.assert_close(reordered, descent, rtol=1e-8, atol=1e-8)
    kernel = replace(method, solver="kernel")(episodes)
    expected = solve_kernel(method.tasks(episodes), SHORT)[..., 6:].mT
    torch.testing.assert_close(kernel, expected)
    assert not torch.allclose(kernel, reordered, atol=1e-2)
    with torch.no_grad():  # as evaluations do
        assert torch.equal(replace(method, solver="descent")(episodes), descent)


@pytest.mark.parametrize("kind", KINDS)
def test_contract(kind: str) -> None:
    assert_contract(KINDS[kind])
    reordered = replace(KINDS[kind], solver="reordered")
    assert_contract(reordered, classes_are_alike=False)


def test_contract_with_identity() -> None:
    assert_contract(replace(IDENTITY, balance=-1.0))
    assert_contract(IDENTITY)  # networks that draw parameters for each point tell them apart


def test_contract_of_descent() -> None:
    assert_contract(DiffResNetMethod(2, solver="descent", schedule=SHORT), classes_are_alike=False)


@pytest.mark.parametrize("solver", ["reordered", "descent"])
def test_networks_start_from_the_seed_of_the_task(solver: Solver) -> None:
    method = DiffResNetMethod(2, solver=solver, schedule=SHORT)
    episodes = random_episodes(2)
    same = Episodes(
        episodes.support[:1].expand(2, -1, -1),
        episodes.query[:1].expand(2, -1, -1),
        episodes.labels,
        3,
        seeds=torch.tensor([7, 2**62 - 1]),
    )
    first, second = method(same)
    assert not torch.allclose(first, second)
    other = replace(same, seeds=torch.tensor([2**62 - 1, 7]))
    torch.testing.assert_close(method(other), torch.stack([second, first]))
    assert not torch.allclose(replace(method, init=1)(same)[0], first)
    assert torch.equal(replace(method, init=1)(same), replace(method, init=1)(same))
    without = method(replace(same, seeds=None))
    assert not torch.allclose(without[0], without[1])


def test_a_step_size_of_0_is_convection() -> None:
    episodes = random_episodes()
    torch.testing.assert_close(DiffResNetMethod(4, 0.0)(episodes), DiffResNetMethod(0)(episodes))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: DiffResNetMethod(-1),
            "DiffResNetMethod: `n_steps` must be at least 0, got -1. Raise `n_steps`.",
        ),
        (
            lambda: DiffResNetMethod(step_size=-1.0),
            "DiffResNetMethod: `step_size` must be a finite number of at least 0, got -1. "
            "Pass a non-negative `step_size`.",
        ),
        (
            lambda: DiffResNetMethod(prototype_weight=-1.0),
            "DiffResNetMethod: `prototype_weight` must be a finite number of at least 0, got -1. "
            "Pass a non-negative `prototype_weight`.",
        ),
        (
            lambda: DiffResNetMethod(identity_weight=-1.0),
            "DiffResNetMethod: `identity_weight` must be a finite number of at least 0, got -1. "
            "Pass a non-negative `identity_weight`.",
        ),
        (
            lambda: DiffResNetMethod(output_laplacian_weight=-1.0),
            "DiffResNetMethod: `output_laplacian_weight` must be a finite number of at least 0, "
            "got -1. Pass a non-negative `output_laplacian_weight`.",
        ),
        (
            lambda: DiffResNetMethod(undiffused_part=1.0),
            "DiffResNetMethod: `undiffused_part` must be below 1, got 1. Lower `undiffused_part`.",
        ),
        (
            lambda: DiffResNetMethod(balance=-3.0),
            "DiffResNetMethod: `balance` must be a number of at least -1, or infinity, got -3. "
            "Pass 0 for a `balance` of none.",
        ),
        (
            lambda: DiffResNetMethod(solver="adam"),  # type: ignore[arg-type]
            "DiffResNetMethod: `solver` must be one of 'descent', 'reordered', 'kernel', "
            "got 'adam'. Choose one of these.",
        ),
        (
            lambda: DiffResNetMethod(init=-1),
            "DiffResNetMethod: `init` must be at least 0, got -1. Raise `init`.",
        ),
        (
            lambda: DiffResNetMethod(graph=TaskGraph(normalization="row"))(random_episodes()),
            "Tasks: `operator` must be symmetric, got weights that differ from their transpose. "
            "Use the normalization 'symmetric' or 'sinkhorn'.",
        ),
    ],
)
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match="must be") as error:
        call()
    assert str(error.value) == message
