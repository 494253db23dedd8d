"""Checks of what users pass in, and the one sentence with which each of them fails.

Every message names the function, the argument, what it must be, what it got, and one remedy.
"""

import math
import operator
from collections.abc import Sequence
from numbers import Real
from typing import Any, NoReturn, SupportsIndex, cast

import numpy as np
import numpy.typing as npt
import torch
from scipy import sparse
from torch import Tensor

from diffresnet._support.types import Array
from diffresnet._support.words import LONGEST_QUOTE, shortened

FLOAT_DTYPES = (torch.float32, torch.float64)


def fail(function: str, argument: str, must: str, got: object, remedy: str) -> NoReturn:
    """Raise the `ValueError` that every check of this package raises."""
    refuse(f"{function}: `{argument}`", must, got, remedy)


def refuse(what: str, must: str, got: object, remedy: str) -> NoReturn:
    """Raise the same sentence about something that is no argument: a file, an option."""
    what, must, quoted, remedy = (
        shortened(part, LONGEST_QUOTE) for part in (what, must, str(got), remedy)
    )
    raise ValueError(f"{what} must be {must}, got {quoted}. {remedy}")


def as_array(function: str, argument: str, given: object) -> npt.NDArray[Any]:
    """Return what a user gave as a numpy array."""
    try:
        return np.asarray(given)
    except ValueError:
        kind, remedy = "rows of different lengths", "Give every row as many numbers."
        fail(function, argument, "an array of numbers", kind, remedy)


def as_tensor(
    function: str, argument: str, array: Array, *, integers: torch.dtype = torch.float64
) -> Tensor:
    """Turn a torch or numpy array into a float32 or float64 tensor, without a copy where possible.

    Integers and booleans become `integers`, by default float64, which holds them exactly.
    """
    if isinstance(array, Tensor):
        tensor = array
    elif sparse.issparse(array):
        remedy = "Call `.toarray()` on it."
        fail(function, argument, "a dense array", f"a {type(array).__name__}", remedy)
    else:
        numbers = as_array(function, argument, array)
        if numbers.dtype.kind not in "fiub" or numbers.dtype.itemsize > 8:
            kind = f"an array of dtype {numbers.dtype}"
            fail(function, argument, "an array of real numbers", kind, "Convert it to float32.")
        if isinstance(array, list | tuple) and numbers.dtype.kind == "f":
            numbers = numbers.astype(np.float32 if integers == torch.float32 else np.float64)
        if not numbers.flags.writeable or any(stride < 0 for stride in numbers.strides):
            numbers = numbers.copy()
        tensor = torch.from_numpy(numbers.astype(numbers.dtype.newbyteorder("="), copy=False))
    if tensor.is_complex():
        fail(function, argument, "real", tensor.dtype, "Take the real part.")
    if not tensor.is_floating_point():
        return tensor.to(integers)
    if tensor.dtype not in FLOAT_DTYPES:
        fail(function, argument, "float32 or float64", tensor.dtype, "Convert it to float32.")
    return tensor


def as_points(function: str, points: Array) -> Tensor:
    """Return `points` as a finite tensor of shape (N, d) or (T, N, d), none of them zero."""
    tensor = as_tensor(function, "points", points)
    shape = tuple(tensor.shape)
    if tensor.layout != torch.strided:
        layout = f"a {tensor.layout} tensor"
        fail(function, "points", "a dense array", layout, "Call `.to_dense()` on it.")
    if tensor.ndim not in (2, 3):
        remedy = "For one feature a point use `points.reshape(-1, 1)`."
        fail(function, "points", "of shape (N, d) or (T, N, d)", f"shape {shape}", remedy)
    if tensor.numel() == 0:
        fail(function, "points", "non-empty", f"shape {shape}", "Pass at least one point.")
    least, largest = (float(extreme) for extreme in tensor.detach().aminmax())
    if not math.isfinite(largest - least):
        check_finite_rows(function, "points", tensor)
    limit = math.sqrt(torch.finfo(tensor.dtype).max / (4 * shape[-1]))
    if max(-least, largest) > limit:
        must = f"at most {limit:.2g} in size, so that squared distances stay finite"
        got = f"{max(-least, largest):.2g}"
        fail(function, "points", must, got, "Rescale the features.")
    return tensor


def check_finite_rows(function: str, argument: str, rows: Tensor) -> None:
    """Refuse NaN and infinity, naming the first rows that hold them."""
    bad = ~torch.isfinite(rows.detach()).all(dim=-1)
    if not bad.any():
        return
    where = bad.nonzero().squeeze(-1).tolist()
    named = ", ".join(str(tuple(row) if isinstance(row, list) else row) for row in where[:5])
    more = ", ..." if len(where) > 5 else ""
    got = f"NaN or infinity in {len(where)} row(s): {named}{more}"
    fail(function, argument, "finite", got, "Remove these rows or fill in the missing values.")


def check_count(
    function: str, argument: str, value: object, *, low: int, high: int | None = None, of: str = ""
) -> int:
    """Return `value` as an int between `low` and `high`; `of` says what `high` counts."""
    try:
        number = operator.index(cast("SupportsIndex", value))
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        fail(function, argument, "an integer", repr(value), "Pass a whole number.")
    if high is None and number < low:
        fail(function, argument, f"at least {low}", number, f"Raise `{argument}`.")
    if high is not None and not low <= number <= high:
        verb = "Raise" if number < low else "Lower"
        must = f"between {low} and {of} ({high})"
        fail(function, argument, must, number, f"{verb} `{argument}`.")
    return number


def check_real(
    function: str, argument: str, value: object, *, zero: bool = False, remedy: str = ""
) -> float:
    """Return `value` as a finite positive float; with `zero`, 0 passes too."""
    must = "a finite number of at least 0" if zero else "a finite positive number"
    remedy = remedy or f"Pass a {'non-negative' if zero else 'positive'} `{argument}`."
    if isinstance(value, bool) or not isinstance(value, Real):
        fail(function, argument, must, repr(value), remedy)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number) or number < 0 or (number == 0 and not zero):
        fail(function, argument, must, f"{number:g}", remedy)
    return number


def check_probability(function: str, argument: str, value: object) -> float:
    """Return `value` as a float of at least 0 and below 1."""
    number = check_real(function, argument, value, zero=True)
    if number >= 1:
        fail(function, argument, "below 1", f"{number:g}", f"Lower `{argument}`.")
    return number


def check_device(function: str, device: str, must: str, remedy: str) -> None:
    """Refuse a device that torch does not have, or that gives nothing back."""
    try:
        torch.empty(0, device=device).cpu()
    except (AssertionError, RuntimeError) as error:
        reason = str(error).splitlines()[0]
        fail(function, "device", must, f"'{device}' ({reason})", remedy)


def check_choice(function: str, argument: str, value: str, choices: Sequence[str]) -> None:
    """Refuse a `value` that is none of `choices`."""
    if value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        fail(function, argument, f"one of {listed}", repr(value), "Choose one of these.")
