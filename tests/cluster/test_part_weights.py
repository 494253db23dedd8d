import math

import torch
from torch import Tensor

from diffresnet.cluster.part_weights import SETTINGS, weigh_parts
from diffresnet.learning.confidence import (
    agreement_beyond_chance,
    confidence,
    expect_from_agreement,
)
from diffresnet.learning.labels import Labels

N_CLASSES, N_SAMPLED = 3, 400
EXPECTED = torch.tensor([0.6, 0.3]).double()


def scores(classes: Tensor, strength: float, seed: int) -> Tensor:
    """Return scores that speak for the classes, with noise."""
    generator = torch.Generator().manual_seed(seed)
    noise = torch.randn(len(classes), N_CLASSES, generator=generator).double()
    return strength * torch.nn.functional.one_hot(classes, N_CLASSES) + noise


def spread_of(part: Tensor) -> float:
    """Return the mean deviation of the scores of a point, by loops."""
    deviations = 0.0
    for row in part.tolist():
        mean = sum(row) / len(row)
        deviations += math.sqrt(sum((one - mean) ** 2 for one in row) / (len(row) - 1))
    return deviations / len(part)


def test_with_one_label_per_class_weights_are_those_expected() -> None:
    classes = torch.arange(N_SAMPLED) % N_CLASSES
    labels = Labels(torch.arange(3), torch.arange(3), N_CLASSES)
    shown = torch.stack([scores(classes, 3, one) for one in range(4)])
    held_out = [torch.zeros(3, N_CLASSES).double()] * 4
    weights, biases = weigh_parts(labels, shown, held_out, EXPECTED)
    assert weights[3] == 0
    assert math.isclose(weights[0] / weights[1], 2, rel_tol=1e-6)
    by_prototypes = 0.6 * shown[0] + 0.3 * shown[1]
    scale = spread_of(by_prototypes) / spread_of(shown[2])
    expected = SETTINGS.propagation_weight * scale / 0.6
    assert math.isclose(weights[2] / weights[0], expected, rel_tol=1e-6)
    assert biases.tolist() == [0, 0, 0]  # nothing says that a class is more common
    even = torch.full((3,), 1 / 3).double()
    target = expect_from_agreement(agreement_beyond_chance(shown.argmax(dim=2), even), even)
    found = torch.tensordot(torch.tensor(weights).double(), shown, 1)
    assert math.isclose(confidence(found), target, abs_tol=0.03)


def test_held_out_labels_find_the_part_that_knows() -> None:
    classes = torch.arange(N_SAMPLED) % N_CLASSES
    n_labels = 120
    labels = Labels(torch.arange(n_labels), classes[:n_labels], N_CLASSES)
    strengths = (0.0, 0.0, 4.0, 0.0)
    shown = torch.stack([scores(classes, one, place) for place, one in enumerate(strengths)])
    held_out = [scores(classes[:n_labels], one, 10 + place) for place, one in enumerate(strengths)]
    weights, biases = weigh_parts(labels, shown, held_out, EXPECTED)
    assert min(weights) >= 0
    assert weights[2] > 3 * max(weights[0], weights[1], weights[3])
    found = torch.tensordot(torch.tensor(weights).double(), shown, 1) + biases
    accuracy = float((found.argmax(dim=1) == classes).double().mean())
    assert accuracy > 0.97
    assert abs(confidence(found) - accuracy) < 0.1


def test_biases_speak_for_classes_that_the_sample_has_more_of() -> None:
    classes = torch.zeros(N_SAMPLED, dtype=torch.long)
    classes[: N_SAMPLED // 10] = 1
    classes[N_SAMPLED // 10 : N_SAMPLED // 5] = 2
    known = torch.arange(30) % N_CLASSES
    labels = Labels(torch.arange(30), known, N_CLASSES)
    shown = torch.stack([scores(classes, 3, one) for one in range(4)])
    held_out = [scores(known, 3, 10 + one) for one in range(4)]
    _, biases = weigh_parts(labels, shown, held_out, EXPECTED)
    assert int(biases.argmax()) == 0
    assert float(biases[0] - biases[1]) > 0.1
