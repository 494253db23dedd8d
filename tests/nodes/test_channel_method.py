from dataclasses import replace

import numpy as np
import pytest
import torch

from diffresnet.nodes.channel_method import ChannelDiffResNet
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.kernel_method import KernelDiffResNet
from diffresnet.nodes.method import NodeMethod
from diffresnet.nodes.splits import Split, SplitProtocol
from tests.nodes.examples import clusters


def between_classes() -> NodeGraph:
    """Return a graph whose links join different classes, so that diffusion hurts."""
    random, labels = np.random.default_rng(0), np.repeat(np.arange(3), 40)
    other = labels[:, None] != labels
    links = np.triu(random.random((120, 120)) < 0.08 * other, 1)
    words = random.random((120, 30)) < 0.1
    words[np.arange(120), 10 * labels + random.integers(0, 10, 120)] = True
    return NodeGraph.from_arrays(links | links.T, words, labels)


def accuracy(method: NodeMethod, graph: NodeGraph, n_train: int, n_validation: int) -> float:
    split = next(SplitProtocol(n_train, n_validation).splits(graph))
    logs = method.prepare(graph)(split, 0)
    assert bool(logs.isfinite().all())
    right = logs.argmax(dim=1).numpy()[split.test] == graph.labels[split.test]
    return float(right.mean())


def test_with_links_that_help() -> None:
    assert accuracy(ChannelDiffResNet(), clusters(), 5, 5) > 0.9
    assert accuracy(ChannelDiffResNet(), clusters(), 5, 0) > 0.9
    assert accuracy(ChannelDiffResNet(), clusters(), 1, 0) > 0.7


def test_with_links_that_hurt() -> None:
    graph = between_classes()
    diffused = accuracy(KernelDiffResNet(), graph, 8, 8)
    for n_validation in (8, 0):  # chosen by validation nodes, and by held-out labels
        assert accuracy(ChannelDiffResNet(), graph, 8, n_validation) > diffused + 0.1


def test_the_order_of_few_labels_hardly_matters() -> None:
    graph = between_classes()
    split = next(SplitProtocol(3, 0).splits(graph))
    solve, answers = ChannelDiffResNet().prepare(graph), list[torch.Tensor]()
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(split.train)
        answers.append(solve(replace(split, train=order), 0).argmax(dim=1))
    others = [float((one != answers[0]).double().mean()) for one in answers[1:]]
    assert np.mean(others) < 0.1


def test_refitted() -> None:
    graph, refitted = clusters(), ChannelDiffResNet(refit=True)
    assert refitted.name == "Diff-ResNet, channels, refitted"
    assert accuracy(refitted, graph, 5, 5) > 0.9
    assert accuracy(refitted, graph, 5, 0) == accuracy(ChannelDiffResNet(), graph, 5, 0)
    hard = between_classes()
    splits = list(SplitProtocol(4, 20, n_splits=4).splits(hard))
    means = list[float]()
    for method in (ChannelDiffResNet(), refitted):
        solve = method.prepare(hard)
        right = [
            solve(split, 0).argmax(dim=1).numpy()[split.test] == hard.labels[split.test]
            for split in splits
        ]
        means.append(float(np.mean(right)))
    assert means[1] > means[0] + 0.02  # there are six times as many labels to learn from
    uneven = replace(hard, labels=np.where(np.arange(120) < 50, 0, hard.labels))
    split = Split(np.arange(0, 120, 3), np.arange(1, 120, 3), np.arange(2, 120, 3), (0,))
    assert bool(refitted.prepare(uneven)(split, 0).isfinite().all())


def test_no_seed_and_probabilities() -> None:
    graph = clusters()
    split = next(SplitProtocol(5, 5).splits(graph))
    solve = ChannelDiffResNet().prepare(graph)
    logs = solve(split, 0)
    assert torch.equal(logs, solve(split, 1))
    assert torch.allclose(logs.exp().sum(dim=1), torch.ones(120), atol=1e-4)


def test_settings() -> None:
    with pytest.raises(ValueError, match="`mixtures and ridges` must be some, got none"):
        ChannelDiffResNet(mixtures=())
    with pytest.raises(ValueError, match=r"joined by plus signs, got 'low3'\. Check the name"):
        ChannelDiffResNet(mixtures=("own+low3",))
    with pytest.raises(ValueError, match="`ridges` must be a finite positive number, got 0"):
        ChannelDiffResNet(ridges=(0,))
