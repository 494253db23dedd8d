"""From a key to the repainted map: the studio's server and page in one run.

A studio of so many points is started as a user does it, and opened in Chromium, which draws by
software (SwiftShader): a graphics card is faster. Ten classes have two labels each. Then the
question at hand is answered by a key, 50 times: `page` is the time from the key to the frame after
the next in which the new labels are drawn, `server` that of the request alone. The map has settled
before, and each answer waits for the next question. The first repaint is a first look; `whole` is
the time from the key to the whole answer on the page. Sets: handwritten digits (1,797 points), else
points of ten overlapping clusters in 32 dimensions; or those of `--points`, with `--prepared`, a
saved classifier that was prepared with them, since that takes long for a million.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
from playwright.sync_api import Page, sync_playwright
from sklearn.datasets import load_digits

from diffresnet.estimators import DiffResNetClassifier
from diffresnet.studio.hosting import Host
from diffresnet.studio.opening import Source
from diffresnet.studio.serving import Place, serve
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
    const path = String(all[0]?.url ?? all[0]);
    if (!path.includes("/api/gestures") && !path.includes("/api/learned")) return answer;
    const content = await answer.arrayBuffer();
    const isFirst = path.includes("/api/gestures");
    if (isFirst) watched.server = performance.now() - begin;
    const frame = () => requestAnimationFrame(() => requestAnimationFrame(() => {
      watched[isFirst ? "page" : "whole"] = performance.now() - watched.begin;
    }));
    setTimeout(frame, 0);
    return new Response(content, { status: answer.status, headers: answer.headers });
  };
}"""
"""Notes when the answer to a gesture is there, and when the frame after the next is drawn."""

PRESS = """(key) => {
  delete watched.page;
  delete watched.whole;
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


def serve_prepared(path: Path, prepared: Path) -> None:
    """Serve a studio whose points were prepared before."""
    model = DiffResNetClassifier.load(prepared)

    def prepare(*_: object, **__: object) -> DiffResNetClassifier:
        return model

    with patch.object(DiffResNetClassifier, "prepare", prepare):
        serve(Host(Source(path)), Place(), lambda address: print("at", address, flush=True))


@contextmanager
def running(path: Path, prepared: Path | None) -> Generator[str]:
    """Start a studio, yield its address, and end it."""
    command = [sys.executable, "-m", "diffresnet.cli", "studio", str(path), "--no-browser"]
    if prepared is not None:
        command = [sys.executable, __file__, "--serve", str(path), "--prepared", str(prepared)]
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

    def listen(self) -> Iterator[dict[str, Any]]:
        """Yield how far the maps have settled; it listens from the first call on."""
        request = urllib.request.Request(f"{self.base}/api/events")  # noqa: S310
        request.add_header("Cookie", self.cookie)
        with urllib.request.urlopen(request, timeout=MOST_SECONDS) as answer:  # noqa: S310
            name = ""
            for line in answer:
                kind, _, content = line.decode().strip().partition(": ")
                name = content if kind == "event" else name
                if kind == "data" and name in ("project", "layout"):
                    yield json.loads(content)

    def begin(self, classes: Floats) -> None:
        """Label some points of each class."""
        for one in range(N_CLASSES):
            rows = np.flatnonzero(classes == one)[:N_EACH].tolist()
            name = {"kind": "add_class", "name": f"class {one}", "tab": "begin"}
            self.send("/api/gestures", {**name, "selection": {"rows": rows}})


def press(page: Page, key: str) -> tuple[float, float, float]:
    """Press a key, and return the milliseconds of the page, the server, and the whole answer."""
    page.evaluate(PRESS, key)
    end = time.monotonic() + 120
    while time.monotonic() < end:
        watched = page.evaluate("watched")
        if "page" in watched and "whole" in watched:
            return float(watched["page"]), float(watched["server"]), float(watched["whole"])
        page.wait_for_timeout(5)
    raise TimeoutError(f"no gesture after the key {key}")


def measure(path: Path, classes: Floats, n_gestures: int, prepared: Path | None) -> dict[str, Any]:
    """Return what gestures take with points of some file."""
    asked = "(d => d.phase === 'ready' && d.busy === 0 && d.queueVersion === d.version)"
    rng = np.random.default_rng(1)
    with running(path, prepared) as address, sync_playwright() as playwright:
        client = Client(address)
        events = client.listen()
        next(events)
        seconds, begin = client.wait(), time.monotonic()
        for one in events:
            if "epoch" in one and one["epoch"] == one["n_epochs"]:
                break
        settled = time.monotonic() - begin
        client.begin(classes)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(address)
        found: list[tuple[float, ...]] = []
        for _ in range(n_gestures + 3):
            end = time.monotonic() + MOST_SECONDS
            while not page.evaluate(f"globalThis.studio ? {asked}(studio.brief()) : false"):
                if time.monotonic() > end:
                    raise TimeoutError("the page is not ready")
                page.wait_for_timeout(100)
            page.evaluate(WATCH)
            found.append(press(page, str(rng.integers(1, 10))))
        browser.close()
    times = dict(zip(("page", "server", "whole"), zip(*found[3:], strict=True), strict=True))
    return {
        "n_points": len(classes),
        "open_seconds": None if prepared else round(seconds, 2),
        "map_seconds": round(settled, 1),
        **{f"{of}_{name}": v for of, all_ in times.items() for name, v in summary(all_).items()},
        "load": round(os.getloadavg()[0], 1),
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
    parser.add_argument("--points", type=Path, help="points, .npy, beside NAME-classes.npy")
    parser.add_argument("--prepared", type=Path, help="a classifier prepared with them, .npz")
    parser.add_argument("--serve", type=Path, help="serve these points, and do nothing else")
    given = parser.parse_args()
    if given.serve is not None:
        serve_prepared(given.serve, given.prepared)
        return
    results: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for path, classes in sets_of(given, Path(folder)):
            results.append(measure(path, classes, given.gestures, given.prepared))
            print(json.dumps(results[-1]), flush=True)
    if not given.trial:
        write_results("studio", f"python benchmarks/studio.py --sizes {given.sizes}", results)


def sets_of(given: argparse.Namespace, folder: Path) -> Generator[tuple[Path, Floats]]:
    """Yield files of points and their classes."""
    if given.points is not None:
        linked = folder / given.points.name
        linked.symlink_to(given.points.resolve())
        return (yield linked, np.load(given.points.with_name(f"{given.points.stem}-classes.npy")))
    for size in map(int, given.sizes.split(",")):
        features, classes = make_points(size)
        path = folder / f"points-{size}.npy"
        np.save(path, features)
        yield path, classes


if __name__ == "__main__":
    main()
