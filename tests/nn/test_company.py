"""The layers in the company of torch: state, files, compilation, mixed precision, devices."""

import io

import pytest
import torch
from torch import nn

from diffresnet import DiffusionOperator, build_weights
from diffresnet.nn import DiffResNet, Diffusion, MiniBatchDiffusion

POINTS = torch.randn(40, 3, generator=torch.Generator().manual_seed(0))
OPERATOR = DiffusionOperator(build_weights(POINTS, n_top=6))


def make_model() -> DiffResNet:
    torch.manual_seed(0)
    return DiffResNet(3, 2, n_blocks=2, step_size=0.5, n_steps=3)


def test_weights_survive_a_file() -> None:
    model, stream = make_model(), io.BytesIO()
    torch.save(model.state_dict(), stream)
    stream.seek(0)
    other = DiffResNet(3, 2, n_blocks=2, step_size=0.5, n_steps=3)
    other.load_state_dict(torch.load(stream, weights_only=True))
    assert torch.equal(other(POINTS, OPERATOR), model(POINTS, OPERATOR))


def test_diffusion_has_no_state_so_that_old_weights_fit() -> None:
    plain = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))

    class WithDiffusion(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = plain
            self.diffusion = MiniBatchDiffusion(0.5, 2, n_top=5)

    assert set(WithDiffusion().state_dict()) == {f"layers.{name}" for name in plain.state_dict()}
    assert not Diffusion(0.5, 3).state_dict()


def test_whole_modules_survive_a_file_that_is_trusted() -> None:
    model, stream = make_model(), io.BytesIO()
    torch.save(model, stream)
    stream.seek(0)
    again = torch.load(stream, weights_only=False)
    assert torch.equal(again(POINTS, OPERATOR), model(POINTS, OPERATOR))


def test_mixed_precision() -> None:
    model = make_model()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        scores = model(POINTS, OPERATOR)
        loss = nn.functional.cross_entropy(scores.float(), torch.zeros(40, dtype=torch.long))
    loss.backward()
    assert torch.allclose(scores.float(), model(POINTS, OPERATOR), atol=0.05)
    assert all(one.grad is not None and one.grad.isfinite().all() for one in model.parameters())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_blocks_may_be_compiled_around_diffusion() -> None:
    model, points = make_model().eval(), POINTS
    wanted = model(points, OPERATOR)
    for block in model.blocks:
        block.compile(backend="aot_eager")  # "inductor" needs a compiler of C++
    assert torch.allclose(model(points, OPERATOR), wanted, atol=1e-5)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
def test_the_same_code_on_a_device() -> None:
    model = make_model().cuda()
    points = POINTS.cuda()
    operator = DiffusionOperator(build_weights(points, n_top=6))
    assert torch.allclose(model(points, operator).cpu(), make_model()(POINTS, OPERATOR), atol=1e-4)
