"""A studio's server to talk to in tests, as the page does."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from diffresnet.studio.frames import Array, decode_frame
from diffresnet.studio.hosting import Host
from diffresnet.studio.opening import Source
from diffresnet.studio.security import Gate
from diffresnet.studio.server import make_app

PORT = 8123
ADDRESS = f"http://127.0.0.1:{PORT}"


class Page:
    """What a page does: it has the cookie, and sends JSON."""

    def __init__(self, client: TestClient, gate: Gate, host: Host) -> None:
        self.client, self.gate, self.host = client, gate, host

    def sign_in(self) -> None:
        answer = self.client.post("/api/session", json={"token": self.gate.token})
        assert answer.status_code == 204

    def wait(self) -> dict[str, Any]:
        """Wait until the studio is open, or could not be opened."""
        for _ in range(600):
            project = self.client.get("/api/project").json()
            if project["stage"] != "opening":
                return project
            time.sleep(0.1)
        raise AssertionError("it did not open")

    def get(self, path: str) -> Any:
        answer = self.client.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def frame(self, path: str) -> tuple[dict[str, Any], dict[str, Array]]:
        answer = self.client.get(path)
        assert answer.status_code == 200, answer.text
        return decode_frame(answer.content)

    def post(self, path: str, content: Any) -> tuple[dict[str, Any], dict[str, Array]]:
        answer = self.client.post(path, json=content)
        assert answer.status_code == 200, answer.text
        return decode_frame(answer.content)

    def do(self, **command: Any) -> tuple[dict[str, Any], dict[str, Array]]:
        return self.post("/api/gestures", {"tab": "t", **command})


@contextmanager
def serving(source: Path, *, signed_in: bool = True) -> Generator[Page]:
    """Serve a studio of these data, and wait until it is open."""
    host, gate = Host(Source(source)), Gate(PORT)
    app: Any = make_app(host, gate)
    with TestClient(app, base_url=ADDRESS) as client:
        page = Page(client, gate, host)
        if signed_in:
            page.sign_in()
            page.wait()
        yield page
