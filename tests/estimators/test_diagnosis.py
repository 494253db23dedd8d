import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import diffresnet.graph.neighbors
from diffresnet import nearest_neighbors
from diffresnet.estimators import DiffResNetClassifier, UnreachedWarning
from diffresnet.estimators.diagnosis import find_unpredicted
from tests.estimators.examples import clusters, partly


def test_a_healthy_graph() -> None:
    points, classes = clusters()
    near = points + np.random.default_rng(0).normal(0, 6, points.shape)
    found = DiffResNetClassifier(n_top=50).fit(near, partly(classes, 3)).diagnose()
    assert found.n_labeled == 9
    assert found.n_points == 120
    assert found.n_components == 1
    assert found.n_unlabeled_components == found.n_unreached == found.n_isolated == 0
    assert found.single_label_classes == ()
    assert found.label_homophily is not None
    assert found.label_homophily.share > 0.6
    assert found.strength > 0
    assert 0 < found.step_size < found.max_stable_step_size
    said = str(found)
    assert "9 of 120 points have a label." in said
    assert "The graph is connected: labels can reach every point." in said
    assert (
        f"Diffusion has the strength {found.strength:g}: the larger, the farther labels spread."
        in said
    )


def test_a_sick_graph() -> None:
    graph = np.kron(np.eye(4), np.ones((3, 3)))
    graph[11] = graph[:, 11] = 0
    labels = ["a", "b", "a", "a", "b", "a", "", "", "", "", "", ""]
    with pytest.warns(UnreachedWarning):
        model = DiffResNetClassifier().fit(None, labels, graph=graph)
    found = model.diagnose()
    assert (found.n_components, found.n_unlabeled_components, found.n_unreached) == (5, 3, 6)
    assert found.n_isolated == 1
    assert found.label_homophily is not None
    assert abs(found.label_homophily.share - 1 / 3) < 1e-6
    assert found.single_label_classes == ()
    said = str(found)
    assert "Without any link: 1 point." in said
    assert "The graph has 5 connected components." in said
    assert "Without any label: 3 of them, with 6 points; these get the class prior." in said
    meaning = "that tells neither whether diffusion helps nor whether it hurts"
    assert f"in 33% of cases (10 to 70%; 56% by chance): {meaning}." in said


def test_classes_that_are_predicted_nowhere() -> None:
    predicted = np.array([0] * 19 + [1])
    assert find_unpredicted(predicted, np.array([3, 2, 1])).tolist() == []  # 20 / 6 would be
    assert find_unpredicted(predicted, np.array([2, 2, 2])).tolist() == [2]
    assert find_unpredicted(predicted[:0], np.array([2, 2, 2])).tolist() == []


@pytest.mark.parametrize(("common", "rare"), [("a", "b"), ("b", "a")])
@pytest.mark.parametrize("n_apart", [0, 40])
def test_a_class_that_only_labels_have_is_named(common: str, rare: str, n_apart: int) -> None:
    """Whatever it is called, and whatever nodes that no label reaches would be taken for."""
    graph = np.zeros((60 + n_apart, 60 + n_apart))
    for node in range(60):
        for step in (1, 2):
            graph[node, (node + step) % 60] = graph[(node + step) % 60, node] = 1
    labels = np.full(60 + n_apart, None, dtype=object)
    labels[:40:4], labels[2:18:4] = common, rare
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreachedWarning)
        model = DiffResNetClassifier(class_prior={common: 0.99, rare: 0.01})
        found = model.fit(None, labels, graph=graph).diagnose()
    assert set(model.transduction_[40:60]) == {common}
    assert found.unpredicted_classes == (rare,)
    said = f"Predicted nowhere: {rare}. If there are such points, label a few more of them."
    assert said in str(found)


def test_at_most_ten_classes_are_named() -> None:
    points, classes = clusters()
    found = DiffResNetClassifier(n_top=50).fit(points, partly(classes)).diagnose()
    several = replace(found, single_label_classes=tuple("abcdefghijkl"))
    assert "One label only: a, b, c, d, e, f, g, h, i, j and others." in str(several)


def test_classes_with_one_label() -> None:
    points, classes = clusters()
    found = DiffResNetClassifier(n_top=50).fit(points, partly(classes)).diagnose()
    assert found.label_homophily is None
    assert found.single_label_classes == ("0", "1", "2")
    assert "One label only: 0, 1, 2. A second one each would help most." in str(found)


def test_what_the_search_has_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    points, classes = clusters()
    near = points + np.random.default_rng(0).normal(0, 6, points.shape)
    exact = DiffResNetClassifier().fit(near, partly(classes, 3))
    found = exact.diagnose()
    assert (found.found_by, found.recall) == ("exact", 1)
    assert "searched" not in str(found)

    def always(n_points: int, n_neighbors: int) -> bool:
        return n_points > n_neighbors

    monkeypatch.setattr(diffresnet.graph.neighbors, "can_search_cells", always)
    model = DiffResNetClassifier(search="approximate").fit(near, partly(classes, 3))
    found = model.diagnose()
    assert found.found_by == "cells"
    assert found.recall is not None
    assert 0.5 < found.recall <= 1
    sentence = (
        "Neighbors were searched for approximately (in cells): "
        f"{found.recall:.1%} of those of 120 points were found."
    )
    assert sentence in found.sentences
    again = DiffResNetClassifier.load(model.save(tmp_path / "model.npz")).diagnose()
    assert (again.found_by, again.recall) == (found.found_by, found.recall)


def test_neighbors_and_graphs_that_were_given_are_not_judged() -> None:
    points, classes = clusters()
    labels = partly(classes, 3)
    given = nearest_neighbors(points, 60)
    found = DiffResNetClassifier(n_top=60).fit(points, labels, neighbors=given).diagnose()
    assert (found.found_by, found.recall) == ("given", None)
    graph = np.ones((len(points), len(points)))
    found = DiffResNetClassifier().fit(points, labels, graph=graph).diagnose()
    assert (found.found_by, found.recall) == (None, None)
