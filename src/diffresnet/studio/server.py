"""The studio's server: routes, and nothing else. What they answer is made elsewhere."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import asdict
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, NoReturn

import numpy as np
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from diffresnet._support.checks import refuse
from diffresnet._support.words import plain, shortened
from diffresnet.studio import answering
from diffresnet.studio.asking import MOST_ASKED, ask
from diffresnet.studio.checking import check_labels, explain_row
from diffresnet.studio.engine import Studio
from diffresnet.studio.export import TYPES, export, import_file
from diffresnet.studio.hosting import Host
from diffresnet.studio.security import App, Gate, Guard, TooLargeError, refuse_request

STATIC_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
FRAME = "application/octet-stream"
MOST_ITEMS = 200
NO_STORE = {"Cache-Control": "no-store"}


def make_app(host: Host, gate: Gate) -> App:
    """Return the server of a studio.

    Args:
        host: the studio.
        gate: who may use it.
    """

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        await host.start()
        yield
        await host.stop()

    routes = [
        Route("/", _index),
        Route("/static/{name}", _static),
        *(Route(f"/api{path}", one, methods=[how]) for path, one, how in _Api(host, gate).routes()),
    ]
    handlers: Any = {ValueError: _refused, ModuleNotFoundError: _refused, HTTPException: _missing}
    handlers[TooLargeError] = _too_large
    return Guard(Starlette(routes=routes, exception_handlers=handlers, lifespan=lifespan), gate)


class _Api:
    """Answers of the routes below /api."""

    def __init__(self, host: Host, gate: Gate) -> None:
        self.host, self.gate = host, gate

    def routes(self) -> list[tuple[str, Any, str]]:
        return [
            ("/session", self.session, "POST"),
            ("/project", self.project, "GET"),
            ("/points", self.points, "GET"),
            ("/state", self.state, "GET"),
            ("/learned", self.learned, "GET"),
            ("/map", self.map, "GET"),
            ("/gestures", self.gestures, "POST"),
            ("/selection", self.selection, "POST"),
            ("/items", self.items, "GET"),
            ("/preview/{row}", self.preview, "GET"),
            ("/search", self.search, "GET"),
            ("/queue", self.queue, "GET"),
            ("/explain/{row}", self.explain, "GET"),
            ("/audit", self.audit, "GET"),
            ("/strength", self.strength, "POST"),
            ("/events", self.events, "GET"),
            ("/export", self.export, "POST"),
            ("/import", self.take, "POST"),
        ]

    async def session(self, request: Request) -> Response:
        given = await _read_json(request)
        if not self.gate.is_token(given.get("token")):
            sentence = "The key is another one. Open the address that the studio printed."
            return refuse_request(401, sentence)
        answer = Response(status_code=204, headers=NO_STORE)
        answer.set_cookie(
            self.gate.cookie, self.gate.token, path="/", httponly=True, samesite="strict"
        )
        return answer

    async def project(self, _: Request) -> Response:
        return _json(self.host.project())

    async def points(self, _: Request) -> Response:
        return _frame(await self.host.quick(answering.points_frame))

    async def state(self, _: Request) -> Response:
        return _frame(await self.host.quick(answering.state_frame))

    async def learned(self, _: Request) -> Response:
        await self.host.learned()
        return _frame(await self.host.quick(answering.state_frame))

    async def map(self, _: Request) -> Response:
        return _frame(answering.map_frame(self.host.studio))

    async def gestures(self, request: Request) -> Response:
        command = await _read_json(request)
        return _frame(
            await self.host.gesture(lambda one: one.do(command, is_hasty=True), _tab(command))
        )

    async def selection(self, request: Request) -> Response:
        given = (await _read_json(request)).get("selection")
        return _json(
            await self.host.quick(lambda one: answering.describe_selection(one, one.select(given)))
        )

    async def items(self, request: Request) -> Response:
        rows = _rows(request.query_params.get("rows", ""), self.host.studio)
        return _json(answering.items_of(self.host.studio, rows))

    async def preview(self, request: Request) -> Response:
        row = int(_rows(request.path_params["row"], self.host.studio, most=1)[0])
        content = await self.host.slow(lambda _: self.host.preview(row), needs_model=False)
        return Response(content, media_type="image/jpeg", headers={"Cache-Control": "private"})

    async def search(self, request: Request) -> Response:
        text = request.query_params.get("q", "")
        found = await self.host.slow(lambda one: one.search(text), needs_model=False)
        return _json({"n": len(found), "rows": found[: answering.N_FOUND].tolist()})

    async def queue(self, request: Request) -> Response:
        n = _count(request.query_params.get("n", "10"), MOST_ASKED)

        def find(studio: Studio) -> list[dict[str, Any]]:
            now = studio.now
            return [asdict(one) for one in ask(now.model, now.state, now.predictions, n)]

        return _json(await self.host.slow(find))

    async def explain(self, request: Request) -> Response:
        row = int(_rows(request.path_params["row"], self.host.studio, most=1)[0])
        return _json(await self.host.slow(lambda one: explain_row(one, row)))

    async def audit(self, _: Request) -> Response:
        return _json(await self.host.slow(check_labels))

    async def strength(self, request: Request) -> Response:
        value = (await _read_json(request)).get("value")
        if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e9:
            refuse("`value`", "a number", type(value).__name__, "Move the slider.")
        number = float(value)
        return _frame(await self.host.slow(lambda one: answering.flow_frame(one, number)))

    async def events(self, _: Request) -> Response:
        return StreamingResponse(
            self.host.events(), media_type="text/event-stream", headers=NO_STORE
        )

    async def export(self, request: Request) -> Response:
        name = (await _read_json(request)).get("name")
        if name not in answering.EXPORTS:
            must = f"one of {', '.join(answering.EXPORTS)}"
            refuse("`name`", must, type(name).__name__, "Choose one of these.")
        content = await self.host.slow(lambda one: export(one, name))
        kind = TYPES[f".{name.rsplit('.', 1)[1]}"]
        headers = NO_STORE | {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type=kind, headers=headers)

    async def take(self, request: Request) -> Response:
        given = await _read_json(request)
        name, text = given.get("name"), given.get("text")
        return _frame(
            await self.host.gesture(lambda one: import_file(one, name, text), _tab(given))
        )


@cache
def _static_files() -> dict[str, tuple[bytes, str, str]]:
    """Return contents, types and digests of the files of the page, by name."""
    found: dict[str, tuple[bytes, str, str]] = {}
    for one in files("diffresnet.studio").joinpath("static").iterdir():
        kind = STATIC_TYPES.get(f".{one.name.rsplit('.', 1)[-1]}")
        if kind is not None and one.is_file():
            content = one.read_bytes()
            found[one.name] = content, kind, f'"{sha256(content).hexdigest()[:32]}"'
    return found


async def _index(request: Request) -> Response:
    return _serve(request, "index.html")


async def _static(request: Request) -> Response:
    return _serve(request, request.path_params["name"])


def _serve(request: Request, name: str) -> Response:
    if name not in _static_files():
        raise HTTPException(404)
    content, kind, digest = _static_files()[name]
    headers = {"ETag": digest, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == digest:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=kind, headers=headers)


async def _refused(_: Request, error: Exception) -> Response:
    return refuse_request(400, shortened(plain(str(error)), 1000))


async def _too_large(_: Request, error: Exception) -> Response:
    return refuse_request(413, str(error))


async def _missing(_: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    words = {405: "This is done in another way. Use the page."}
    return refuse_request(status, words.get(status, "There is nothing here."))


async def _read_json(request: Request) -> dict[str, Any]:
    body = await request.body()
    try:
        given = json.loads(body, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        refuse("What is sent", "an object in JSON", "something else", "Use the page.")
    return given


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _rows(text: str, studio: Studio, most: int = MOST_ITEMS) -> Any:
    parts = text.split(",")
    is_good = len(parts) <= most and all(
        part.isascii() and part.isdigit() and len(part) < 12 and int(part) < studio.n_points
        for part in parts
    )
    if not is_good:
        must = f"up to {most} row numbers below {studio.n_points}"
        refuse("`rows`", must, "others", "Reload the page.")
    return np.array([int(part) for part in parts], dtype=np.int64)


def _count(text: str, most: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 6 and 1 <= int(text) <= most):
        refuse("`n`", f"a number from 1 to {most}", "another", "Reload the page.")
    return int(text)


def _tab(given: dict[str, Any]) -> str:
    return plain(str(given.get("tab", "")))[:100]


def _json(content: Any) -> Response:
    return JSONResponse(content, headers=NO_STORE)


def _frame(content: bytes) -> Response:
    return Response(content, media_type=FRAME, headers=NO_STORE)
