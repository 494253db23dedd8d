import numpy as np
import pytest
import torch

from diffresnet.theory.grouped_points import check_grouped, split_groups


def test_groups_are_numbered_and_keep_their_names() -> None:
    rows, places, names = split_groups("f", torch.ones(3, 2), torch.tensor([7, -2, 7]))
    assert rows.dtype == np.float64
    assert places.tolist() == [1, 0, 1]
    assert names.tolist() == [-2, 7]


def test_what_is_no_group() -> None:
    with pytest.raises(ValueError, match="f: `kinds` must be 2 integers, one a point, got an arr"):
        check_grouped("f", torch.ones(2, 1), np.array(["a", "b"]), "kinds")
    with pytest.raises(ValueError, match="f: `subclasses` must be 2 integers, one a point, got t"):
        check_grouped("f", torch.ones(2, 1), torch.ones(2))
