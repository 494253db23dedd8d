"""The engine on a Ray cluster: one that runs already, or one on this machine for the occasion.

What is started here listens on the loopback address only, without a dashboard, and reports no
usage statistics. Whoever reaches a Ray cluster runs any code there: see `docs/guides/cluster.md`.
"""

import os
import socket
import sys
import warnings
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from itertools import islice
from operator import attrgetter
from typing import Any, TypeVar

import diffresnet
from diffresnet._support.allocation import return_freed_memory
from diffresnet._support.checks import fail
from diffresnet._support.extras import needs_extra
from diffresnet._support.words import reason_of
from diffresnet.cluster.engine import Handles, Items, WorkerLostError
from diffresnet.measuring.runs import run_elsewhere

Result = TypeVar("Result")

LISTENS_OUTSIDE = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
"""Of Ray: without it, as on macOS and Windows, a new cluster has the address 127.0.0.1."""
AUTO = "auto"
START = "Start one by `ray start --head`, or leave it to auto."
PROVE = "If it asks for a token, set RAY_AUTH_MODE=token and copy ~/.ray/auth_token of its head."
SECONDS = 5.0
"""That an address has to answer."""
RETRIES = 5
"""Workers that may die under one item."""
STORE = 2**29
"""Bytes of the memory that processes of a machine share, for parcels."""


def _apply(function: Callable[..., Result], *item: Any) -> Result:
    return_freed_memory()
    return function(*item)


class Host:
    """An object that lives in a process of its own.

    Args:
        make: makes the object.
        item: what of.
    """

    def __init__(self, make: Callable[..., Any], item: tuple[Any, ...]) -> None:
        return_freed_memory()
        self.held = make(*item)

    def run(self, method: str, *item: Any) -> Any:
        """Call a method."""
        return attrgetter(method)(self.held)(*item)

    def run_parcels(self, method: str, *item: Any) -> tuple[Any, ...]:
        """Call a method that has things for others; each is a value of its own."""
        value, parcels = attrgetter(method)(self.held)(*item)
        return (value, *parcels)


class RayEngine:
    """Work on a Ray cluster; see `connected`."""

    def __init__(self, ray: Any) -> None:
        self.ray, self.n_at_once = ray, 1

    @property
    def n_workers(self) -> int:
        """The number of processors of the cluster."""
        return max(1, int(self.ray.cluster_resources().get("CPU", 1)))

    def map(self, function: Callable[..., Result], items: Items) -> list[Result]:
        """Call the function on every item, where there is room."""
        remote = self.ray.remote(_apply).options(max_retries=RETRIES, num_cpus=1)
        shared = self.ray.put(function)  # once, whatever it has bound
        started = [remote.remote(shared, *item) for item in items]
        try:
            return self._get(started)
        except WorkerLostError as error:
            reason, remedy = str(error).strip().splitlines()[0], "Give workers more memory."
            fail("classify", "cluster", "one whose workers live", reason, remedy)
        # Others go on after a failure until this process leaves the cluster. They are not canceled:
        # Ray ends a process that cancels a task in the moment in which it is done.

    def start(self, make: Callable[..., Any], items: Items) -> list[Any]:
        """Make the objects, each in a process of its own; those that follow each other are near."""
        # Room is never waited for: once a node is lost, there may be fewer processors than objects.
        host, items, nodes = self.ray.remote(Host), list(items), self.ray.nodes()
        self.n_at_once = self.n_workers
        near = self.ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
        made: list[Any] = []
        places = place_evenly([_processors(one) for one in nodes], len(items))
        for place, item in zip(places, items, strict=True):
            # Ray takes any node if this is a wish only; one that is gone since counts as lost.
            where = near(nodes[place]["NodeID"], soft=False)
            options = host.options(num_cpus=0, scheduling_strategy=where)
            made.append(options.remote(make, item))
        return made

    def call(self, handles: Handles, method: str, items: Items, n_parcels: int = 0) -> list[Any]:
        """Call the method of every object, as many at once as there are processors.

        Parcels are references.
        """
        found, running = list[list[Any]](), list[Any]()
        for one, item in zip(handles, items, strict=True):
            if len(running) >= self.n_at_once:
                _, running = self.ray.wait(running)
            if n_parcels:
                run = one.run_parcels.options(num_returns=1 + n_parcels)
                found.append(run.remote(method, *item))
            else:
                found.append([one.run.remote(method, *item)])
            running.append(found[-1][0])
        values = self._get([one[0] for one in found])
        if not n_parcels:
            return values
        return [(value, one[1:]) for value, one in zip(values, found, strict=True)]

    def stop(self, handles: Handles) -> None:
        """End the processes."""
        for one in handles:
            self.ray.kill(one)

    def as_they_end(self, function: Callable[..., Result], items: Items) -> Generator[Result]:
        """Yield function(*item) of every item, in any order; some are on their way at a time.

        What follows itself in the same place of items is sent once.
        """
        remote = self.ray.remote(_apply).options(max_retries=RETRIES, num_cpus=1)
        waiting, left, before, sent = [], iter(items), {}, {}
        while True:
            for item in islice(left, 2 * self.n_workers - len(waiting)):
                for place, one in enumerate(item):
                    if before.get(place) is one and place not in sent:
                        sent[place] = self.ray.put(one)
                    elif before.get(place) is not one:
                        sent.pop(place, None)
                before = dict(enumerate(item))
                given = (sent.get(place, one) for place, one in before.items())
                waiting.append(remote.remote(function, *given))
            if not waiting:
                return
            ended, waiting = self.ray.wait(waiting)
            yield from self._get(ended)

    def _get(self, references: list[Any]) -> list[Any]:
        errors = self.ray.exceptions
        try:
            return self.ray.get(references)
        except errors.RayTaskError as error:
            cause = error.cause
            if isinstance(cause, errors.RayError):
                raise WorkerLostError(str(cause)) from error
            raise (cause if isinstance(cause, Exception) else error) from None
        except errors.RayError as error:
            raise WorkerLostError(str(error)) from error


def _processors(node: dict[str, Any]) -> int:
    return int(node["Resources"].get("CPU", 0)) if node["Alive"] else 0


def place_evenly(sizes: Sequence[int], n_items: int) -> list[int]:
    """Return a node for each item, in order, by the sizes of the nodes.

    Examples:
        >>> place_evenly([2, 0, 4], 6), place_evenly([1, 1], 5)
        ([0, 0, 2, 2, 2, 2], [0, 0, 0, 1, 1])
    """
    slots = [node for node, size in enumerate(sizes) for _ in range(size)] or [0]
    return [slots[item * len(slots) // n_items] for item in range(n_items)]


@contextmanager
def connected(address: str = AUTO, n_workers: int | None = None) -> Generator[RayEngine]:
    """Use a Ray cluster.

    Args:
        address: of its head, as host:port; ``"auto"`` for what RAY_ADDRESS says or, without that, a
            new one on the loopback address of this machine, which ends with the block.
        n_workers: processes of a new one; as many as there are processors by default.

    Raises:
        ModuleNotFoundError: without the extra `cluster`.
        ValueError: if nothing answers at the address, or workers have another version.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    with needs_extra("cluster", "cluster"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own imports
        import ray  # noqa: PLC0415  (only those who ask for a cluster need it)

    if ray.is_initialized():
        yield _checked(ray)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # sockets and files that it leaves to the collector
        _connect(ray, address, n_workers)
    try:
        yield _checked(ray)
    finally:
        ray.shutdown()


@contextmanager
def running_on(address: str) -> Generator[None]:
    """Let `measuring.runs.run_all` run on a cluster within the block; see `connected`."""
    with connected(address) as engine, run_elsewhere(engine.as_they_end):
        yield


def _connect(ray: Any, address: str, n_workers: int | None) -> None:
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    address = os.environ.get("RAY_ADDRESS", AUTO) if address == AUTO else address
    if address == AUTO:
        with on_loopback(ray):
            ray.init(
                address="local",
                num_cpus=n_workers,
                include_dashboard=False,
                object_store_memory=STORE,
                **quiet,
            )
        return
    _check_answers(address)
    try:
        ray.init(address=address, **quiet)
    except ray.exceptions.AuthenticationError:
        _refuse(address, "no token is here", PROVE)
    except (ConnectionError, RuntimeError, ValueError) as error:
        _refuse(address, reason_of(error), PROVE)


@contextmanager
def on_loopback(ray: Any) -> Generator[None]:
    """Let a cluster that is started in the block listen on 127.0.0.1 only.

    Ray takes the address of the network in its place, even if it is asked for this one.
    """
    constants = ray._private.ray_constants
    before = constants.ENABLE_RAY_CLUSTER, os.environ.get(LISTENS_OUTSIDE)
    constants.ENABLE_RAY_CLUSTER, os.environ[LISTENS_OUTSIDE] = False, "0"
    try:
        yield
    finally:
        constants.ENABLE_RAY_CLUSTER = before[0]
        if before[1] is None:
            del os.environ[LISTENS_OUTSIDE]
        else:
            os.environ[LISTENS_OUTSIDE] = before[1]


def _check_answers(address: str) -> None:
    """Refuse an address where nobody answers: Ray itself would try for a minute."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or "://" in address:
        _refuse(address, "no host:port")
    try:
        socket.create_connection((host, int(port)), SECONDS).close()
    except OSError as error:
        _refuse(address, error.strerror or str(error))


def _refuse(address: str, reason: str, remedy: str = START) -> None:
    must = "the address of a Ray cluster, host:port, or auto"
    fail("cluster", "cluster", must, f"{address} ({reason})", remedy)


def version() -> str:
    """Return which versions a process has."""
    return f"diffresnet {diffresnet.__version__} on Python {sys.version.split()[0]}"


def _checked(ray: Any) -> RayEngine:
    engine = RayEngine(ray)
    check_versions(engine.map(version, [()] * (2 * len(ray.nodes()))))
    return engine


def check_versions(found: Sequence[str]) -> None:
    """Refuse workers of another version: what they compute would not fit."""
    others = sorted(set(found) - {version()})
    if others:
        must = f"a cluster whose workers have {version()}"
        fail("cluster", "cluster", must, ", ".join(others), "Install the same version everywhere.")
