"""A guard in CSV files: names that a spreadsheet would take for formulas, and run, get a quote.

What begins with =, +, - or @, or with a tab or a line break, is written with ' before it, unless it
is a number. Reading takes that quote away again, so that ids and labels stay what they are.
"""

import re
from collections.abc import Callable, Collection

import polars as pl

NUMBER = r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
# Full-width signs count too: spreadsheets of East Asia take them for the narrow ones.
FORMULA = re.compile(rf"'*(?!{NUMBER})(\s*[=+\-@＝＋－＠]|[\t\r\n])")  # noqa: RUF001
LIKE_FORMULA = r"^'*([\s\x1c-\x1f]*[=+\-@＝＋－＠]|[\t\r\n])"  # noqa: RUF001
"""What polars tells fast, and rules out most texts by."""
SEPARATORS = r"[;\t]"
"""What separates columns elsewhere: a cell with one is written in double quotes."""


def guard(text: str) -> str:
    """Return a text with ' before it if it looks like a formula, or like a guarded one.

    Examples:
        >>> [guard(text) for text in ("cat", "=1+1", "-3.5", "-x", "'=1+1", "'tis")]
        ['cat', "'=1+1", '-3.5', "'-x", "''=1+1", "'tis"]
    """
    return f"'{text}" if FORMULA.match(text) else text


def unguard(text: str) -> str:
    """Return the text that was guarded.

    Examples:
        >>> [unguard(text) for text in ("cat", "'=1+1", "''=1+1", "'tis", "=1+1")]
        ['cat', '=1+1', "'=1+1", "'tis", '=1+1']
    """
    return text[1:] if text.startswith("'") and FORMULA.match(text) else text


def encode_csv(table: pl.DataFrame, *, n_digits: int | None = None) -> bytes:
    """Return a table as CSV, with all texts guarded, and this number of digits of its numbers."""
    texts = [name for name, kind in table.schema.items() if kind == pl.String]
    guarded = _change_formulas(table, texts, guard)
    splits = any(guarded[name].str.contains(SEPARATORS).any() for name in texts)
    style = "non_numeric" if splits else "necessary"
    return guarded.write_csv(float_precision=n_digits, quote_style=style).encode()


def without_guards(table: pl.DataFrame, texts: Collection[str]) -> pl.DataFrame:
    """Return a table that was read from CSV with the guard taken off the columns `texts`."""
    quoted = [name for name in texts if table[name].str.starts_with("'").any()]
    return _change_formulas(table, quoted, unguard)


def _change_formulas(
    table: pl.DataFrame, names: Collection[str], change: Callable[[str], str]
) -> pl.DataFrame:
    """Return a table with `change` applied to all texts that may be formulas, guarded or not."""
    changed: list[pl.Series] = []
    for name in names:
        column = table[name]
        places = column.str.contains(LIKE_FORMULA).fill_null(value=False).arg_true()
        if len(places):
            values = column[places].map_elements(change, pl.String)
            changed.append(column.clone().scatter(places, values))
    return table.with_columns(changed)
