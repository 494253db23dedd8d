import pytest
import torch

from diffresnet.report.training import draw_training


@pytest.mark.parametrize("n_epochs", [1, 3])
def test_draws_a_picture(n_epochs: int) -> None:
    pytest.importorskip("matplotlib")
    points, labels = torch.rand(20, 2), torch.arange(20) % 2
    features = {way: {e: torch.rand(20, 2) for e in range(n_epochs)} for way in ("a", "b")}
    picture = draw_training(points, labels, {"a": [0.5, 0.7], "b": [0.5, 1.0]}, features)
    assert picture.startswith(b"\x89PNG")
