import torch
from torch.nn.functional import normalize

from diffresnet.learning.prototypes import (
    class_means,
    members_of,
    spherical_kmeans,
)

POINTS = normalize(torch.randn(12, 4, generator=torch.Generator().manual_seed(0)).double(), dim=1)
CLASSES = torch.tensor([0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 0, 0])


def test_means() -> None:
    means = class_means(POINTS, members_of(CLASSES, 3, POINTS.dtype))
    for one in range(3):
        assert torch.allclose(means[one], POINTS[one == CLASSES].mean(dim=0))


def test_refined_prototypes_find_the_clusters() -> None:
    generator = torch.Generator().manual_seed(0)
    centers = torch.eye(4)
    classes = torch.arange(4).repeat_interleave(50)
    points = normalize(centers[classes] + 0.2 * torch.randn(200, 4, generator=generator), dim=1)
    rows = torch.arange(0, 200, 50)
    found, stay = (
        spherical_kmeans(
            points,
            points[rows],
            anchors=points[rows],
            sharpness=10,
            n_rounds=n_rounds,
            rate=0.3,
        )
        for n_rounds in (30, 0)
    )
    begin = (points[rows] * centers).sum(dim=1)
    assert ((found * centers).sum(dim=1) > begin).all()
    assert torch.allclose(found.norm(dim=1), torch.ones(4))
    assert torch.equal(stay, points[rows])


def test_rounds_are_as_a_loop_makes_them_and_sets_do_not_meet() -> None:
    labeled, others = POINTS[:4], POINTS[4:]
    starts = torch.stack([POINTS[:3], POINTS[[5, 1, 9]]])
    anchors = torch.stack([labeled[:3], torch.zeros(3, 4).double()])
    found = spherical_kmeans(others, starts, anchors=anchors, sharpness=3.0, n_rounds=2, rate=0.4)
    for one in range(2):
        prototypes = [row.clone() for row in starts[one]]
        for _ in range(2):
            sums = [row.clone() for row in anchors[one]]
            for x in others:
                weights = torch.tensor([3.0 * float(x @ p) for p in prototypes]).exp()
                for k in range(3):
                    sums[k] += float(weights[k] / weights.sum()) * x
            moved = [0.6 * p + 0.4 * s / s.norm() for p, s in zip(prototypes, sums, strict=True)]
            prototypes = [m / m.norm() for m in moved]
        assert torch.allclose(found[one], torch.stack(prototypes), atol=1e-6)
