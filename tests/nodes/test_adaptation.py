from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest
import torch
from torch import Tensor

from diffresnet.learning.calibration import adapt_proportions
from diffresnet.nodes import adaptation
from diffresnet.nodes.adaptation import ProportionsAdapted, adapt_refitted, adapt_where_better
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.kernel_method import KernelDiffResNet
from diffresnet.nodes.method import Solve
from diffresnet.nodes.protocol import run_protocol
from diffresnet.nodes.splits import Split, SplitProtocol

SHARES = (0.8, 0.15, 0.05)
CENTERS = 1.5 * np.eye(3)
Labels = npt.NDArray[np.int64]


def points(random: np.random.Generator, labels: Labels) -> Tensor:
    """Return the logits, right for even classes, of points around the center of their class."""
    drawn = CENTERS[labels] + random.normal(size=(len(labels), 3))
    return torch.from_numpy(drawn @ CENTERS.T)  # all centers are equally far from 0


def accuracy(scores: Tensor, labels: Labels) -> float:
    return float((scores.argmax(dim=1).numpy() == labels).mean())


def even_and_uneven(seed: int) -> tuple[Tensor, Labels]:
    """Return 300 points of even classes, to calibrate on, and 20,000 of uneven ones."""
    random = np.random.default_rng(seed)
    labels = np.concatenate([np.repeat([0, 1, 2], 100), random.choice(3, 20_000, p=SHARES)])
    return points(random, labels), labels


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
@pytest.mark.parametrize("bias", [0.0, 2.0])
def test_as_good_as_with_the_true_shares(scale: float, bias: float) -> None:
    scores, labels = even_and_uneven(0)
    given = scale * (scores + bias * torch.tensor([-1.0, 0.0, 1.0]))
    known, others = np.arange(300), np.arange(300, len(labels))
    found = adapt_proportions(given, known, labels[:300], others)
    assert torch.allclose(found.exp().sum(dim=1), torch.ones(len(labels)).double())
    shares = found[others].exp().mean(dim=0)
    assert torch.allclose(shares, torch.tensor(SHARES).double(), atol=0.05)
    plain, adapted, ideal = (
        accuracy(one[others], labels[others])
        for one in (given, found, scores + torch.tensor(SHARES).log())
    )
    assert plain + 0.03 < adapted
    assert adapted > ideal - 0.01


def test_validation_nodes_of_the_same_shares() -> None:
    random = np.random.default_rng(1)
    labels = random.choice(3, 20_000, p=SHARES)
    scores = points(random, labels)
    known, others = np.arange(300), np.arange(300, len(labels))
    found = adapt_proportions(scores, known, labels[:300], others)
    ideal = scores + torch.tensor(SHARES).log()
    assert accuracy(found[others], labels[others]) > accuracy(ideal[others], labels[others]) - 0.01


def test_a_class_that_no_node_is_of() -> None:
    scores, labels = even_and_uneven(2)
    scores[300:, 2] = -100.0
    found = adapt_proportions(scores, np.arange(300), labels[:300], np.arange(300, len(labels)))
    assert bool(found.isfinite().all())


def test_few_validation_nodes() -> None:
    scores = torch.eye(3).repeat(10, 1)
    labels = np.tile(np.arange(3), 10)
    found = adapt_proportions(
        scores, np.arange(3), labels[:3], np.arange(30) > 2
    )  # all of them right
    assert found.dtype == torch.float32
    assert np.array_equal(found.argmax(dim=1).numpy(), labels)
    nothing = adapt_proportions(torch.zeros(30, 3), np.arange(3), labels[:3], np.arange(3, 30))
    assert torch.allclose(nothing.exp(), torch.full((30, 3), 1 / 3), atol=1e-3)


def test_inside_a_model() -> None:
    scores = torch.eye(3).repeat(10, 1).requires_grad_()
    labels, others = np.arange(3), np.arange(3, 30)
    assert not adapt_proportions(scores, labels, labels, others).requires_grad
    with torch.inference_mode():
        assert adapt_proportions(scores * 1, labels, labels, others).shape == (30, 3)


@pytest.mark.parametrize(
    ("scores", "labels", "message"),
    [
        (torch.eye(3), [0, 1], "`held_out` must be labels of all 3 classes, got 2 of 2"),
        (torch.eye(3), [], "`held_out` must be labels of all 3 classes, got 0"),
        (torch.eye(3), [0, 1, -1], "`held_out` must be labels of all 3 classes"),
        (torch.full((3, 3), torch.nan), [0, 1, 2], "`scores` must be finite"),
        (torch.zeros(3), [0, 1, 2], "`scores` must be finite, of shape"),
        (torch.eye(3), [0, 1, 2], "`unlabeled` must be some points"),
    ],
)
def test_wrong_input(scores: Tensor, labels: list[int], message: str) -> None:
    known = np.array(labels, dtype=np.int64)
    with pytest.raises(ValueError, match=message):
        adapt_proportions(scores, np.arange(len(labels)), known, np.zeros(3, dtype=bool))


@dataclass(frozen=True)
class Given:
    """A method that knows the scores."""

    name = "given"
    is_random = False

    def prepare(self, graph: NodeGraph) -> Solve:
        """Draw the scores."""
        scores = points(np.random.default_rng(3), graph.labels)

        def solve(split: Split, seed: int) -> Tensor:
            del split, seed
            return scores

        return solve


def test_a_method_with_shares_adapted() -> None:
    labels = np.random.default_rng(4).choice(3, 3000, p=SHARES)
    graph = NodeGraph.from_edges(np.empty((0, 2), dtype=int), np.ones((3000, 1)), labels)
    protocol = SplitProtocol(5, 50, n_splits=2, n_inits=3)
    plain, adapted = (
        run_protocol(graph, method, protocol, show_progress=False)
        for method in (Given(), ProportionsAdapted(Given()))
    )
    assert adapted.method == "given, proportions adapted"
    assert len(adapted.runs) == 2
    assert adapted.mean > plain.mean + 0.02


def test_no_validation_nodes_is_said_before_the_method_runs() -> None:
    labels = np.repeat([0, 1], 20)
    graph = NodeGraph.from_edges(np.array([[0, 1]]), np.eye(40), labels)
    split = next(SplitProtocol(5, 0).splits(graph))
    with pytest.raises(ValueError, match="--validation-nodes"):
        ProportionsAdapted(KernelDiffResNet(), only_where_better=False).prepare(graph)(split, 0)


def uneven(n_validation: int, *, is_random: bool = False) -> tuple[Tensor, Labels, Split]:
    """Return logits, right for even classes, of uneven ones, and a split drawn evenly or not."""
    random = np.random.default_rng(5)
    labels = random.choice(3, 6000, p=SHARES)
    by_class = [np.flatnonzero(labels == one) for one in range(3)]
    train = np.concatenate([nodes[:20] for nodes in by_class])
    validation = np.concatenate([nodes[20 : 20 + n_validation] for nodes in by_class])
    if is_random:
        train, validation = np.arange(60), np.arange(60, 60 + 3 * n_validation)
    rest = np.setdiff1d(np.arange(6000), np.concatenate([train, validation]))
    return points(random, labels), labels, Split(train, validation, rest, (0,))


def test_adapted_where_labels_are_even_and_classes_are_not() -> None:
    scores, labels, split = uneven(40)
    found = adapt_where_better(scores, labels, split)
    plain, adapted = (accuracy(one[split.test], labels[split.test]) for one in (scores, found))
    assert adapted > plain + 0.03


def test_left_alone_where_labels_were_drawn_at_random() -> None:
    scores, labels, split = uneven(40, is_random=True)
    assert adapt_where_better(scores, labels, split) is scores


@pytest.mark.parametrize(("gain", "is_adapted"), [(-0.06, False), (-0.04, True)])
def test_left_alone_where_validation_nodes_show_a_loss(
    monkeypatch: pytest.MonkeyPatch, gain: float, *, is_adapted: bool
) -> None:
    scores, labels, split = uneven(40)

    def given(*_: object) -> float:
        return gain

    monkeypatch.setattr(adaptation, "_gain", given)
    assert (adapt_where_better(scores, labels, split) is not scores) == is_adapted


def test_even_training_and_random_validation_nodes() -> None:
    scores, labels, split = uneven(40)
    mixed = Split(split.train, split.test[-300:], split.test[:-300], (0,))
    found = adapt_where_better(scores, labels, mixed)
    plain, adapted = (accuracy(one[mixed.test], labels[mixed.test]) for one in (scores, found))
    assert adapted > plain + 0.03


def test_refitted_answers_are_calibrated_by_all_labels() -> None:
    scores, labels = even_and_uneven(3)
    nodes = np.arange(300).reshape(3, 100)
    train, validation = nodes[:, :40].ravel(), nodes[:, 40:].ravel()
    split = Split(train, validation, np.arange(300, len(labels)), (0,))
    both = Split(train, np.concatenate([train, validation]), split.test, (0,))
    found = adapt_refitted(scores, labels, split)
    assert torch.equal(found, adapt_where_better(scores, labels, both))
    assert accuracy(found[300:], labels[300:]) > accuracy(scores[300:], labels[300:]) + 0.03


def test_refitted_answers_with_labels_drawn_at_random() -> None:
    scores, labels = even_and_uneven(4)
    train, validation = np.arange(300).reshape(3, 100)[:, :20].ravel(), np.arange(300, 800)
    split = Split(train, validation, np.arange(800, len(labels)), (0,))
    counts = np.bincount(labels[np.concatenate([train, validation])])
    learned = (scores + torch.from_numpy(counts / counts.sum()).log()).log_softmax(dim=1)
    found = adapt_refitted(learned, labels, split)
    assert torch.allclose(found, adapt_where_better(scores, labels, split), atol=1e-4)
    uneven = Split(validation, train, split.test, (0,))
    assert adapt_refitted(learned, labels, uneven) is learned
