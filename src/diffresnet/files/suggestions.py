"""Points to label as a table: to be filled in, and read as labels again."""

from collections.abc import Sequence

import polars as pl

from diffresnet.files.formulas import encode_csv
from diffresnet.files.ids import DEFAULT_IDS
from diffresnet.files.labels import DEFAULT_LABEL


def encode_suggestions(
    ids: Sequence[str],
    labels: Sequence[str],
    suggested: Sequence[int],
    *,
    texts: Sequence[str] = (),
    id_column: str | None = None,
    label_column: str | None = None,
) -> bytes:
    """Return a CSV file with the columns id and label, and text if that is known.

    The points to label come first, without a label; then those that have one, so that the file is
    all that the next run needs. Texts that a spreadsheet would take for formulas are guarded
    (`files.formulas`), and read as they were.

    Args:
        ids: of all points.
        labels: of all points, "" where there is none.
        suggested: which points to label, in this order.
        texts: of all points, or none.
        id_column: the name of the first column.
        label_column: the name of the second column.

    Examples:
        >>> print(encode_suggestions(["a", "b", "c"], ["cat", "", ""], [2]).decode())
        id,label
        c,
        a,cat
        <BLANKLINE>
    """
    rows = [*suggested, *(row for row, label in enumerate(labels) if label)]
    table = {
        id_column or DEFAULT_IDS[0]: [ids[row] for row in rows],
        label_column or DEFAULT_LABEL: [labels[row] or None for row in rows],
    }
    if len(texts):
        table["text"] = [texts[row] for row in rows]
    return encode_csv(pl.DataFrame(table, schema=dict.fromkeys(table, pl.String)))
