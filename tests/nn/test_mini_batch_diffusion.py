import pytest
import torch

from diffresnet import DiffusionOperator, build_weights
from diffresnet.nn import MiniBatchDiffusion


def test_weights_come_from_the_inputs_of_the_batch() -> None:
    generator = torch.Generator().manual_seed(0)
    images, features = (
        torch.randn(20, *shape, generator=generator) for shape in ((1, 6, 6), (3, 4, 4))
    )
    layer = MiniBatchDiffusion(0.5, 3, n_top=5, bandwidth_rank=4)
    weights = build_weights(images.reshape(20, -1), 5, bandwidth_rank=4)
    expected = DiffusionOperator(weights).diffuse(features, 0.5, 3)
    torch.testing.assert_close(layer(features, images), expected)
    assert list(layer.parameters()) == []


def test_gradients_reach_the_features_only() -> None:
    generator = torch.Generator().manual_seed(0)
    inputs = torch.randn(10, 3, generator=generator, requires_grad=True)
    features = torch.randn(10, 2, generator=generator, requires_grad=True)
    MiniBatchDiffusion(0.5, 3, n_top=4)(features, inputs).square().sum().backward()
    assert inputs.grad is None
    assert features.grad is not None


@pytest.mark.parametrize("n_samples", [1, 2, 3])
def test_small_batches_keep_what_they_have(n_samples: int) -> None:
    inputs = torch.randn(n_samples, 4)
    layer = MiniBatchDiffusion(0.5, 3, n_top=8, bandwidth_rank=4)
    assert layer(inputs, inputs).shape == inputs.shape
    assert layer.operator(inputs).n_points == n_samples


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float64, torch.float16])
def test_inputs_of_another_dtype(dtype: torch.dtype) -> None:
    images = torch.randint(0, 255, (10, 6), generator=torch.Generator().manual_seed(0)).to(dtype)
    layer = MiniBatchDiffusion(0.5, 3, n_top=4)
    assert layer(torch.randn(10, 2), images).dtype == torch.float32


def test_a_batch_of_one_stays() -> None:
    x = torch.randn(1, 4)
    torch.testing.assert_close(MiniBatchDiffusion(0.5, 3, n_top=8)(x, x), x)


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="MiniBatchDiffusion: `n_top` must be at least 1, got 0"):
        MiniBatchDiffusion(0.5, 3, n_top=0)
    with pytest.raises(ValueError, match="MiniBatchDiffusion: `normalization` must be one of"):
        MiniBatchDiffusion(0.5, 3, n_top=2, normalization="none")  # type: ignore[arg-type]
    layer = MiniBatchDiffusion(0.5, 3, n_top=2)
    with pytest.raises(ValueError, match=r"`x` must be of shape \(4, ...\), the operator's points"):
        layer(torch.zeros(5, 2), torch.randn(4, 2))
