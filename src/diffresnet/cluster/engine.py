"""What runs the work: three verbs, in this process or on a cluster.

Everything that knows mathematics is plain functions and classes; an engine says where they run.
`map` calls a function on many items, `start` makes objects that stay where they are, and `call`
calls a method of all of them. What one object has for another is a parcel: the engine carries it
there, and whoever calls never looks inside.
"""

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any, Protocol, TypeAlias, TypeVar

Result = TypeVar("Result")

Parcel = Any
"""Something on its way from one object to another."""

Handles: TypeAlias = Sequence[Any]
"""Of objects that were started."""

Items: TypeAlias = Iterable[tuple[Any, ...]]
"""The arguments of each call, asked for one by one."""


class WorkerLostError(RuntimeError):
    """An object is gone: its process or its machine has died. It can be started again."""


class Engine(Protocol):
    """What runs the work."""

    @property
    def n_workers(self) -> int:
        """How many items are worked on at a time."""
        ...

    def map(self, function: Callable[..., Result], items: Items) -> list[Result]:
        """Return function(*item) of every item, in their order.

        The function depends on its arguments and on files alone: after a worker has died, it is
        called again.
        """
        ...

    def start(self, make: Callable[..., Any], items: Items) -> list[Any]:
        """Return handles of the objects make(*item)."""
        ...

    def call(self, handles: Handles, method: str, items: Items, n_parcels: int = 0) -> list[Any]:
        """Return what a method of every object returns, each called with an item of its own.

        Args:
            handles: of the objects.
            method: its name; with a dot, that of a part of the object.
            items: the arguments; parcels among them are opened on the way.
            n_parcels: if not 0, the method returns a value and this number of things for others;
                these come back as parcels, beside the value.

        Raises:
            WorkerLostError: if an object is gone.
        """
        ...

    def stop(self, handles: Handles) -> None:
        """Let objects go."""
        ...


class InProcess:
    """The engine that does everything here, one after the other."""

    n_workers = 1

    def map(self, function: Callable[..., Result], items: Items) -> list[Result]:
        """Call the function on every item."""
        return [function(*item) for item in items]

    def start(self, make: Callable[..., Any], items: Items) -> list[Any]:
        """Make the objects."""
        return [make(*item) for item in items]

    def call(self, handles: Handles, method: str, items: Items, n_parcels: int = 0) -> list[Any]:
        """Call the method of every object; parcels are the things themselves."""
        del n_parcels
        pairs = zip(handles, items, strict=True)
        return [attrgetter(method)(one)(*item) for one, item in pairs]

    def stop(self, handles: Handles) -> None:
        """Do nothing: objects go when nobody refers to them."""
        del handles
