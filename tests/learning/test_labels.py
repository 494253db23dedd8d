import time
from typing import Any

import numpy as np
import pytest
import torch

from diffresnet.learning.labels import (
    UNLABELED,
    Labels,
    encode_labels,
    is_missing,
    name_classes,
)
from tests.estimators.parts.examples import labels


@pytest.mark.parametrize(
    ("labels", "codes", "classes"),
    [
        ([3, -1, 5, 3], [0, -1, 1, 0], [3, 5]),
        (["b", "", None, "a"], [1, -1, -1, 0], ["a", "b"]),
        ([1.0, float("nan"), 0.0], [1, -1, 0], [0.0, 1.0]),
        (np.array([True, False, True]), [1, 0, 1], [False, True]),
        (np.array(["x", float("nan"), "y"], dtype=object), [0, -1, 1], ["x", "y"]),
        (np.array([2, None, -1, 4], dtype=object), [0, -1, -1, 1], [2, 4]),
        (["a", float("nan"), "b", " "], [0, -1, 1, -1], ["a", "b"]),
        (["a", -1, "b"], [0, -1, 1], ["a", "b"]),
        (["-1", "1", "NA", "-2"], [-1, 1, -1, 0], ["-2", "1"]),
        ([-5, -1, 2], [0, -1, 1], [-5, 2]),
        (["", None], [-1, -1], []),
    ],
)
def test_missing_ones_are_found(labels: Any, codes: list[int], classes: list[Any]) -> None:
    found, names = encode_labels("f", "y", labels)
    assert found.tolist() == codes
    assert names.tolist() == classes


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (
            [["a", "b"]],
            "DiffResNetClassifier.fit: `y` must be one-dimensional, got shape (1, 2). Give one "
            "label, or a missing one, for each point.",
        ),
        (
            [1.0, float("inf")],
            "DiffResNetClassifier.fit: `y` must be labels, got an infinite number. Replace inf by "
            "a class, or by -1 for no label.",
        ),
        (
            [0.5, 1.0],
            "DiffResNetClassifier.fit: `y` must be labels, got fractions (Unknown label type: "
            "continuous). Pass classes, not quantities.",
        ),
    ],
)
def test_bad_labels(labels: Any, message: str) -> None:
    with pytest.raises(ValueError, match="must be") as error:
        encode_labels("DiffResNetClassifier.fit", "y", labels)
    assert str(error.value) == message


def test_many_classes_of_one_label_each() -> None:
    codes, classes = encode_labels("f", "y", [*range(30), -1])
    assert len(classes) == 30
    assert codes[-1] == -1


def test_folds_leave_every_label_out_once_and_none_of_a_class_alone() -> None:
    several = labels(5)
    alone = Labels(torch.cat([several.rows, torch.tensor([119])]), torch.tensor([0] * 15 + [1]), 2)
    for given in (several, alone):
        left: list[int] = []
        for fewer, out in given.folds(5, torch.Generator().manual_seed(0)):
            assert bool((fewer.counts > 0).all())
            assert len(fewer.rows) + int(out.sum()) == len(given.rows)
            left += given.rows[out].tolist()
        assert sorted(left) == several.rows.tolist()


def test_names_of_classes() -> None:
    assert name_classes("f", "y", np.array([0.0, 2.0]), None) == ("0", "2")
    assert name_classes("f", "y", np.array([0, 2]), ["a", "b", "c"]) == ("a", "c")
    assert name_classes("f", "y", np.array([]), ["a"]) == ()
    message = (
        r"f: `y` must be numbers below the number of class names \(2\), got 0 to 2. Name every"
    )
    with pytest.raises(ValueError, match=message):
        name_classes("f", "y", np.array([0, 2]), ["a", "b"])
    with pytest.raises(ValueError, match="got -5 to 1"):
        name_classes("f", "y", np.array([-5, 1]), ["a", "b"])


def test_booleans_are_classes() -> None:
    assert not is_missing(False)
    assert not is_missing(np.str_("x"))


def test_a_long_name_is_not_repeated() -> None:
    names = ["x" * 10**6, *("y" for _ in range(10**4))]  # 40 GB as an array of texts
    codes, classes = encode_labels("f", "y", names)
    assert codes.tolist() == [0] + [1] * 10**4
    assert classes.dtype == object
    assert classes.tolist() == [names[0], "y"]


def test_numbers_are_missing_as_they_are_one_by_one() -> None:
    for values in ([0.0, -1.0, np.nan, 2.0], [3, -1, 0], [True, False]):
        for dtype in ("f2", "f4", "f8") if isinstance(values[0], float) else ("O", None):
            array = np.array(values, dtype=dtype)
            expected = [is_missing(value) for value in array.tolist()]
            assert (encode_labels("fit", "y", array)[0] == UNLABELED).tolist() == expected
    assert encode_labels("fit", "y", np.array([255, 0], np.uint8))[0].tolist() == [1, 0]


def test_rows_of_different_lengths() -> None:
    with pytest.raises(ValueError, match="f: `y` must be an array of numbers, got rows of differ"):
        encode_labels("f", "y", [0, "", [1]])


def test_labels_without_an_order() -> None:
    with pytest.raises(ValueError, match="labels that are text or numbers, got some that have no"):
        encode_labels("f", "y", [True, {}, None])


def test_huge_numbers_name_no_class() -> None:
    with pytest.raises(ValueError, match="must be"):
        name_classes("f", "classes", np.array([0.0, 1e300]), ["a", "b"])


def test_complex_numbers_are_no_classes() -> None:
    with pytest.raises(ValueError, match=r"got complex numbers \(Complex data not supported\)"):
        encode_labels("f", "y", np.array([1j, 2 + 1j, 1j]))


def test_several_labels_of_a_point() -> None:
    several = np.empty(2, dtype=object)
    several[:] = [[1, 2], [3, 4]]
    with pytest.raises(ValueError, match="`y` must be one label for each point, got several"):
        encode_labels("f", "y", several)


def test_integers_beyond_64_bits_are_classes() -> None:
    encoded, classes = encode_labels("f", "y", [10**25, 10**26, -1, 10**25])
    assert encoded.tolist() == [0, 1, -1, 0]
    assert classes.tolist() == [10**25, 10**26]


def test_a_million_labels() -> None:
    labels = ["cat", "", "dog", None, "NA"] * 200_000
    for given in (labels, np.array([label or "" for label in labels])):
        begin = time.process_time()
        encoded, classes = encode_labels("f", "y", given)
        assert time.process_time() - begin < 3
        assert encoded[:7].tolist() == [0, -1, 1, -1, -1, 0, -1]
        assert classes.tolist() == ["cat", "dog"]


def test_bytes_follow_the_rule_of_texts() -> None:
    encoded, classes = encode_labels("fit", "y", np.array([b"a", b"", b"NA", b"b"]))
    assert encoded.tolist() == [0, -1, -1, 1]
    assert classes.tolist() == [b"a", b"b"]


def test_what_is_masked_has_no_label() -> None:
    numbers = np.ma.masked_array([3, 5, 3, 7], mask=[False, False, True, True])
    encoded, classes = encode_labels("fit", "y", numbers)
    assert encoded.tolist() == [0, 1, -1, -1]
    assert classes.tolist() == [3, 5]
    texts = np.ma.masked_array(["cat", "dog", "x"], mask=[False, False, True])
    assert encode_labels("fit", "y", texts)[0].tolist() == [0, 1, -1]
    none = np.ma.masked_array([1, 2])
    assert encode_labels("fit", "y", none)[0].tolist() == [0, 1]
