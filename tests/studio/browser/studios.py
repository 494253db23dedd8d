"""A studio in this process, and a tab that looks at it: what the browser tests share."""

import math
import shutil
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Request
from sklearn.datasets import load_digits

CHROMIUM = shutil.which("chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--use-angle=swiftshader",  # or WebGL draws nothing without a graphics card
    "--enable-unsafe-swiftshader",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # no other machine
]

ATTACK = "<img src=x onerror=alert(1)><script>alert(2)</script>"
SECONDS = 30.0
N_DIGITS = 450

Bytes = NDArray[np.int64]


def write_digits(path: Path) -> Bytes:
    """Write digits with their pictures and no label; return what they are."""
    features, truth = (np.asarray(each)[:N_DIGITS] for each in load_digits(return_X_y=True))
    pictures = np.kron(255 - 15.9 * features.reshape(-1, 8, 8), np.ones((1, 3, 3)))
    ids = [f"digit_{row:04d}" for row in range(N_DIGITS)]
    shown = pictures.astype(np.uint8)
    np.savez(path, features=features.astype(np.float32), images=shown, ids=np.array(ids))
    return truth.astype(np.int64)


def write_texts(path: Path, n_points: int = 90) -> None:
    """Write texts with embeddings of three clusters; markup is in every name."""
    generator = np.random.default_rng(0)
    centers = 6 * np.eye(3, 8)
    features = centers[np.arange(n_points) % 3] + 0.4 * generator.normal(size=(n_points, 8))
    words = ["money & cards", "a lost parcel", "the weather"]
    texts = [f"{ATTACK} {words[row % 3]}, number {row}" for row in range(n_points)]
    ids = [f"{row} {ATTACK}" for row in range(n_points)]
    np.savez(path, features=features.astype(np.float32), texts=np.array(texts), ids=np.array(ids))


@contextmanager
def running_studio(source: Path, port: int = 0) -> Generator[str]:
    """Serve a studio from a thread; yield its address with the token."""
    import uvicorn  # noqa: PLC0415

    from diffresnet.studio.hosting import Host  # noqa: PLC0415
    from diffresnet.studio.opening import Source  # noqa: PLC0415
    from diffresnet.studio.security import Gate  # noqa: PLC0415
    from diffresnet.studio.server import make_app  # noqa: PLC0415
    from diffresnet.studio.serving import Place, bind  # noqa: PLC0415

    listening = bind(Place(port=port))
    gate = Gate(int(listening.getsockname()[1]))
    config = uvicorn.Config(
        make_app(Host(Source(source)), gate),
        log_level="error",
        timeout_graceful_shutdown=1,
        ws="none",
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{gate.port}/#token={gate.token}"
    finally:
        server.should_exit = True
        thread.join(SECONDS)
        listening.close()


class Tab:
    """A page of the studio, which fails if it asks for anything but its own port.

    Args:
        browser: to open it in.
        address: of the studio, with the token.
        context: to share cookies with another tab; None for one of its own.
        options: of a context of its own.
    """

    def __init__(
        self, browser: Browser, address: str, context: BrowserContext | None = None, **options: Any
    ) -> None:
        options = {"viewport": {"width": 1080, "height": 660}, "reduced_motion": "reduce"} | options
        self.origin = address.split("#", maxsplit=1)[0].rstrip("/")
        self.troubles: list[str] = []
        self.context = browser.new_context(**options) if context is None else context
        self.page: Page = self.context.new_page()
        self.page.on("request", self._watch)
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("dialog", lambda dialog: self.troubles.append(dialog.message))
        self.page.on("console", self._hear)
        self.page.goto(address)

    def _watch(self, request: Request) -> None:
        if not request.url.startswith((f"{self.origin}/", f"blob:{self.origin}/")):
            self.troubles.append(request.url)

    def _hear(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.troubles.append(message.text)

    def ask(self, expression: str) -> Any:
        """Evaluate JavaScript."""
        return self.page.evaluate(expression)

    def debug(self) -> dict[str, Any]:
        """Return what the page knows."""
        return self.ask("studio.debug()")

    def until(self, condition: str) -> None:
        """Wait until an expression of `d`, what the page knows, is true.

        Playwright's own way to wait is code made from text, which the page's policy forbids.
        """
        code = f"globalThis.studio ? (d => {condition})(studio.debug()) : false"
        end = time.monotonic() + SECONDS
        while not self.ask(code):
            if time.monotonic() > end:
                known = {name: str(value)[:80] for name, value in self.debug().items()}
                raise TimeoutError(f"{condition}: {known}, {self.troubles}")
            self.page.wait_for_timeout(20)

    def ready(self) -> "Tab":
        """Wait until the map and the first question are there."""
        self.until("d.phase === 'ready' && d.busy === 0 && d.queueVersion === d.version")
        return self

    def change(self) -> "_Change":
        """Do what is in the block, and wait for its new version."""
        return _Change(self)

    def press(self, *keys: str) -> None:
        """Press keys on the map."""
        self.page.focus("#map")
        for key in keys:
            self.page.keyboard.press(key)

    def name(self, text: str) -> None:
        """Answer the question with the name of a class, new or not."""
        with self.change():
            self.page.fill("#ask-class", text)
            self.page.press("#ask-class", "Enter")

    def find(self, selector: str) -> Locator:
        """Return what a selector finds."""
        return self.page.locator(selector)

    def place(self, row: int) -> tuple[float, float]:
        """Return where a point is on the screen."""
        box = self.find("#overlay").bounding_box()
        assert box is not None
        left, top = self.ask(f"studio.screenOf({row})")
        return box["x"] + left, box["y"] + top

    def pixel(self, row: int) -> list[int]:
        """Return the color in the middle of a point, as it is drawn."""
        return self.ask(f"studio.pixelOf({row})")[:3]

    def bytes(self) -> tuple[list[int], list[int], dict[str, int]]:
        """Return classes, certainties, and the labels given."""
        known = self.debug()
        return known["predicted"], known["certainty"], known["given"]

    def lasso(self, corners: Sequence[tuple[float, float]], modifier: str | None = None) -> None:
        """Draw a lasso over places on the screen."""
        box = self.find("#overlay").bounding_box()
        assert box is not None
        middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        first = min(range(len(corners)), key=lambda at: math.dist(corners[at], middle))
        corners = [*corners[first:], *corners[:first]]  # begin on the map, not under a panel
        if modifier:
            self.page.keyboard.down(modifier)
        self.page.mouse.move(*corners[0])
        self.page.mouse.down()
        for corner in [*corners[1:], corners[0]]:
            self.page.mouse.move(*corner)
        self.page.mouse.up()
        if modifier:
            self.page.keyboard.up(modifier)

    def close(self) -> None:
        """Close, and fail if anything went wrong that nobody expected."""
        self.page.close()
        assert not self.troubles, self.troubles


class _Change:
    def __init__(self, tab: Tab) -> None:
        self.tab = tab
        self.version = -1

    def __enter__(self) -> None:
        self.version = self.tab.debug()["version"]

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            fresh = "d.queueVersion === d.version"  # the questions are new, too
            self.tab.until(f"d.version > {self.version} && d.busy === 0 && {fresh}")


def circle(x: float, y: float, radius: float, n: int = 12) -> list[tuple[float, float]]:
    """Return the corners of a circle."""
    turns = [2 * math.pi * at / n for at in range(n)]
    return [(x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns]
