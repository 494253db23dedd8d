"""From a key to the repainted map: the studio's server and page in one run.

A studio of so many points is started as a user does it, and opened in Chromium, which draws by
software (SwiftShader): a graphics card is faster. Ten classes have two labels each. Then the
question at hand is answered by a key, 50 times: `page` is the time from the key to the frame after
the next in which the new labels are drawn, `server` that of the request alone. The map has settled
before, and each answer waits for the next question. Sets: handwritten digits (1,797 points), else
points of ten overlapping clusters in 32 dimensions.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from playwright.sync_api import Page, sync_playwright
from sklearn.datasets import load_digits

from timing import write_results

SIZES = (1797, 10_000, 70_000, 1_000_000)
N_GESTURES = 50
N_CLASSES, N_EACH = 10, 2
MOST_SECONDS = 3600
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]

WATCH = """() => {
  if (globalThis.watched) return;
  globalThis.watched = {};
  const plain = globalThis.fetch;
  globalThis.fetch = async (...all) => {
    const begin = performance.now();
    const answer = await plain(...all);
    if (!String(all[0]?.url ?? all[0]).includes("/api/gestures")) return answer;
    const content = await answer.arrayBuffer();
    watched.server = performance.now() - begin;
    const frame = () => requestAnimationFrame(() => requestAnimationFrame(() => {
      watched.page = performance.now() - watched.begin;
    }));
    setTimeout(frame, 0);
    return new Response(content, { status: answer.status, headers: answer.headers });
  };
}"""
"""Notes when the answer to a gesture is there, and when the frame after the next is drawn."""

PRESS = """(key) => {
  delete watched.page;
  watched.begin = performance.now();
  const map = document.getElementById("map");
  map.focus();
  map.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
}"""

Floats = npt.NDArray[Any]


def make_points(n_points: int) -> tuple[Floats, Floats]:
    """Return features and classes of a set of that size."""
    if n_points == 1797:
        features, classes = load_digits(return_X_y=True)
        return np.asarray(features, dtype=np.float32), np.asarray(classes)
    rng = np.random.default_rng(0)
    classes = rng.integers(N_CLASSES, size=n_points)
    centers = 1.2 * rng.normal(size=(N_CLASSES, 32))
    return (centers[classes] + rng.normal(size=(n_points, 32))).astype(np.float32), classes


@contextmanager
def running(path: Path) -> Generator[str]:
    """Start a studio, yield its address, and end it."""
    command = [sys.executable, "-m", "diffresnet.cli", "studio", str(path), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        try:
            assert process.stdout is not None  # noqa: S101
            yield process.stdout.readline().split()[-1]
        finally:
            process.terminate()


class Client:
    """Talks to a studio without a page."""

    def __init__(self, address: str) -> None:
        self.base, token = address.split("/#token=")
        self.cookie = ""
        headers = self.send("/api/session", {"token": token})[1]
        self.cookie = str(headers["Set-Cookie"]).split(";")[0]

    def send(self, path: str, content: Any = None) -> tuple[bytes, Any]:
        """Send JSON, or ask for something."""
        body = None if content is None else json.dumps(content).encode()
        headers = {"Content-Type": "application/json", "Cookie": self.cookie}
        request = urllib.request.Request(self.base + path, body, headers)  # noqa: S310
        with urllib.request.urlopen(request, timeout=MOST_SECONDS) as answer:  # noqa: S310
            return answer.read(), answer.headers

    def wait(self) -> float:
        """Wait until the studio is open, and return the seconds."""
        begin = time.monotonic()
        while time.monotonic() - begin < MOST_SECONDS:
            project = json.loads(self.send("/api/project")[0])
            if project["stage"] == "failed":
                raise ValueError(project["error"])
            if project["stage"] == "ready":
                return time.monotonic() - begin
            time.sleep(0.2)
        raise TimeoutError

    def settled(self) -> None:
        """Wait until the maps do not move any longer."""
        before, now = b"", self.send("/api/map")[0]
        while before != now:
            time.sleep(3)
            before, now = now, self.send("/api/map")[0]

    def begin(self, classes: Floats) -> None:
        """Label some points of each class."""
        for one in range(N_CLASSES):
            rows = np.flatnonzero(classes == one)[:N_EACH].tolist()
            name = {"kind": "add_class", "name": f"class {one}", "tab": "begin"}
            self.send("/api/gestures", {**name, "selection": {"rows": rows}})


def press(page: Page, key: str) -> tuple[float, float]:
    """Press a key, and return the milliseconds of the page and of the server."""
    page.evaluate(PRESS, key)
    end = time.monotonic() + 120
    while time.monotonic() < end:
        watched = page.evaluate("watched")
        if "page" in watched:
            return float(watched["page"]), float(watched["server"])
        page.wait_for_timeout(5)
    raise TimeoutError(f"no gesture after the key {key}")


def measure(n_points: int, n_gestures: int, folder: Path) -> dict[str, Any]:
    """Return what gestures take with so many points."""
    features, classes = make_points(n_points)
    path = folder / f"points-{n_points}.npy"
    np.save(path, features)
    asked = "(d => d.phase === 'ready' && d.busy === 0 && d.queueVersion === d.version)"
    rng = np.random.default_rng(1)
    with running(path) as address, sync_playwright() as playwright:
        client = Client(address)
        seconds = client.wait()
        client.begin(classes)
        client.settled()
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(address)
        found: list[tuple[float, float]] = []
        for _ in range(n_gestures + 3):
            end = time.monotonic() + MOST_SECONDS
            while not page.evaluate(f"globalThis.studio ? {asked}(studio.debug()) : false"):
                if time.monotonic() > end:
                    raise TimeoutError("the page is not ready")
                page.wait_for_timeout(100)
            page.evaluate(WATCH)
            found.append(press(page, str(rng.integers(1, 10))))
        browser.close()
    page_times, server_times = zip(*found[3:], strict=True)  # the first ones warm up
    return {
        "n_points": n_points,
        "open_seconds": round(seconds, 2),
        **{f"page_{name}": value for name, value in summary(page_times).items()},
        **{f"server_{name}": value for name, value in summary(server_times).items()},
    }


def summary(values: tuple[float, ...]) -> dict[str, float]:
    """Return the median and the 95th percentile, in milliseconds."""
    return {
        "median_ms": round(statistics.median(values), 1),
        "p95_ms": round(float(np.percentile(values, 95)), 1),
    }


def main() -> None:
    """Measure the sizes that are asked for, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--gestures", type=int, default=N_GESTURES)
    parser.add_argument("--trial", action="store_true", help="print only, keep no results")
    given = parser.parse_args()
    results: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for size in map(int, given.sizes.split(",")):
            results.append(measure(size, given.gestures, Path(folder)))
            print(json.dumps(results[-1]), flush=True)
    if not given.trial:
        write_results("studio", f"python benchmarks/studio.py --sizes {given.sizes}", results)


if __name__ == "__main__":
    main()
