import numpy as np
import pytest

from diffresnet.nodes.masks import encode_split, masks_in


def test_a_split_is_one_part_a_node() -> None:
    train, test = np.array([True, False, False]), np.array([False, True, False])
    assert encode_split("f", {"train_mask": train, "test_mask": test}, 3).tolist() == [0, 2, -1]
    with pytest.raises(ValueError, match="apart from the other masks"):
        encode_split("f", {"train_mask": train, "test_mask": train}, 3)
    with pytest.raises(ValueError, match="of train_mask, val_mask, test_mask, got 'mask'"):
        encode_split("f", {"mask": train}, 3)
    with pytest.raises(ValueError, match=r"booleans of shape \(3,\)"):
        encode_split("f", {"train_mask": train[:2]}, 3)
    with pytest.raises(ValueError, match=r"or \(3, G\) for G splits, got shape \(3,\) of bool"):
        encode_split("f", {"train_mask": np.eye(2, 3, dtype=bool), "test_mask": test}, 3)


def test_names_in_files() -> None:
    arrays = {"train_masks": 1, "val_mask": 2, "val_masks": 3, "labels": 4}
    assert masks_in(arrays) == {"train_mask": 1, "val_mask": 2}
