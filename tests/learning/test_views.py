import torch

from diffresnet.learning.views import View


def test_view_places_new_points_as_fitted_ones() -> None:
    raw = torch.randn(20, 4, generator=torch.Generator().manual_seed(0))
    made = View.make(raw, torch.tensor([1.0, 2, 3, 4]))
    assert torch.allclose(made.place(raw), made.points)
    assert torch.allclose(made.points.norm(dim=1), torch.ones(20))


def test_products_with_fitted_points_are_those_on_the_sphere() -> None:
    generator = torch.Generator().manual_seed(0)
    raw, slopes = torch.randn(20, 4, generator=generator), torch.randn(3, 4, generator=generator)
    made = View.make(raw, torch.tensor([1.0, 2, 3, 4]))
    found = made.along(slopes, raw[5:], made.lengths[5:])
    assert torch.allclose(found, made.points[5:] @ slopes.mT, atol=1e-5)


def test_points_without_a_direction_have_finite_products() -> None:
    raw = torch.full((50, 3), 0.1)  # whose mean is rounded
    made = View.make(raw, torch.ones(3))
    assert float(made.along(torch.ones(2, 3), raw, made.lengths).abs().max()) < 0.1
    assert float(made.points.norm(dim=1).max()) < 0.1
