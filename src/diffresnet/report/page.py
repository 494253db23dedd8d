"""An HTML page of headings, sentences, tables and pictures, in one file."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TypeAlias

from diffresnet.report.shell import make_shell

STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff; max-width: 62rem;
       margin: 2rem auto;
       padding: 0 1rem; }
h1, h2 { line-height: 1.2; }
h2 { margin-top: 2.5rem; border-top: 1px solid #ddd; padding-top: 1rem; }
img { max-width: 100%; } figure { margin: 1rem 0; } figcaption { color: #555; font-size: .9rem; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid #ddd; }
td + td { white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
thead th { border-bottom: 2px solid #888; } @media (max-width: 40rem) { table { display: block;
       overflow-x: auto; } }
"""


@dataclass(frozen=True)
class Heading:
    """The title of a section."""

    text: str

    def to_html(self) -> str:
        """Return the element."""
        return f"<h2>{escape(self.text)}</h2>"


@dataclass(frozen=True)
class Paragraph:
    """Plain sentences."""

    text: str

    def to_html(self) -> str:
        """Return the element."""
        return f"<p>{escape(self.text)}</p>"


@dataclass(frozen=True)
class Table:
    """Rows of cells under a row of heads; the first column is on the left."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]

    def to_html(self) -> str:
        """Return the element."""
        heads = "".join(f"<th>{escape(head)}</th>" for head in self.heads)
        rows = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in self.rows)
        body = "".join(f"<tr>{row}</tr>\n" for row in rows)
        return f"<table><thead><tr>{heads}</tr></thead>\n<tbody>{body}</tbody></table>"


@dataclass(frozen=True)
class Picture:
    """A picture, kept inside the page, with a caption that also tells those who cannot see it."""

    content: bytes
    media_type: str
    caption: str

    def to_html(self) -> str:
        """Return the element."""
        data = base64.b64encode(self.content).decode()
        caption = escape(self.caption)
        source = f"data:{self.media_type};base64,{data}"
        image = f'<img src="{source}" alt="{caption}">'
        return f"<figure>{image}<figcaption>{caption}</figcaption></figure>"


Part: TypeAlias = Heading | Paragraph | Table | Picture


def make_page(title: str, parts: Sequence[Part]) -> bytes:
    """Return the content of an HTML file that needs no other file."""
    body = "\n".join(part.to_html() for part in parts)
    return make_shell(title, body, style=STYLE)
