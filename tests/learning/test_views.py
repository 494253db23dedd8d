import torch

from diffresnet.learning.views import View


def test_view_places_new_points_as_fitted_ones() -> None:
    raw = torch.randn(20, 4, generator=torch.Generator().manual_seed(0))
    made = View.make(raw, torch.tensor([1.0, 2, 3, 4]))
    assert torch.allclose(made.place(raw), made.points)
    assert torch.allclose(made.points.norm(dim=1), torch.ones(20))
