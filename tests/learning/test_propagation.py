import torch

from diffresnet.graph.normalization import balance_dense
from diffresnet.learning.propagation import spread_labels, spread_labels_fully

GENERATOR = torch.Generator().manual_seed(0)
RAW = torch.rand(3, 9, 9, generator=GENERATOR).double()
WEIGHTS = balance_dense(RAW + RAW.mT)
TARGETS = torch.eye(9).double()[:, :2].expand(3, 9, 2)


def test_rounds_are_loops() -> None:
    found = spread_labels(WEIGHTS[0], TARGETS[0], 0.7, n_rounds=3)
    now = [[float(cell) for cell in row] for row in TARGETS[0]]
    for _ in range(3):
        now = [
            [
                0.7 * sum(float(WEIGHTS[0, i, j]) * now[j][k] for j in range(9))
                + 0.3 * float(TARGETS[0, i, k])
                for k in range(2)
            ]
            for i in range(9)
        ]
    assert torch.allclose(found, torch.tensor(now).double())
    sparse = WEIGHTS[0].to_sparse_csr()
    assert torch.allclose(spread_labels(sparse, TARGETS[0], 0.7, n_rounds=3), found)


def test_many_rounds_lead_to_the_limit() -> None:
    found = spread_labels(WEIGHTS, TARGETS, 0.9, n_rounds=500)
    assert torch.allclose(found, spread_labels_fully(WEIGHTS, TARGETS, 0.9))
