import pytest
import torch

from diffresnet.graph.smallest import N_GROUPED, smallest


@pytest.mark.parametrize("n_values", [5, N_GROUPED * 14, 1000])
@pytest.mark.parametrize("n_smallest", [1, 5])
def test_the_smallest_of_few_and_of_many(n_values: int, n_smallest: int) -> None:
    values = torch.randn(20, n_values, generator=torch.Generator().manual_seed(0))
    found = values.gather(1, smallest(values, n_smallest))
    assert torch.equal(found, values.sort(dim=1).values[:, :n_smallest])


def test_beyond_the_last_whole_group() -> None:
    values = torch.randn(20, 1000, generator=torch.Generator().manual_seed(0))
    values[:, 995:] = -5 - torch.arange(5.0)
    for n_smallest in (1, 7, 40):
        found = values.gather(1, smallest(values, n_smallest))
        assert torch.equal(found, values.sort(dim=1).values[:, :n_smallest])


def test_equal_and_infinite_values_are_named_once() -> None:
    values = torch.zeros(2, 1000)
    values[1] = torch.inf
    for row in smallest(values, 7).tolist():
        assert len(set(row)) == 7
