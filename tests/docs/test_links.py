"""Every link of the docs leads somewhere."""

from pathlib import Path

from tests.docs.links import anchors_of, dead_links_of
from tests.docs.pages import name_of, pages


def test_links_lead_somewhere() -> None:
    dead = {name_of(page): dead_links_of(page) for page in pages()}
    assert {name: links for name, links in dead.items() if links} == {}


def test_links_are_read_in_the_repository_too() -> None:
    """GitHub shows the roles of MyST as they are written."""
    assert [name_of(page) for page in pages() if "{doc}`" in page.read_text()] == []


def test_a_dead_link_is_caught(tmp_path: Path) -> None:
    page = tmp_path / "a.md"
    (tmp_path / "b.md").write_text("# Large sets, `fast`\n")
    page.write_text(
        "[b](b.md) [c](c.md) [x](b.md#large-sets-fast) [y](b.md#no) [w](https://a.b) {doc}`b`"
        " {doc}`text <d>`\n```text\n[no link](e.md)\n```\n"
    )
    assert dead_links_of(page) == ["c.md", "b.md#no", "d"]
    assert anchors_of("## How good it is?") == {"how-good-it-is"}
