"""What the items of a report look like: small pictures, or sentences."""

from base64 import b64encode
from collections.abc import Sequence
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
    text = preview if len(preview) <= N_LETTERS else f"{preview[: N_LETTERS - 1].rstrip()}…"
    return f'<q class="preview">{escape(text)}</q>'


def show_labeled(outcome: Outcome) -> str:
    """Return the first labeled items of every class."""
    rows = [_class_row(outcome, which) for which in range(len(outcome.class_names))]
    lines = "\n".join(row for row in rows if row)
    return f'<table class="labeled"><tbody>{lines}</tbody></table>'


def _class_row(outcome: Outcome, which: int) -> str:
    mine: Sequence[int] = (outcome.encoded == which).nonzero()[0].tolist()
    if not mine:
        return ""
    shown = "".join(
        f"<li>{show_preview(outcome.previews[row], outcome.ids[row])}</li>" for row in mine[:N_EACH]
    )
    more = f'<li class="note">and {len(mine) - N_EACH} more</li>' if len(mine) > N_EACH else ""
    head = outcome.marks[which].to_html(outcome.class_names[which])
    return f'<tr><th scope="row">{head}</th><td><ul class="previews">{shown}{more}</ul></td></tr>'
