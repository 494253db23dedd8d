"""Attacks on the studio: each is refused, nothing is changed, and no file elsewhere is touched."""

import base64
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.datastructures import Headers

from diffresnet.studio import security
from diffresnet.studio.answering import EXPORTS
from diffresnet.studio.security import HEADERS, Gate
from tests.studio.clients import ADDRESS, PORT, Page, serving
from tests.studio.studios import write_clusters

GESTURE = {"kind": "add_class", "name": "red", "selection": {"rows": [0]}, "tab": "t"}
ROUTES = (
    *("/api/project", "/api/points", "/api/state", "/api/learned", "/api/map"),
    "/api/items?rows=1",
    *("/api/preview/1", "/api/search?q=a", "/api/queue", "/api/explain/1", "/api/audit"),
    "/api/events",
)
CHANGES = (
    ("/api/gestures", GESTURE),
    ("/api/selection", {"selection": {"rows": [0]}}),
    ("/api/strength", {"value": 1}),
    ("/api/export", {"name": "labels.csv"}),
    ("/api/import", {"name": "labels.csv", "text": "id,label\np0,red\n"}),
)


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    with serving(write_clusters(tmp_path)) as page:
        yield page
        assert page.host.studio.now.version == 0  # whatever was tried


def test_every_answer_has_safe_headers(page: Page) -> None:
    for path in ("/", "/static/frame.js", "/api/project", "/nowhere", "/api/items?rows=x"):
        answer = page.client.get(path)
        for name, text in HEADERS.items():
            assert answer.headers[name] == text
        assert "unsafe" not in answer.headers["content-security-policy"]


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        f"evil.example:{PORT}",
        "127.0.0.1",
        f"127.0.0.1:{PORT + 1}",
        f"127.0.0.1.evil.example:{PORT}",
        f"localhost:{PORT}@evil.example",
        "",
    ],
)
def test_another_host_is_refused(page: Page, host: str) -> None:
    for path in ("/", *ROUTES):
        assert page.client.get(path, headers={"Host": host}).status_code == 403
    answer = page.client.post("/api/gestures", json=GESTURE, headers={"Host": host})
    assert answer.status_code == 403
    assert "error" in answer.json()


@pytest.mark.parametrize("host", [f"localhost:{PORT}", f"[::1]:{PORT}", f"127.0.0.1:{PORT}"])
def test_names_of_this_machine_are_welcome(page: Page, host: str) -> None:
    gate = page.gate
    cookie = f"{gate.cookie}={gate.token}"
    answer = page.client.get("/api/project", headers={"Host": host, "Cookie": cookie})
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", f"https://127.0.0.1:{PORT}", "http://127.0.0.1:1", ""]
)
def test_another_origin_is_refused(page: Page, origin: str) -> None:
    for path in ROUTES:
        assert page.client.get(path, headers={"Origin": origin}).status_code == 403
    for path, content in CHANGES:
        answer = page.client.post(path, json=content, headers={"Origin": origin})
        assert answer.status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site", "", "SAME-ORIGIN"])
def test_requests_of_other_sites_are_refused(page: Page, site: str) -> None:
    headers = {"Sec-Fetch-Site": site}
    assert page.client.get("/api/project", headers=headers).status_code == 403
    assert page.client.post("/api/gestures", json=GESTURE, headers=headers).status_code == 403


def test_without_the_key_nothing_is_told(page: Page) -> None:
    page.client.cookies.clear()
    for path in ROUTES:
        assert page.client.get(path).status_code == 401
    for path, content in CHANGES:
        assert page.client.post(path, json=content).status_code == 401
    for token in ("", "x" * 43, None, 3, ["a"], "é", "\ud800"):
        answer = page.client.post(
            "/api/session",
            content=json.dumps({"token": token}),
            headers={"Content-Type": "application/json"},
        )
        assert answer.status_code == 401
        assert "set-cookie" not in answer.headers
    for cookie in (f"{page.gate.cookie}=x", f"other={page.gate.token}", "=;;=", "\x01"):
        assert page.client.get("/api/project", headers={"Cookie": cookie}).status_code == 401


def test_the_cookie_is_strict_and_named_by_the_port(page: Page) -> None:
    answer = page.client.post("/api/session", json={"token": page.gate.token})
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"diffresnet_studio_{PORT}=")
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert "Path=/" in cookie


@pytest.mark.parametrize(
    "kind", ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data", ""]
)
def test_forms_and_plain_texts_are_refused(page: Page, kind: str) -> None:
    for path, content in (*CHANGES, ("/api/session", {"token": page.gate.token})):
        headers = {"Content-Type": kind}
        answer = page.client.post(path, content=json.dumps(content), headers=headers)
        assert answer.status_code == 415


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_refused(page: Page, method: str) -> None:
    assert page.client.request(method, "/api/gestures").status_code == 405


def test_state_is_not_changed_by_get(page: Page) -> None:
    for path, _ in CHANGES:
        assert page.client.get(path).status_code == 405


def test_huge_bodies_are_refused(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(security, "MOST_BYTES", 2000)
    monkeypatch.setattr(security, "MOST_IMPORTED", 4000)
    large = b'{"kind": "' + b"a" * 3000 + b'"}'
    headers = {"Content-Type": "application/json"}
    answer = page.client.post("/api/gestures", content=large, headers=headers)
    assert answer.status_code == 413
    assert answer.json()["error"] == "A request may have 2,000 bytes. Send less at a time."
    assert page.client.post("/api/import", content=large, headers=headers).status_code == 400
    chunks = iter([b"[" * 1000] * 10)  # without a length
    answer = page.client.post("/api/gestures", content=chunks, headers=headers)
    assert answer.status_code == 413
    for length in ("-1", "1e9", "9" * 30):
        headers["Content-Length"] = length
        answer = page.client.post("/api/gestures", content=b"{}", headers=headers)
        assert answer.status_code == 413


@pytest.mark.parametrize(
    "row", ["..%2f..%2fetc%2fpasswd", "-1", "90", "1e3", "0x1", "٣", "1;ls", "%00", "9" * 400]
)
def test_a_path_is_no_row(page: Page, row: str) -> None:
    for route in (f"/api/preview/{row}", f"/api/explain/{row}", f"/api/items?rows={row}"):
        answer = page.client.get(route)
        assert answer.status_code in (400, 404)
        assert "root:" not in answer.text


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"{",
        b'{"kind": NaN}',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b'{"value": 1e400}',
        b'{"kind": ' + b"9" * 10_000 + b"}",
        b'{"name": "../../etc/passwd"}',
        b'{"name": ["labels.csv"]}',
    ],
)
def test_strange_bodies_are_refused(page: Page, body: bytes) -> None:
    for path, _ in CHANGES:
        answer = page.client.post(path, content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code == 400
        assert answer.json()["error"]


def test_the_token_is_in_no_text() -> None:
    gate = Gate(PORT)
    assert gate.token not in repr(gate)
    assert len(gate.token) >= 40
    assert Gate(PORT).token != gate.token


def test_port_80_has_no_number() -> None:
    gate = Gate(80)
    headers = Headers({"host": "localhost", "cookie": f"{gate.cookie}={gate.token}"})
    assert gate.refusal("GET", "/api/project", headers) is None


NUMBERS: tuple[Any, ...] = (-1, 0, 1, 89, 90, 10**9, 2**63, 10**40, 1.5, -0.0, 1e308)
TEXTS: tuple[Any, ...] = (
    *("", "a", "red", "../../../etc/passwd", "\x00", "\ud800", "<b>", "' OR 1=1 --", "é" * 300),
    *("after", "before", "replace", "remove", "all", "agreeing", "informative", "labels.csv"),
)
KINDS = (
    *("label", "unlabel", "none", "skip", "add_class", "rename_class", "merge_classes"),
    *("delete_class", "mark_class", "undo", "redo", "import", "x"),
)
FIELDS = (
    *("kind", "class", "selection", "which", "name", "from", "into", "tab", "rows", "bits"),
    *("mode", "map", "value", "text", "token", "color", "key", "view", "box"),
)


def some_value(rng: random.Random, depth: int = 0) -> Any:
    """Return any JSON, often of the right kind."""
    choice = rng.random()
    if depth < 4 and choice < 0.25:
        return [some_value(rng, depth + 1) for _ in range(rng.randrange(5))]
    if depth < 4 and choice < 0.5:
        return {rng.choice(FIELDS): some_value(rng, depth + 1) for _ in range(rng.randrange(4))}
    if choice < 0.55:
        return rng.choice([None, True, False])
    return rng.choice(NUMBERS) if choice < 0.8 else rng.choice(TEXTS)


def some_command(rng: random.Random) -> Any:
    if rng.random() < 0.2:
        return some_value(rng)
    command = {rng.choice(FIELDS): some_value(rng) for _ in range(rng.randrange(4))}
    command["kind"] = rng.choice(KINDS)
    command["class"] = rng.randrange(-1, 6)
    command["from"], command["into"] = rng.randrange(4), rng.randrange(4)
    if rng.random() < 0.3:
        command["view"] = {"map": "after", "box": [rng.uniform(-2, 2) for _ in range(4)]}
        command["color"], command["key"] = "#aabbcc", rng.choice("123abc")
    command["name"] = rng.choice([*TEXTS, f"class {rng.randrange(30)}"])
    if rng.random() < 0.8:
        rows = [rng.randrange(92) for _ in range(rng.randrange(4))]
        bits = base64.b64encode(rng.randbytes(rng.choice([0, 11, 12, 13]))).decode()
        command["selection"] = rng.choice([{"rows": rows}, {"bits": bits}])
    return command


def send_random(page: Page, rng: random.Random) -> int:
    """Send a random request, and return its status."""
    headers = {"Content-Type": "application/json"}
    if rng.random() < 0.05:
        name = rng.choice(["Host", "Origin", "Sec-Fetch-Site", "Content-Type", "Cookie"])
        headers[name] = rng.choice(["x", "", "null", "http://evil.example", "a=b; c"])
    if rng.random() < 0.5:
        parts = [str(rng.choice([*NUMBERS, *TEXTS])).encode("utf-8", "replace").decode("latin-1")]
        route = rng.choice(ROUTES[:-1]).split("?")[0].rsplit("/1", 1)[0]
        path = f"{route}/{parts[0]}" if rng.random() < 0.3 else f"{route}?rows={parts[0]}&n=3&q=p"
        return page.client.get(path.replace("\x00", "%00"), headers=headers).status_code
    if rng.random() < 0.02:
        name = rng.choice(EXPORTS)
        return page.client.post("/api/export", json={"name": name}, headers=headers).status_code
    path = rng.choice([*(path for path, _ in CHANGES[:-2]), "/api/gestures", "/api/import"])
    content = json.dumps(some_command(rng)).encode()
    if rng.random() < 0.1:
        at = rng.randrange(len(content))
        content = content[:at] + bytes([rng.randrange(256)]) + content[at + 1 :]
    return page.client.post(path, content=content, headers=headers).status_code


def try_random_requests(folder: Path, n_requests: int, seed: int) -> set[int]:
    data = folder / "data"
    data.mkdir()
    bait = folder / "outside.txt"
    bait.write_text("untouched")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    rng = random.Random(seed)  # noqa: S311
    with serving(write_clusters(data)) as page:
        statuses = {send_random(page, rng) for _ in range(n_requests)}
        page.sign_in()
        header, arrays = page.frame("/api/points")
        assert header["n"] == 90
        assert len(arrays["certainty"]) == 90
    allowed = {"points.npz", "points.npz.studio.sqlite"}
    found = {path.name for path in data.iterdir()}
    assert found - {f"points.npz.studio.sqlite-{end}" for end in ("wal", "shm")} == allowed
    assert all(path.read_bytes() == content for path, content in before.items())
    return statuses


def test_random_requests_find_no_fault(tmp_path: Path) -> None:
    statuses = try_random_requests(tmp_path, 400, seed=1)
    assert {200, 400, 403} <= statuses
    assert max(statuses) < 500


@pytest.mark.slow
def test_10000_random_requests_find_no_fault(tmp_path: Path) -> None:
    statuses = try_random_requests(tmp_path, 10_000, seed=2)
    assert max(statuses) < 500


def test_only_loopback_is_listened_on() -> None:
    assert ADDRESS.startswith("http://127.0.0.1:")
    assert set(Gate(1).names) == {"127.0.0.1:1", "localhost:1", "[::1]:1"}


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_link_opens_the_page_and_nothing_else(page: Page, site: str) -> None:
    visit = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert page.client.get("/", headers=visit).status_code == 200
    assert page.client.get("/", headers=visit | {"Sec-Fetch-Dest": "iframe"}).status_code == 403
    assert page.client.get("/api/project", headers=visit).status_code == 403
    assert page.client.post("/", headers=visit, json={}).status_code == 403
