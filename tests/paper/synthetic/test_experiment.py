from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from scipy import sparse

from diffresnet import DiffusionOperator, build_weights
from diffresnet.learning import Batch, CrossEntropy, Descent
from diffresnet.nn import DiffResNet
from diffresnet.paper.settings import SYNTHETIC
from diffresnet.paper.synthetic.experiment import RECIPES, Recipe, make_problem, train_synthetic

PARAMETERS = {
    "blocks.0.inner.0.weight": "init_fc1_weight",
    "blocks.0.inner.0.bias": "init_fc1_bias",
    "blocks.0.inner.2.weight": "init_fc2_weight",
    "blocks.0.inner.2.bias": "init_fc2_bias",
    "classifier.weight": "init_classifier_weight",
    "classifier.bias": "init_classifier_bias",
}


@pytest.mark.parametrize("way", ["with", "without"])
@pytest.mark.parametrize("name", ["moon", "circle", "spiral"])
def test_training_equals_the_program(
    name: str, way: str, reference_numbers: Callable[[str], dict[str, NDArray[Any]]]
) -> None:
    numbers = reference_numbers(f"two_{name}_{way}_diffusion.npz")
    points, labels = (torch.from_numpy(numbers[key]) for key in ("points", "labels"))
    settings, operator = SYNTHETIC[name], None
    if way == "with":
        parts = numbers["w_data"], numbers["w_indices"], numbers["w_indptr"]
        weights = sparse.csr_array(parts, shape=(1000, 1000))
        operator = DiffusionOperator(weights.astype(np.float32))
    model = DiffResNet(
        2, 2, step_size=settings.diffusion.step_size, n_steps=settings.n_steps * (way == "with")
    )
    assert sum(parameter.numel() for parameter in model.parameters()) == 18
    model.load_state_dict(
        {ours: torch.from_numpy(numbers[key]) for ours, key in PARAMETERS.items()}
    )
    features: list[torch.Tensor] = []

    def evaluate(_: object) -> dict[str, float]:
        features.append(model.features(points, operator))
        right = model.classifier(features[-1]).argmax(dim=1) == labels
        return {"accuracy": float(right.double().mean())}

    make_optimizer = partial(
        torch.optim.SGD, lr=settings.learning_rate, momentum=0.9, weight_decay=5e-4
    )
    batch = Batch((points, operator), labels)
    history = Descent(make_optimizer, 20, renew_optimizer=True).train(
        model, lambda: [batch], [CrossEntropy()], evaluate=evaluate
    )
    np.testing.assert_allclose(history["accuracy"], numbers["accuracy"], rtol=0, atol=0.002)
    for epoch in (0, 10, 20):
        expected = torch.from_numpy(numbers[f"features{epoch}"])
        assert (features[epoch] - expected).norm() <= 1e-3 * expected.norm()


@pytest.mark.parametrize("name", ["moon", "circle", "spiral"])
def test_our_weights_equal_the_program(
    name: str, reference_numbers: Callable[[str], dict[str, NDArray[Any]]]
) -> None:
    numbers = reference_numbers(f"two_{name}_with_diffusion.npz")
    diffusion = SYNTHETIC[name].diffusion
    weights = build_weights(
        numbers["points"].astype(np.float64),
        diffusion.n_top,
        bandwidth=diffusion.bandwidth,
        normalization=diffusion.normalization,
    )
    parts = numbers["w_data"], numbers["w_indices"], numbers["w_indptr"]
    expected = sparse.csr_array(parts, shape=(1000, 1000)).toarray()
    np.testing.assert_allclose(weights.to_dense().numpy(), expected, rtol=0, atol=1e-6)


def test_a_collapsed_problem_trains_like_the_steps_themselves() -> None:
    problem = make_problem("moon", 0, diffused=True)
    assert problem.operator is not None
    settings = SYNTHETIC["moon"]
    weights = build_weights(problem.points.double(), 25, bandwidth=0.5, normalization="row")
    steps = DiffusionOperator(weights).to(torch.float32)
    expected = steps.diffuse(problem.points, 1.0, settings.n_steps, method="euler")
    found = problem.operator.diffuse(problem.points, 1.0, 1)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


def test_divergence_counts_as_failure() -> None:
    problem = make_problem("moon", 0, diffused=False)
    recipe = Recipe(renew_optimizer=False, learning_rate=1e30)
    run = train_synthetic(problem, recipe, n_epochs=20)
    assert run.diverged
    assert len(run.accuracies) == 21
    assert run.accuracies[-1] == 0


def test_a_run_repeats_and_diffusion_helps() -> None:
    problems = [make_problem("moon", 0, diffused=diffused) for diffused in (False, True, True)]
    plain, diffused, again = (
        train_synthetic(problem, RECIPES["reliable"], n_epochs=200) for problem in problems
    )
    assert diffused.accuracies == again.accuracies
    assert diffused.accuracies[-1] >= 0.99 > plain.accuracies[-1]
    assert sorted(diffused.features) == [0, 10, 20]
    assert 0 <= diffused.n_dead_units <= 2
