"""Each part: held-out scores as by leaving out, and new points scored as fitted ones are."""

from collections.abc import Callable
from copy import deepcopy

import pytest
import torch

from diffresnet.estimators.parts import kept_columns
from diffresnet.estimators.parts.features import (
    choose_kernel,
    feature_kernel,
    feature_kernels,
    fit_features,
)
from diffresnet.estimators.parts.linear import fit_linear
from diffresnet.estimators.parts.part import RidgePart, sum_parts
from diffresnet.estimators.parts.propagation import GraphKernel, fit_propagation
from diffresnet.estimators.parts.together import choose_weight, fit_together
from diffresnet.estimators.points import FittedPoints, Places
from diffresnet.learning.labels import Labels
from tests.estimators.examples import clusters, fitted

Fit = Callable[[FittedPoints, Labels], RidgePart]


def propagation(points: FittedPoints, labels: Labels) -> RidgePart:
    return fit_propagation(GraphKernel.of(points, labels), labels)


def features(points: FittedPoints, labels: Labels) -> RidgePart:
    order = torch.arange(len(labels.rows))
    kernels = list(feature_kernels(points, labels, 0.5))
    return fit_features(kernels[choose_kernel(kernels, labels, order)], labels)


def together(points: FittedPoints, labels: Labels) -> RidgePart:
    order = torch.arange(len(labels.rows))
    kernels = list(feature_kernels(points, labels, 0.5))
    kernel = kernels[choose_kernel(kernels, labels, order)]
    graph = GraphKernel.of(points, labels)
    return fit_together(graph, kernel, labels, choose_weight(graph, kernel, labels, order))


def some_labels() -> Labels:
    codes = torch.from_numpy(clusters()[1])
    rows = torch.cat([40 * one + torch.arange(5) for one in range(3)])
    return Labels(rows, codes[rows], 3)


@pytest.mark.parametrize("fit", [propagation, features, together, fit_linear])
def test_finds_clusters(fit: Fit) -> None:
    given, codes = clusters()
    points = fitted(given)
    part = fit(points, some_labels())
    classes = torch.from_numpy(codes)
    assert float((part.score(points.places).argmax(dim=1) == classes).double().mean()) > 0.97
    assert part.held_out.shape == (15, 3)
    assert float((part.held_out.argmax(dim=1) == some_labels().classes).double().mean()) > 0.9


@pytest.mark.parametrize("fit", [propagation, features, together, fit_linear])
def test_scores_of_labeled_points_are_those_of_the_kernel(fit: Fit) -> None:
    points, labels = fitted(clusters()[0]), some_labels()
    part = fit(points, labels)
    targets = torch.nn.functional.one_hot(labels.classes, 3).double() - 1 / 3
    # At a labeled point ridge regression misses its target by ridge times the coefficient.
    expected = targets - part.ridge.penalty.ridge * part.ridge.coefficients
    found = part.score(points.places)[labels.rows].double()
    assert torch.allclose(found, expected, atol=0.02)


def test_sums_of_parts_that_share_kernels_are_those_of_their_scores() -> None:
    points, labels = fitted(clusters()[0]), some_labels()
    kernels, graph = list(feature_kernels(points, labels, 0.5)), GraphKernel.of(points, labels)
    spread, alone = fit_propagation(graph, labels), fit_features(kernels[1], labels)
    both = fit_together(graph, kernels[1], labels, 0.5)
    found = sum_parts([[(2.0, spread), (3.0, both)], [(1.0, alone)], [(1.0, both)]], points.places)
    plain = [part.score(points.places) for part in (spread, alone, both)]
    for one, expected in zip(found, (2 * plain[0] + 3 * plain[2], *plain[1:]), strict=True):
        assert torch.allclose(one, expected, atol=1e-4)


def test_one_kernel_of_features_is_that_among_all() -> None:
    points, labels = fitted(clusters()[0]), some_labels()
    for which, expected in enumerate(feature_kernels(points, labels, 0.5)):
        assert torch.equal(feature_kernel(points, labels, 0.5, which).gram, expected.gram)


def test_new_points_are_scored_alike_with_kept_columns_and_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given, _ = clusters()
    points, labels = fitted(given), some_labels()
    places = points.attach(given[:7] + 0.01, 11, 6)
    part = propagation(points, labels)
    found, again = part.score(places), deepcopy(part)  # which leaves the columns behind
    assert torch.equal(again.score(places), found)
    with monkeypatch.context() as patch:
        patch.setattr(kept_columns, "LARGEST_KEPT", 0)
        assert torch.allclose(part.score(places), found, atol=1e-5)
    assert places.attachment is not None
    alone = Places(places.points, places.lengths, places.attachment[:1])
    assert torch.allclose(found[:1], part.score(alone), rtol=0, atol=1e-12)
