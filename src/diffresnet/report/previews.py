"""What the items of a report look like: small pictures, or sentences."""

from base64 import b64encode
from html import escape

from diffresnet.report.classification.outcome import Outcome, Preview

N_LETTERS = 160
N_EACH = 4
"""Labeled items of a class that are shown."""


def show_preview(preview: Preview, name: str) -> str:
    """Return markup that shows a picture (JPEG) or the beginning of a text."""
    if isinstance(preview, bytes):
        content = b64encode(preview).decode()
        return f'<img class="preview" alt="{escape(name)}" src="data:image/jpeg;base64,{content}">'
    return f'<q class="preview">{escape(shorten(preview))}</q>'


def shorten(text: str) -> str:
    """Return the beginning of a text, up to the end of a word where there is one."""
    if len(text) <= N_LETTERS:
        return text
    cut = text[: N_LETTERS - 1]
    return f"{cut.rsplit(None, 1)[0] if ' ' in cut[N_LETTERS // 2 :] else cut.rstrip()}…"


def to_data(preview: Preview) -> dict[str, str]:
    """Return a preview for the script of a page."""
    if isinstance(preview, bytes):
        return {"picture": b64encode(preview).decode()}
    return {"text": shorten(preview)}


def show_labeled(outcome: Outcome) -> str:
    """Return the first labeled items of every class."""
    lines: list[str] = []
    for which, (name, mark) in enumerate(zip(outcome.class_names, outcome.marks, strict=True)):
        mine: list[int] = (outcome.encoded == which).nonzero()[0].tolist()
        if mine:
            items = [show_preview(outcome.previews[row], outcome.ids[row]) for row in mine[:N_EACH]]
            shown = "".join(f"<li>{item}</li>" for item in items)
            if len(mine) > N_EACH:
                shown += f'<li class="note">and {len(mine) - N_EACH} more</li>'
            cell = f'<td><ul class="previews">{shown}</ul></td>'
            lines.append(f'<tr><th scope="row">{mark.to_html(name)}</th>{cell}</tr>')
    rows = "\n".join(lines)
    return f'<table class="labeled"><tbody>{rows}</tbody></table>'
