"""The pages that people read: of the repository and of the site."""

from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
MADE = ("docs/_build", "docs/gallery")


def pages() -> list[Path]:
    """Return every page that is written by hand."""
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "benchmarks/README.md"]
    made = [ROOT / place for place in MADE]
    written = sorted((ROOT / "docs").rglob("*.md"))
    return found + [one for one in written if not any(map(one.is_relative_to, made))]


def name_of(page: Path) -> str:
    """Return the path of a page in the repository."""
    return page.relative_to(ROOT).as_posix()
