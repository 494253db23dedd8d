import pytest
import torch

from diffresnet.learning import row_blocks as _row_blocks
from diffresnet.learning.row_blocks import row_blocks, sum_blocks, usual_blocks

FEATURES = torch.arange(30.0).reshape(10, 3)


@pytest.mark.parametrize("size", [1, 9, 2**18])
def test_blocks_are_all_rows_in_order(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_row_blocks, "BLOCK", size)
    assert torch.equal(torch.cat(list(row_blocks(FEATURES))), FEATURES)
    assert all(block.shape[0] > 0 for block in row_blocks(FEATURES))
    is_out = torch.isin(torch.arange(10), torch.tensor([0, 4, 9]))
    usual = list(usual_blocks(FEATURES, is_out))
    assert torch.equal(torch.cat(usual), FEATURES[~is_out])
    assert all(block.shape[0] > 0 for block in usual)


def test_sum_of_blocks() -> None:
    parts = (block.sum(dim=0) for block in FEATURES.split(4))
    assert torch.equal(sum_blocks(parts), FEATURES.sum(dim=0))


def test_no_rows() -> None:
    assert [block.shape for block in row_blocks(FEATURES[:0])] == [(0, 3)]
