import csv
import io

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diffresnet.files.formulas import encode_csv, guard, unguard, without_guards

RUN = ["=cmd|'/c calc'!A1", "+1 555", "-x", "@SUM(A1)", "\t=1", "\rx", "\nx", " =1", "＝1"]  # noqa: RUF001
HARMLESS = ["cat", "", "-1", "+2.5", "-1e5", ".5", "'tis", "a=b", "1-2", "'"]


@pytest.mark.parametrize("text", RUN)
def test_what_a_spreadsheet_would_run_is_quoted(text: str) -> None:
    assert guard(text) == f"'{text}"


@pytest.mark.parametrize("text", HARMLESS)
def test_everything_else_stays_as_it_is(text: str) -> None:
    assert guard(text) == unguard(text) == text


@given(st.text(st.sampled_from("'=+-@ \t\n1.ea"), max_size=5))
def test_what_was_guarded_is_read_as_it_was(text: str) -> None:
    assert unguard(guard(text)) == text


def test_a_table_comes_back() -> None:
    table = pl.DataFrame({"id": [*RUN, *HARMLESS], "size": [0.5] * 19})
    read = pl.read_csv(encode_csv(table, n_digits=1), schema_overrides={"id": pl.String})
    assert [text[0] for text in read["id"][: len(RUN)]] == ["'"] * len(RUN)
    assert without_guards(read, ["id"]).equals(table)


def test_missing_texts_stay_missing() -> None:
    texts = {"a": pl.String, "b": pl.String}
    table = pl.DataFrame({"a": ["=x", None], "b": [None, None]}, schema=texts)
    assert encode_csv(table) == b"a,b\n'=x,\n,\n"


def test_a_separator_of_other_countries_does_not_make_a_cell() -> None:
    content = encode_csv(pl.DataFrame({"id": ["a;=1+1", "b"], "n": [1, 2]}))
    assert b'"a;=1+1"' in content
    rows = list(csv.reader(io.StringIO(content.decode())))
    assert rows == [["id", "n"], ["a;=1+1", "1"], ["b", "2"]]


@given(st.lists(st.text(max_size=6) | st.text("=+-@'1.e \t\r\n\x1c\u3000＝", max_size=5)))  # noqa: RUF001
def test_columns_are_changed_as_texts_are(texts: list[str]) -> None:
    frame = pl.DataFrame({"id": texts}, schema={"id": pl.String})
    assert without_guards(frame, ["id"])["id"].to_list() == list(map(unguard, texts))
    guarded = pl.DataFrame({"id": list(map(guard, texts))}, schema={"id": pl.String})
    assert encode_csv(frame) == encode_csv(without_guards(guarded, ["id"]))
