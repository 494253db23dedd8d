from itertools import combinations
from statistics import median

import pytest
import torch

from diffresnet.learning.confidence import (
    N_BEFOREHAND,
    STEEPNESS,
    agreement_beyond_chance,
    confidence,
    expect_from_agreement,
    match_confidence,
    sober_scale,
)

GENERATOR = torch.Generator().manual_seed(0)


def test_confidence_is_the_weighted_mean_of_the_largest_probability() -> None:
    scores = torch.tensor([[0.0, 0.0], [3.0, 0.0]]).double()
    sure = 1 / (1 + torch.exp(torch.tensor(-3.0))).item()
    assert confidence(scores) == pytest.approx((0.5 + sure) / 2)
    assert confidence(scores, torch.tensor([0.25, 0.75]).double()) == pytest.approx(
        0.125 + 0.75 * sure
    )


def test_scores_that_say_nothing_are_no_error() -> None:
    assert match_confidence(torch.zeros(5, 3), 0.9) > 0


def test_agreement_beyond_chance_with_loops() -> None:
    predicted = torch.randint(3, (4, 50), generator=GENERATOR)
    predicted[1, :30] = predicted[0, :30]
    predicted[2, :40] = predicted[0, :40]
    expected = [0.5, 0.3, 0.2]
    found = []
    for one, other in combinations(predicted.tolist(), 2):
        same = sum(a == b for a, b in zip(one, other, strict=True))
        same += sum(p * p for p in expected)  # of one more point
        chance = sum((one.count(k) + p) * (other.count(k) + p) for k, p in enumerate(expected))
        chance /= 51**2
        found.append((same / 51 - chance) / (1 - chance))
    agreement = agreement_beyond_chance(predicted, torch.tensor(expected).double())
    assert agreement == pytest.approx(median(found))
    assert 0.1 < agreement < 0.8


def test_one_way_that_has_learned_nothing_is_left_out() -> None:
    even = torch.full((2,), 0.5).double()
    right = torch.arange(1000) % 2
    noise = torch.randint(2, (1000,), generator=GENERATOR)
    agreement = agreement_beyond_chance(torch.stack([right, right, noise, right, right]), even)
    assert agreement == pytest.approx(1000 / 1001)


def test_few_points_that_are_all_agreed_on_are_no_certainty() -> None:
    even = torch.full((2,), 0.5).double()
    found = [agreement_beyond_chance(torch.arange(n).repeat(2, 1) % 2, even) for n in (1, 4, 100)]
    assert found == sorted(found)
    assert 0 < found[0] <= 0.5
    assert found[2] > 0.98


def test_expected_accuracy_lies_between_a_guess_and_certainty() -> None:
    proportions = torch.tensor([0.7, 0.2, 0.1]).double()
    guess = 0.7**2 + 0.2**2 + 0.1**2
    assert expect_from_agreement(-0.1, proportions) == pytest.approx(guess)
    assert expect_from_agreement(1.0, proportions) == pytest.approx(1)
    wanted = guess + (1 - guess) * 0.5 ** (1 + STEEPNESS * guess)
    assert expect_from_agreement(0.5, proportions) == pytest.approx(wanted)


def held_out(n_right: int, n_wrong: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return very sure scores of two classes, of which some are wrong, and the labels."""
    n_labels = n_right + n_wrong
    classes = torch.arange(n_labels) % 2
    said = torch.where(torch.arange(n_labels) < n_right, classes, 1 - classes)
    scores = 20 * torch.nn.functional.one_hot(said, 2).double()
    return scores, classes


@pytest.mark.parametrize(("n_right", "n_wrong"), [(300, 100), (2, 2), (12, 0)])
def test_claims_what_held_out_labels_and_agreement_speak_for(n_right: int, n_wrong: int) -> None:
    scores, classes = held_out(n_right, n_wrong)
    even, n_labels = torch.full((2,), 0.5).double(), n_right + n_wrong
    scale = sober_scale(scores, classes, even, 0.0, 0.8)
    beforehand = N_BEFOREHAND * expect_from_agreement(0.8, even)
    expected = (n_right + beforehand) / (n_labels + N_BEFOREHAND)
    assert confidence(scale * scores) == pytest.approx(expected, abs=0.05)


def test_never_makes_scores_sharper() -> None:
    scores, classes = held_out(400, 0)
    even = torch.full((2,), 0.5).double()
    assert sober_scale(0.01 * scores, classes, even, 0.0, 1.0) == 1.0


def test_labels_that_may_be_wrong_are_not_held_against_it() -> None:
    scores, classes = held_out(160, 40)
    even = torch.full((2,), 0.5).double()
    blamed, excused = (sober_scale(scores, classes, even, noise, 0.9) for noise in (0.0, 0.4))
    assert confidence(blamed * scores) < 0.85
    assert confidence(excused * scores) > 0.95


def test_common_classes_count_more() -> None:
    scores, classes = held_out(100, 0)
    scores[classes == 1] = scores[classes == 1].flip(1)  # the second class is always missed
    for proportions, low, high in (((0.9, 0.1), 0.8, 1.0), ((0.1, 0.9), 0.0, 0.6)):
        given = torch.tensor(proportions).double()
        scale = sober_scale(scores, classes, given, 0.0, 0.8)
        assert low <= confidence(scale * scores) <= high
