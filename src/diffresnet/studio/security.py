"""Who may talk to the studio: its own page, on this machine, with the token of this start.

Every request is checked before anything else is looked at. A page of a stranger in the same browser
can send requests here, too: it has another origin, and not our cookie.
"""

import hmac
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
MOST_BYTES = 8 * 2**20
MOST_IMPORTED = 64 * 2**20
IMPORT = "/api/import"
SESSION = "/api/session"

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}

FOR_THIS_MACHINE = "This studio is for this machine only. Open the address it printed."
FOR_OUR_PAGE = "Another page may not use this studio. Open the address it printed."
TOO_LARGE = "A request may have {:,} bytes. Send less at a time."
NO_KEY = "The page has no key. Open the address that the studio printed."


@dataclass(frozen=True)
class Gate:
    """What a request must have.

    Attributes:
        port: that the studio listens on.
        hosts: names by which it may be called.
        token: secret of this start, which a page exchanges for a cookie.
    """

    port: int
    hosts: tuple[str, ...] = LOOPBACK
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def cookie(self) -> str:
        """The name of the cookie: cookies are the same for all ports of a host, names are not."""
        return f"diffresnet_studio_{self.port}"

    @property
    def names(self) -> set[str]:
        """What `Host` may be."""
        plain = set(self.hosts) if self.port == 80 else set[str]()
        return plain | {f"{host}:{self.port}" for host in self.hosts}

    def is_token(self, given: object) -> bool:
        """Tell whether this is the token, in constant time."""
        return isinstance(given, str) and hmac.compare_digest(
            given.encode("utf-8", "replace"), self.token.encode()
        )

    def refusal(self, method: str, path: str, headers: Headers) -> tuple[int, str] | None:
        """Return the status and the sentence with which a request is refused; None if it is not."""
        origins = {None, *(f"http://{name}" for name in self.names)}
        is_ours = headers.get("origin") in origins
        is_ours &= headers.get("sec-fetch-site", "none") in ("same-origin", "none") or (
            is_visit(method, path, headers)
        )
        kind = headers.get("content-type", "").split(";")[0].strip().lower()
        needs_key = path.startswith("/api/") and path != SESSION
        checks = (
            (headers.get("host", "").lower() in self.names, 403, FOR_THIS_MACHINE),
            (is_ours, 403, FOR_OUR_PAGE),
            (method in ("GET", "HEAD", "POST"), 405, "The method must be GET or POST."),
            (method != "POST" or kind == "application/json", 415, "What is sent must be JSON."),
            (not needs_key or self.is_token(self._cookie(headers)), 401, NO_KEY),
        )
        refused = ((status, sentence) for is_good, status, sentence in checks if not is_good)
        return next(refused, None)

    def _cookie(self, headers: Headers) -> str | None:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return None
        return None if found is None else found.value


def is_visit(method: str, path: str, headers: Headers) -> bool:
    """Tell whether the page itself is opened, as by a link: it has no data, nor can be framed."""
    kind = headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")
    return method == "GET" and path == "/" and kind == ("navigate", "document")


class TooLargeError(Exception):
    """A request has a larger body than it said."""

    def __init__(self, most: int) -> None:
        super().__init__(TOO_LARGE.format(most))


class Guard:
    """Lets through what the gate allows, limits bodies, and puts safe headers on every answer.

    Args:
        app: behind it.
        gate: what a request must have.
    """

    def __init__(self, app: App, gate: Gate) -> None:
        self.app, self.gate = app, gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no websockets
            return
        headers, path = Headers(scope=scope), str(scope["path"])
        refused = self.gate.refusal(str(scope["method"]), path, headers)
        most = MOST_IMPORTED if path == IMPORT else MOST_BYTES
        length = headers.get("content-length", "0")
        if refused is None and (not length.isdecimal() or int(length[:20]) > most):
            refused = 413, TOO_LARGE.format(most)

        async def send_safely(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                extra = [(name.lower().encode(), text.encode()) for name, text in HEADERS.items()]
                message = {**message, "headers": [*message.get("headers", []), *extra]}
            await send(message)

        if refused is None:
            await self.app(scope, _limited(receive, most), send_safely)
        else:
            await refuse_request(*refused)(scope, receive, send_safely)


def _limited(receive: Receive, most: int) -> Receive:
    n_bytes = 0

    async def receive_some() -> MutableMapping[str, Any]:
        nonlocal n_bytes
        message = await receive()
        n_bytes += len(message.get("body", b""))
        if n_bytes > most:
            raise TooLargeError(most)
        return message

    return receive_some


def refuse_request(status: int, sentence: str) -> Response:
    """Return an answer that says why a request is refused."""
    return JSONResponse({"error": sentence}, status, {"Cache-Control": "no-store"})
