from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from diffresnet.fewshot import FeatureBank
from tests.fewshot.examples import random_bank

FEATURES = np.arange(12.0).reshape(6, 2)
LABELS = np.array([0, 1, 0, 2, 2, 1])


def test_numbers_and_texts_as_labels() -> None:
    for labels in (LABELS, LABELS * 10 - 7, np.array(["ant", "bee", "ant", "cat", "cat", "bee"])):
        bank = FeatureBank.from_arrays(FEATURES, labels)
        assert bank.labels.tolist() == LABELS.tolist()
        assert bank.class_names == tuple(str(label) for label in np.unique(labels))
        assert bank.features.tolist() == FEATURES.tolist()
        assert bank.split_names == ()


def test_names_of_classes_that_do_not_all_occur() -> None:
    names = ["zero", "one", "two", "three", "four"]
    bank = FeatureBank.from_arrays(FEATURES, np.array([4, 1, 4, 3, 3, 1]), class_names=names)
    assert bank.class_names == ("one", "three", "four")
    assert bank.labels.tolist() == [2, 0, 2, 1, 1, 0]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (np.float16, torch.float32),
        (np.float32, torch.float32),
        (np.float64, torch.float64),
        (np.uint8, torch.float32),
        (np.int64, torch.float32),
    ],
)
def test_kinds_of_numbers(given: type[np.generic], kept: torch.dtype) -> None:
    bank = FeatureBank.from_arrays(FEATURES.astype(given), LABELS)
    assert bank.features.dtype == kept
    assert bank.features.tolist() == FEATURES.tolist()


def test_what_an_example_has_is_flattened() -> None:
    bank = FeatureBank.from_arrays(np.arange(24.0).reshape(6, 2, 2), LABELS)
    assert bank.features.tolist() == np.arange(24.0).reshape(6, 4).tolist()


def test_given_arrays_are_not_shared() -> None:
    features = FEATURES.copy()
    bank = FeatureBank.from_arrays(features, LABELS)
    features[:] = 0
    assert bank.features.tolist() == FEATURES.tolist()


def test_rows() -> None:
    splits = np.array(["train", "val", "train", "test", "val", "test"])
    bank = FeatureBank.from_arrays(FEATURES, LABELS, splits=splits)
    assert bank.split_names == ("test", "train", "val")
    assert bank.rows().tolist() == [0, 1, 2, 3, 4, 5]
    assert bank.rows("val").tolist() == [1, 4]
    by_class = {label: rows.tolist() for label, rows in bank.rows_by_class().items()}
    assert by_class == {0: [0, 2], 1: [1, 5], 2: [3, 4]}
    by_class = {label: rows.tolist() for label, rows in bank.rows_by_class("val").items()}
    assert by_class == {1: [1], 2: [4]}


def test_base_mean() -> None:
    splits = np.array(["a", "b", "a", "b", "b", "b"])
    for name in ("train", "base"):
        named = np.where(splits == "a", name, "test")
        bank = FeatureBank.from_arrays(FEATURES, LABELS, splits=named)
        assert bank.base_mean().tolist() == FEATURES[[0, 2]].mean(axis=0).tolist()
    for given in (splits, None):
        bank = FeatureBank.from_arrays(FEATURES, LABELS, splits=given)
        assert bank.base_mean().tolist() == FEATURES.mean(axis=0).tolist()


def test_load(tmp_path: Path) -> None:
    path = tmp_path / "bank.npz"
    np.savez(path, features=FEATURES, labels=LABELS)
    bank = FeatureBank.load(path)
    assert bank.features.tolist() == FEATURES.tolist()
    assert bank.class_names == ("0", "1", "2")
    splits = np.array(["train"] * 4 + ["test"] * 2)
    np.savez(
        path, features=FEATURES, labels=LABELS, split=splits, classes=np.array(["a", "b", "c"])
    )
    bank = FeatureBank.load(str(path))
    assert bank.class_names == ("a", "b", "c")
    assert bank.rows("test").tolist() == [4, 5]


def test_load_takes_columns(tmp_path: Path) -> None:
    path = tmp_path / "bank.npz"
    column = np.array(["train"] * 4 + ["test"] * 2).reshape(6, 1)
    np.savez(path, features=FEATURES, labels=LABELS.reshape(6, 1), split=column)
    assert FeatureBank.load(path).rows("test").tolist() == [4, 5]
    assert FeatureBank.load(path).labels.tolist() == LABELS.tolist()


@pytest.mark.parametrize("content", [b"", b"text", b"PK\x03\x04", b"\x93NUMPY"])
def test_load_refuses_what_is_not_a_bank(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bank.npz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"must be a \.npz or \.npy file of plain") as error:
        FeatureBank.load(path)
    assert str(error.value).startswith(
        f"FeatureBank: `path` must be a .npz or .npy file of plain arrays, got {path} ("
    )
    assert str(error.value).endswith("Write it again, with texts as texts.")


def test_load_refuses_a_single_array_and_objects(tmp_path: Path) -> None:
    np.save(tmp_path / "bank.npy", FEATURES)
    with pytest.raises(ValueError, match=r"`path` must be a file with `features` and"):
        FeatureBank.load(tmp_path / "bank.npy")
    path = tmp_path / "bank.npz"
    np.savez(path, features=FEATURES, labels=np.array(list("aabbcc"), dtype=object))
    with pytest.raises(ValueError, match=r"must be a \.npz or \.npy file of plain arrays, got"):
        FeatureBank.load(path)


def test_load_says_what_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "bank.npz"
    np.savez(path, x=FEATURES, labels=LABELS)
    with pytest.raises(ValueError, match="must be") as error:
        FeatureBank.load(path)
    assert str(error.value) == (
        "FeatureBank: `path` must be a file with `features` and `labels`, "
        f"got {path}, which has labels, x. Add features."
    )
    with pytest.raises(FileNotFoundError, match=r"There is no file .*nowhere\.npz\."):
        FeatureBank.load(tmp_path / "nowhere.npz")


def test_class_split_deals_out_whole_classes() -> None:
    labels = np.arange(200) % 20
    bank = FeatureBank.from_arrays(np.ones((200, 1)), labels)
    divided = bank.with_class_split(10, 4, seed=3)
    classes = {name: set(divided.rows_by_class(name)) for name in divided.split_names}
    assert {name: len(some) for name, some in classes.items()} == {"test": 6, "train": 10, "val": 4}
    assert set.union(*classes.values()) == set(range(20))
    assert sum(map(len, classes.values())) == 20
    assert bank.split_names == ()
    again, other = bank.with_class_split(10, 4, seed=3), bank.with_class_split(10, 4, seed=4)
    assert (again.splits == divided.splits).all()
    assert (other.splits != divided.splits).any()
    assert bank.with_class_split(10, 0).split_names == ("test", "train")


def nan_features() -> torch.Tensor:
    features = torch.ones(9, 2)
    features[4, 1], features[7, 0] = torch.nan, torch.inf
    return features


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: FeatureBank(nan_features(), torch.zeros(9, dtype=torch.int64), ("a",)),
            "FeatureBank: `features` must be finite, got NaN or infinity in 2 row(s): 4, 7. "
            "Remove these rows or fill in the missing values.",
        ),
        (
            lambda: FeatureBank.from_arrays(nan_features().numpy(), np.zeros(9)),
            "FeatureBank: `features` must be finite, got NaN or infinity in 2 row(s): 4, 7. "
            "Remove these rows or fill in the missing values.",
        ),
        (
            lambda: FeatureBank(torch.ones(3), torch.zeros(3, dtype=torch.int64), ("a",)),
            "FeatureBank: `features` must be of shape (n, d), not empty, got shape (3,). "
            "Flatten what each example has.",
        ),
        (
            lambda: FeatureBank.from_arrays(np.empty((0, 5)), np.empty(0)),
            "FeatureBank: `features` must be numbers of shape (n, d), not empty, "
            "got shape (0, 5) of dtype float64. Pass one row of numbers an example.",
        ),
        (
            lambda: FeatureBank.from_arrays(np.ones(3), np.zeros(3)),
            "FeatureBank: `features` must be numbers of shape (n, d), not empty, "
            "got shape (3,) of dtype float64. Pass one row of numbers an example.",
        ),
        (
            lambda: FeatureBank.from_arrays(np.array([["a"]]), np.zeros(1)),
            "FeatureBank: `features` must be numbers of shape (n, d), not empty, "
            "got shape (1, 1) of dtype <U1. Pass one row of numbers an example.",
        ),
        (
            lambda: FeatureBank(torch.ones(3, 2).long(), torch.zeros(3).long(), ("a",)),
            "FeatureBank: `features` must be float32 or float64, got torch.int64. "
            "Convert them to float32.",
        ),
        (
            lambda: FeatureBank.from_arrays(FEATURES, LABELS[:4]),
            "FeatureBank: `labels` must be one for each of 6 rows, got shape (4,). "
            "Pass one label a row of `features`.",
        ),
        (
            lambda: FeatureBank.from_arrays(FEATURES, LABELS[:0], class_names=["a"]),
            "FeatureBank: `labels` must be one for each of 6 rows, got shape (0,). "
            "Pass one label a row of `features`.",
        ),
        (
            lambda: FeatureBank(torch.ones(3, 2), torch.zeros(2, dtype=torch.int64), ("a",)),
            "FeatureBank: `labels` must be one for each of 3 rows, got shape (2,). "
            "Pass one label a row of `features`.",
        ),
        (
            lambda: FeatureBank(torch.ones(3, 2), torch.tensor([0, 1, 2]), ("a", "b")),
            "FeatureBank: `labels` must be integers below the number of classes (2), got 0 to 2. "
            "Name every class in `class_names`.",
        ),
        (
            lambda: FeatureBank(torch.ones(3, 2), torch.tensor([0, -1, 1]), ("a", "b")),
            "FeatureBank: `labels` must be integers below the number of classes (2), got -1 to 1. "
            "Name every class in `class_names`.",
        ),
        (
            lambda: FeatureBank.from_arrays(FEATURES, LABELS, splits=np.array(["a"])),
            "FeatureBank: `splits` must be one for each of 6 rows, got 1. "
            "Pass one split a row of `features`.",
        ),
        (
            lambda: FeatureBank.from_arrays(FEATURES, LABELS, class_names=["a", "b"]),
            "FeatureBank: `labels` must be numbers below the number of class names (2), got 0 to "
            "2. Name every class, or none.",
        ),
        (
            lambda: FeatureBank.from_arrays(FEATURES, LABELS - 2, class_names=["a", "b", "c"]),
            "FeatureBank: `labels` must be numbers below the number of class names (3), got -2 to "
            "0. Name every class, or none.",
        ),
        (
            lambda: FeatureBank.from_arrays(
                FEATURES, np.array(list("aabbcc")), class_names=["a", "b", "c"]
            ),
            "FeatureBank: `labels` must be numbers below the number of class names (3), got a to "
            "c. Name every class, or none.",
        ),
        (
            lambda: FeatureBank.from_arrays(FEATURES, LABELS).rows("test"),
            "FeatureBank: `split` must be one of none, the bank has none, got 'test'. "
            "Choose one of these, or no split for all examples.",
        ),
        (
            lambda: FeatureBank.from_arrays(
                FEATURES, LABELS, splits=np.array(["val", "test"] * 3)
            ).rows_by_class("train"),
            "FeatureBank: `split` must be one of 'test', 'val', got 'train'. "
            "Choose one of these, or no split for all examples.",
        ),
        (
            lambda: FeatureBank.from_arrays(FEATURES, LABELS).with_class_split(2, 1),
            "with_class_split: `n_base` must be fewer, with `n_validation`, than there are "
            "classes (3), got 2 and 1. Leave some classes for testing.",
        ),
        (
            lambda: FeatureBank.from_arrays(FEATURES, LABELS).with_class_split(0, 1),
            "with_class_split: `n_base` must be at least 1, got 0. Raise `n_base`.",
        ),
        (
            lambda: FeatureBank.from_arrays(FEATURES, LABELS).with_class_split(1, -1),
            "with_class_split: `n_validation` must be at least 0, got -1. Raise `n_validation`.",
        ),
    ],
)
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match="must be") as error:
        call()
    assert str(error.value) == message


def test_digest_is_of_the_content() -> None:
    bank = random_bank()
    same = replace(bank, features=bank.features.clone())
    assert same.digest == bank.digest
    changed = bank.features.clone()
    changed[0, 0] += 1
    others = [replace(bank, features=changed), replace(bank, labels=bank.labels.flip(0))]
    others.append(bank.with_class_split(2, 1))
    assert len({bank.digest, *(other.digest for other in others)}) == 4


def test_rows_without_a_label_are_left_out() -> None:
    splits = np.array(["a", "b", "c", "d", "e", "f"])
    bank = FeatureBank.from_arrays(FEATURES, np.array(["x", "", "y", " ", "x", "y"]), splits=splits)
    assert bank.class_names == ("x", "y")
    assert bank.splits.tolist() == ["a", "c", "e", "f"]
    assert bank.features.tolist() == FEATURES[[0, 2, 4, 5]].tolist()
    assert len(FeatureBank.from_arrays(FEATURES, np.array([0, 1, -1, -1, 0, 1])).features) == 4
    with pytest.raises(ValueError, match="FeatureBank: `labels` must be given for some rows, got"):
        FeatureBank.from_arrays(FEATURES, np.full(6, -1))


def test_splits_of_another_number_are_refused_before_texts_are_made() -> None:
    with pytest.raises(ValueError, match=r"`splits` must be one for each of 2 rows, got 9000000"):
        FeatureBank.from_arrays(np.eye(2), np.arange(2), splits=np.zeros(9_000_000))


def test_numbers_that_are_too_large_are_refused_without_a_warning() -> None:
    features = np.full((4, 2), np.longdouble(10) ** 4000)
    with pytest.raises(ValueError, match=r"`features` must be finite"):
        FeatureBank.from_arrays(features, np.array([0, 0, 1, 1]))
