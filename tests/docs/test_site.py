"""The site is built without a warning, and loads nothing from elsewhere."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import ROOT

pytestmark = pytest.mark.slow
LOADED = re.compile(r"""<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)=["'](https?:)?//""")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site."""
    for library in ("sphinx", "sphinx_gallery", "myst_parser", "pydata_sphinx_theme"):
        pytest.importorskip(library)
    out = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "docs", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)  # noqa: PLW1510, S603
    assert done.returncode == 0, done.stderr[-3000:]
    return out


def test_pages_name_nothing_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 50
    assert [page.name for page in pages if LOADED.search(page.read_text())] == []


def test_a_browser_asks_for_nothing_and_search_works(site: Path) -> None:
    playwright = pytest.importorskip("playwright.sync_api")
    chromium = Path("/usr/bin/chromium")
    if not chromium.exists():
        pytest.skip("there is no Chromium")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=str(chromium), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 390, "height": 800})
        asked: list[str] = []

        def remember(request: Any) -> None:
            asked.append(request.url)

        page.on("request", remember)
        for name in ("index", "start/table", "gallery/index", "api/estimators", "results/fewshot"):
            page.goto((site / f"{name}.html").as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.goto((site / "search.html").as_uri() + "?q=transfer_labels")
        page.wait_for_selector("#search-results li")
        browser.close()
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
