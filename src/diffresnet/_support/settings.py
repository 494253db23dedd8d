"""Settings that say in the type of each field what it may be, and are checked by it."""

from dataclasses import fields
from functools import partial
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin

from diffresnet._support.checks import check_choice, check_count, check_probability, check_real

Count: TypeAlias = Annotated[int, partial(check_count, low=1)]
CountOrZero: TypeAlias = Annotated[int, partial(check_count, low=0)]
Several: TypeAlias = Annotated[int, partial(check_count, low=2)]
Positive: TypeAlias = Annotated[float, check_real]
NonNegative: TypeAlias = Annotated[float, partial(check_real, zero=True)]
Probability: TypeAlias = Annotated[float, check_probability]


def check_settings(settings: Any) -> None:
    """Check the fields of a dataclass: those of the types above, and choices (`Literal`).

    It is made for ``__post_init__ = check_settings``. None passes where the type has it.

    Raises:
        ValueError: if a field is not what its type says.
    """
    function = type(settings).__name__
    for field in fields(settings):
        value = getattr(settings, field.name)
        is_union = get_origin(field.type) in (Union, UnionType)
        kinds = get_args(field.type) if is_union else (field.type,)
        if NoneType in kinds and isinstance(value, NoneType):
            continue
        for kind in kinds:
            if get_origin(kind) is Literal:
                check_choice(function, field.name, value, get_args(kind))
            for check in getattr(kind, "__metadata__", ()):
                check(function, field.name, value)
