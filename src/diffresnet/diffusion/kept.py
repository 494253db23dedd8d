"""Properties of an operator that are computed once, unless its weights are being learned."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

Value = TypeVar("Value")


def kept_if_constant(compute: Callable[[Any], Value]) -> Value:
    """Make a property of what has `weights`."""

    def get(self: Any) -> Value:
        if self.weights.requires_grad:
            return compute(self)
        kept, name = vars(self), f"kept {compute.__name__}"
        if name not in kept:
            kept[name] = compute(self)
        return kept[name]

    return cast("Value", property(get, doc=compute.__doc__))
