import io

import pytest
import torch
from torch import Tensor

from diffresnet import DiffusionOperator, build_weights
from diffresnet.nn import DiffResNet
from diffresnet.nn.residual_block import one_layer

DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]


def make_problem() -> tuple[Tensor, DiffusionOperator]:
    points = torch.randn(20, 3, generator=torch.Generator().manual_seed(0))
    return points, DiffusionOperator(build_weights(points, 5))


def test_is_algorithm_1() -> None:
    points, operator = make_problem()
    model = DiffResNet(3, 4, n_blocks=2, step_size=0.5, n_steps=6)
    x = points
    for block in model.blocks:
        x = operator.diffuse(block(x), 0.5, 6)
    torch.testing.assert_close(model.features(points, operator), x)
    torch.testing.assert_close(model(points, operator), model.classifier(x))


def test_the_paper_has_18_parameters() -> None:
    model = DiffResNet(2, 2, step_size=1.0, n_steps=60)
    assert sum(parameter.numel() for parameter in model.parameters()) == 18


def test_without_steps_it_is_a_plain_residual_network() -> None:
    points, operator = make_problem()
    model = DiffResNet(3, 2, step_size=0.5, n_steps=0)
    expected = model.classifier(model.blocks[0](points))
    assert torch.equal(model(points), expected)
    assert torch.equal(model(points, operator), expected)


def test_blocks_for_graphs() -> None:
    model = DiffResNet(3, 2, step_size=0.5, n_steps=1, make_inner=one_layer)
    assert sum(parameter.numel() for parameter in model.parameters()) == 12 + 8


@pytest.mark.parametrize("device", DEVICES)
def test_a_model_saved_and_loaded_predicts_the_same(device: str) -> None:
    points, operator = make_problem()
    points, operator = points.to(device), operator.to(device)
    model, other = (DiffResNet(3, 2, step_size=0.5, n_steps=4).to(device) for _ in range(2))
    file = io.BytesIO()
    torch.save(model.state_dict(), file)
    file.seek(0)
    other.load_state_dict(torch.load(file))
    assert torch.equal(model(points, operator), other(points, operator))


def test_gradients() -> None:
    points, operator = make_problem()
    model = DiffResNet(3, 2, n_blocks=2, step_size=0.5, n_steps=4).double()
    x = points[:6].double().requires_grad_()
    small = DiffusionOperator(build_weights(x.detach(), 3))

    def forward(y: Tensor) -> Tensor:
        return model(y, small)

    assert torch.autograd.gradcheck(forward, (x,))
    assert operator.n_points == 20


def test_bad_input() -> None:
    points, _ = make_problem()
    model = DiffResNet(3, 2, step_size=0.5, n_steps=1)
    with pytest.raises(ValueError, match="DiffResNet: `operator` must be a DiffusionOperator, got"):
        model(points)
    with pytest.raises(ValueError, match="DiffResNet: `n_classes` must be at least 1, got 0"):
        DiffResNet(3, 0, step_size=0.5, n_steps=1)


def test_points_of_other_features() -> None:
    for n_blocks in (0, 1):
        model = DiffResNet(2, 3, n_blocks, step_size=0.0, n_steps=0)
        for shape in ((5, 4), ()):
            with pytest.raises(ValueError, match="`x` must be points of 2 features, got shape"):
                model(torch.zeros(shape))
