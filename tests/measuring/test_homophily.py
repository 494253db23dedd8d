import numpy as np
import pytest

from diffresnet.measuring.homophily import label_homophily
from diffresnet.measuring.statistics import wilson_interval


def test_equals_a_loop() -> None:
    random = np.random.default_rng(0)
    weights = np.triu(random.random((30, 30)) * (random.random((30, 30)) < 0.3), 1)
    weights = weights + weights.T + np.eye(30)
    classes = random.integers(-1, 3, 30)
    rows, columns = weights.nonzero()
    found = label_homophily(rows, columns, weights[rows, columns], classes)
    equal = total = n_links = 0.0
    for i in range(30):
        for j in range(i):
            if weights[i, j] > 0 and classes[i] >= 0 and classes[j] >= 0:
                n_links += 1
                total += weights[i, j]
                equal += weights[i, j] * (classes[i] == classes[j])
    assert found is not None
    assert found.n_links == n_links
    assert found.share == pytest.approx(equal / total)
    n_points = len({i for i in range(30) if classes[i] >= 0})
    assert found.interval == pytest.approx(wilson_interval(found.share, n_points))


def test_few_links_say_nothing() -> None:
    rows = np.arange(8)
    assert label_homophily(rows, rows ^ 1, np.ones(8), rows % 2) is None


@pytest.mark.parametrize(
    ("classes", "sentence"),
    [
        (np.arange(60) // 2 % 2, "diffusion helps"),
        (np.arange(60) % 2, "links join different classes, and diffusion by itself hurts"),
        (
            np.random.default_rng(0).integers(0, 2, 60),
            "that tells neither whether diffusion helps nor whether it hurts",
        ),
    ],
)
def test_what_it_means(classes: np.ndarray, sentence: str) -> None:
    rows = np.arange(60)
    found = label_homophily(rows, rows ^ 1, np.ones(60), classes)
    assert found is not None
    assert str(found).startswith("Labeled neighbors have equal labels in ")
    assert str(found).endswith(f"by chance): {sentence}.")
