from collections.abc import Callable

import numpy as np
import pytest
import torch

from diffresnet._support import checks as _checks


def test_no_copy_where_none_is_needed() -> None:
    tensor = torch.zeros(3, 2)
    assert _checks.as_tensor("f", "x", tensor) is tensor
    array = np.zeros((3, 2))
    assert _checks.as_tensor("f", "x", array).data_ptr() == array.ctypes.data


def test_conversions() -> None:
    assert _checks.as_tensor("f", "x", np.array([True, False])).dtype == torch.float64
    integers = torch.tensor([1, 2])
    assert _checks.as_tensor("f", "x", integers, integers=torch.float32).dtype == torch.float32
    big_endian = np.array([1.0, 2.0], dtype=">f4")
    assert _checks.as_tensor("f", "x", big_endian).tolist() == [1, 2]


def test_counts_and_numbers() -> None:
    assert _checks.check_count("f", "n", np.int64(3), low=1) == 3
    assert _checks.check_real("f", "x", np.float32(0.5)) == 0.5
    assert _checks.check_real("f", "x", 0, zero=True) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: _checks.as_tensor("f", "x", np.array(["a"])),
            "f: `x` must be an array of real numbers, got an array of dtype <U1. "
            "Convert it to float32.",
        ),
        (
            lambda: _checks.as_tensor("f", "x", torch.zeros(2, dtype=torch.float16)),
            "f: `x` must be float32 or float64, got torch.float16. Convert it to float32.",
        ),
        (
            lambda: _checks.as_tensor("f", "x", torch.zeros(2, dtype=torch.complex64)),
            "f: `x` must be real, got torch.complex64. Take the real part.",
        ),
        (
            lambda: _checks.as_points("f", torch.eye(2).to_sparse()),
            "f: `points` must be a dense array, got a torch.sparse_coo tensor. "
            "Call `.to_dense()` on it.",
        ),
        (
            lambda: _checks.check_count("f", "n", True, low=0),
            "f: `n` must be an integer, got True. Pass a whole number.",
        ),
        (
            lambda: _checks.check_count("f", "n", -1, low=0),
            "f: `n` must be at least 0, got -1. Raise `n`.",
        ),
        (
            lambda: _checks.check_real("f", "x", "1"),  # type: ignore[arg-type]
            "f: `x` must be a finite positive number, got '1'. Pass a positive `x`.",
        ),
        (
            lambda: _checks.check_real("f", "x", float("nan"), zero=True),
            "f: `x` must be a finite number of at least 0, got nan. Pass a non-negative `x`.",
        ),
        (
            lambda: _checks.check_choice("f", "x", "c", ("a", "b")),
            "f: `x` must be one of 'a', 'b', got 'c'. Choose one of these.",
        ),
    ],
)
def test_messages(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match="must be") as error:
        call()
    assert str(error.value) == message


def test_a_refusal_stays_short_whatever_it_quotes() -> None:
    long = "b" * 10_000
    with pytest.raises(ValueError, match="must be") as caught:
        _checks.refuse(long, long, long, f"Give one for each of {[long]}, in order or by name.")
    assert len(str(caught.value)) < 4 * _checks.LONGEST_QUOTE + 50
    assert str(caught.value).endswith("in order or by name.")
