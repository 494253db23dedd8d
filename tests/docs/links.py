"""Links of the docs, checked against the files and headings that there are."""

import re
from pathlib import Path

from tests.docs.pages import ROOT

LINK = re.compile(r"\]\(([^)\s]+)\)")
ROLE = re.compile(r"\{doc\}`(?:[^`<]*<)?([^`>]+)>?`")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def dead_links_of(page: Path) -> list[str]:
    """Return the links of a page that lead nowhere; those of the web are not followed."""
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    dead = [link for link in LINK.findall(text) if not _leads(page, link)]
    return dead + [name for name in ROLE.findall(text) if not _is_page(page, name)]


def _leads(page: Path, link: str) -> bool:
    if "://" in link or link.startswith("mailto:"):
        return True
    name, _, anchor = link.partition("#")
    place = page.parent / name if name else page
    if not place.exists():
        return False
    return not anchor or place.suffix != ".md" or anchor in anchors_of(place.read_text())


def _is_page(page: Path, name: str) -> bool:
    place = (page.parent / name).resolve()
    if place.parent == (ROOT / "docs/gallery").resolve():  # made when the site is built
        return place.name == "index" or (ROOT / f"examples/gallery/{place.name}.py").exists()
    return any(place.with_name(place.name + suffix).exists() for suffix in (".md", ".rst"))


def anchors_of(text: str) -> set[str]:
    """Return the anchors that headings have, as GitHub and MyST make them."""
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
        for heading in HEADING.findall(text)
    }
