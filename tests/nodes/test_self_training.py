import numpy as np
import torch

from diffresnet.nodes.self_training import SelfTrained, label_surest
from diffresnet.nodes.splits import SplitProtocol
from tests.nodes.examples import clusters


def test_sure_nodes_become_labels_of_each_class() -> None:
    logs = torch.tensor([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.4, 0.6]]).log()
    known = torch.tensor([-1, -1, 1, -1])
    assert label_surest(logs, known, 1).tolist() == [0, -1, 1, 1]
    assert label_surest(logs, known, 9).tolist() == [0, 0, 1, 1]


def test_one_label_per_class() -> None:
    graph = clusters()
    splits = list(SplitProtocol(1, 0, n_splits=4).splits(graph))
    means = list[float]()
    for method in (SelfTrained(n_rounds=0), SelfTrained(n_rounds=2, n_added=5)):
        solve = method.prepare(graph)
        right = [
            solve(split, 0).argmax(dim=1).numpy()[split.test] == graph.labels[split.test]
            for split in splits
        ]
        means.append(float(np.mean([one.mean() for one in right])))
    assert means[1] > 0.8
    assert means[1] >= means[0]
