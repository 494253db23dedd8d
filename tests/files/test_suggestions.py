import csv
from pathlib import Path

from diffresnet.files.labels import read_labels
from diffresnet.files.suggestions import encode_suggestions

IDS = ["00", "a, b", "02", "03"]
LABELS = ["", "cat", "-2", ""]


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "suggestions.csv"
    texts = ["x", 'say "hi"', "", "two\nlines"]
    path.write_bytes(encode_suggestions(IDS, LABELS, [3, 0], texts=texts))
    with path.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["id"] for row in rows] == ["03", "00", "a, b", "02"]
    assert [row["text"] for row in rows] == ["two\nlines", "x", 'say "hi"', ""]
    assert read_labels(path, IDS) == LABELS
    path.write_text(path.read_text().replace("03,,", "03,dog,"))
    assert read_labels(path, IDS) == ["", "cat", "-2", "dog"]


def test_columns_have_the_names_that_were_asked_for(tmp_path: Path) -> None:
    names = {"id_column": "key", "label_column": "kind"}
    path = tmp_path / "suggestions.csv"
    path.write_bytes(encode_suggestions(IDS, LABELS, [], **names))
    assert path.read_text().startswith("key,kind\n")
    assert read_labels(path, IDS, **names) == LABELS


def test_nothing_to_label() -> None:
    assert encode_suggestions(IDS, [""] * 4, []) == b"id,label\n"
