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
            rows=rows,
            classes=torch.arange(4),
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
