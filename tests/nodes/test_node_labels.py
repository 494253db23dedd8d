import numpy as np
import pytest

from diffresnet.nodes.node_labels import encode_labels, encode_split


@pytest.mark.parametrize(
    ("labels", "encoded", "names"),
    [
        ([3, -1, 7, 3], [0, -1, 1, 0], ("3", "7")),
        ([1.0, float("nan"), 0.0], [1, -1, 0], ("0", "1")),
        (["b", "", "a", None, -1], [1, -1, 0, -1, -1], ("a", "b")),
        (np.array(["x", "y"]), [0, 1], ("x", "y")),
        ([-1, -1], [-1, -1], ()),
    ],
)
def test_labels_become_numbers(labels: object, encoded: list[int], names: tuple[str, ...]) -> None:
    numbers, found = encode_labels("f", labels, None)
    assert (numbers.tolist(), found) == (encoded, names)


def test_numbers_of_named_classes_stay() -> None:
    numbers, names = encode_labels("f", np.array([2, -5, 0]), ["a", "b", "c"])
    assert (numbers.tolist(), names) == ([2, -1, 0], ("a", "b", "c"))
    with pytest.raises(ValueError, match="below 2, the number of `class_names`, got 2"):
        encode_labels("f", np.array([2]), ["a", "b"])


def test_a_split_is_one_part_a_node() -> None:
    train, test = np.array([True, False, False]), np.array([False, True, False])
    assert encode_split("f", {"train_mask": train, "test_mask": test}, 3).tolist() == [0, 2, -1]
    with pytest.raises(ValueError, match="apart from the other masks"):
        encode_split("f", {"train_mask": train, "test_mask": train}, 3)
    with pytest.raises(ValueError, match="of train_mask, val_mask, test_mask, got 'mask'"):
        encode_split("f", {"mask": train}, 3)
    with pytest.raises(ValueError, match=r"booleans of shape \(3,\)"):
        encode_split("f", {"train_mask": train[:2]}, 3)
