import pytest
import torch

from diffresnet.nodes.student import Student


@pytest.mark.parametrize("shape", [(30, 5), (6, 20)])
def test_is_ridge_regression(shape: tuple[int, int]) -> None:
    generator = torch.Generator().manual_seed(0)
    points = torch.randn(*shape, generator=generator)
    teacher = torch.randn(shape[0], 3, generator=generator).softmax(dim=1)
    mean, ridge = teacher.mean(dim=0), 0.02 * shape[0]
    solved = torch.linalg.solve(points.mT @ points + ridge * torch.eye(shape[1]), points.mT)
    expected = points @ solved @ (teacher - mean) + mean
    found = Student([points], ridge=0.02).learn(teacher)
    assert torch.allclose(found, expected, atol=1e-4)
    assert torch.allclose(found.sum(dim=1), torch.ones(shape[0]), atol=1e-5)


def test_several_channels_are_averaged() -> None:
    generator = torch.Generator().manual_seed(1)
    one, other = (torch.randn(12, 4, generator=generator) for _ in range(2))
    teacher = torch.randn(12, 3, generator=generator).softmax(dim=1)
    both = Student([one, other]).learn(teacher)
    apart = (Student([one]).learn(teacher) + Student([other]).learn(teacher)) / 2
    assert torch.allclose(both, apart, atol=1e-6)


def test_mix_is_half_and_half_and_finite() -> None:
    teacher = torch.eye(3)[torch.arange(9) % 3]
    student = Student([torch.zeros(9, 4)])  # says the mean of everything
    found = student.mix(teacher.log())
    assert torch.allclose(found.exp(), teacher / 2 + 1 / 6, atol=1e-5)
    found = student.mix(teacher.log(), 0.7)
    assert torch.allclose(found.exp(), 0.3 * teacher + 0.7 / 3, atol=1e-5)
    sure = Student([teacher]).mix(teacher.log())
    assert bool(sure.isfinite().all())
    assert torch.equal(sure.argmax(dim=1), torch.arange(9) % 3)
