import pytest
import torch

from diffresnet._support.threads import limited_threads
from diffresnet.graph import matrix as mx
from diffresnet.graph import product as _product
from diffresnet.graph.product import SharedProduct, column_blocks, product


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("n_columns", [1, 33, 200])
def test_product(dtype: torch.dtype, n_columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = torch.Generator().manual_seed(0)
    dense = torch.rand(50, 40, generator=generator, dtype=dtype)
    dense[dense < 0.8] = 0
    dense[7] = 0  # a row without entries
    starts = torch.cat([torch.zeros(1), (dense != 0).sum(dim=1).cumsum(dim=0)]).long()
    columns = dense.nonzero()[:, 1]
    matrix = mx.csr(starts, columns, dense[dense != 0], n_columns=40)
    x = torch.randn(40, n_columns, generator=generator, dtype=dtype)
    assert torch.allclose(product(matrix, x), dense @ x, atol=1e-6)
    monkeypatch.setattr(_product, "CACHED", 1)
    blocks = list(column_blocks(x))
    assert [block.shape[1] for block in blocks[:-1]] == [32] * (n_columns // 33)
    assert torch.equal(torch.cat(blocks, dim=1), x)


@pytest.mark.parametrize("n_columns", [1, 3])
def test_threads_share_the_rows(n_columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_product, "FEWEST_SHARED", 1)
    generator = torch.Generator().manual_seed(0)
    dense = torch.rand(23, 23, generator=generator)
    dense[dense < 0.7] = 0
    dense[5:9] = 0
    matrix, x = mx.to_csr(dense), torch.rand(23, n_columns, generator=generator)
    found: list[torch.Tensor] = []
    for n_jobs in (1, 2, 5):
        with limited_threads(n_jobs):
            found.append(SharedProduct(matrix)(x))
        assert torch.equal(found[-1], found[0])
    assert torch.allclose(found[0], dense @ x, atol=1e-6)
