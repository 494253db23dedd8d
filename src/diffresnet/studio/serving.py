"""Start a studio: a socket on this machine, a server on it, and its address."""

import asyncio
import errno
import socket
from collections.abc import Callable
from dataclasses import dataclass

from diffresnet._support.checks import refuse
from diffresnet._support.extras import needs_extra
from diffresnet.studio.hosting import Host

HOST = "127.0.0.1"
FIRST_PORT, N_PORTS = 8765, 50
"""Without a port, the first of these that is free."""

SECONDS_TO_END = 2
SECONDS_BETWEEN_LOOKS = 0.2


@dataclass(frozen=True)
class Place:
    """Where a studio listens.

    Attributes:
        host: an address of this machine.
        port: None for any that is free.
        allow_remote: whether others may reach it, by addresses that are not of this machine only.
    """

    host: str = HOST
    port: int | None = None
    allow_remote: bool = False


def bind(place: Place) -> socket.socket:
    """Return a socket that listens, or raise if it cannot.

    Raises:
        ValueError: if the port is taken, or others could reach the address, and may not.
    """
    if not place.allow_remote and place.host not in (HOST, "localhost", "::1"):
        remedy = "Pass --allow-remote if others may see and change everything with the address."
        refuse("--host", f"{HOST}, this machine alone", place.host, remedy)
    ports = range(FIRST_PORT, FIRST_PORT + N_PORTS) if place.port is None else [place.port]
    taken: list[int] = []
    for port in ports:
        try:
            return _listen(place.host, port)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                got, remedy = f"{place.host}:{port} ({error.strerror})", "Leave both out."
                refuse("--host and --port", "an address of this machine", got, remedy)
            taken.append(port)
    got = f"{taken[0]}{f' to {taken[-1]}' if len(taken) > 1 else ''}, taken"
    return refuse("--port", "one that is free", got, "Choose another, or close a studio.")


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
        found.listen(128)
    except OSError:
        found.close()
        raise
    return found


def serve(
    host: Host,
    place: Place,
    ready: Callable[[str], None],
    failed: Callable[[str], None] | None = None,
) -> None:
    """Serve a studio until the process is interrupted.

    Args:
        host: the studio.
        place: where it listens.
        ready: is called with the address once it can be opened.
        failed: is called with the reason if the data cannot be opened; the page says it, too. None
            to end then.

    Raises:
        ValueError: if the data cannot be opened, and nothing else is to be done then.
    """
    with needs_extra("diffresnet studio", "studio"):
        import uvicorn  # noqa: PLC0415

        from diffresnet.studio.security import LOOPBACK, Gate  # noqa: PLC0415
        from diffresnet.studio.server import make_app  # noqa: PLC0415

    listening = bind(place)
    port = int(listening.getsockname()[1])
    own = f"[{place.host}]" if ":" in place.host else place.host
    named = socket.gethostname().lower()
    others = (own, named) if place.allow_remote else ()
    gate = Gate(port, (*LOOPBACK, *others))
    config = uvicorn.Config(
        make_app(host, gate),
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=SECONDS_TO_END,
        ws="none",
        lifespan="on",
        limit_concurrency=500,
    )
    server = uvicorn.Server(config)
    shown = named if place.host in ("0.0.0.0", "::") else own  # noqa: S104

    async def watch() -> None:
        is_told = False
        while not server.should_exit:
            await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
            if host.failure is not None and not is_told:
                is_told = True
                if failed is None:
                    server.should_exit = True
                else:
                    failed(host.failure)
        host.dismiss()

    async def run() -> None:
        asyncio.get_running_loop().call_later(
            0.05, ready, f"http://{shown}:{port}/#token={gate.token}"
        )
        watching = asyncio.create_task(watch())
        await server.serve(sockets=[listening])
        watching.cancel()

    try:
        asyncio.run(run())
    finally:
        listening.close()
    if host.failure is not None and failed is None:
        raise ValueError(host.failure)
