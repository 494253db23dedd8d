from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import sparse

from diffresnet._support.stages import listening
from diffresnet.encoders.encoder import Kind
from diffresnet.studio import opening
from diffresnet.studio.engine import Studio
from diffresnet.studio.opening import Opened, Source, find_source, open_source
from tests.studio.studios import write_clusters, write_links

PIL = pytest.importorskip("PIL.Image", reason="needs the extra `images`")


class Plain:
    """An encoder that needs no network."""

    name, fingerprint = "plain", "plain"

    def __init__(self, kind: Kind) -> None:
        self.kind = kind

    def encode(self, items: Any) -> Any:
        if self.kind == "texts":
            return np.array([[len(text), text.count("a"), 1] for text in items], dtype=np.float32)
        return np.array([np.array(one.resize((2, 2))).ravel() for one in items], dtype=np.float32)


@pytest.fixture
def plain_encoders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def make(name: str) -> Plain:
        return Plain("texts" if name == "minilm" else "images")

    monkeypatch.setattr(opening, "make_encoder", make)

    def cache(_: str) -> Path:
        return tmp_path / "cache"

    monkeypatch.setattr(opening, "make_cache_folder", cache)
    (tmp_path / "cache").mkdir()


def write_photos(folder: Path, n: int = 12) -> Path:
    rng = np.random.default_rng(0)
    (folder / "photos" / "deep").mkdir(parents=True)
    for row in range(n):
        pixels = rng.integers(0, 255, size=(20, 30, 3), dtype=np.uint8)
        PIL.fromarray(pixels).save(folder / "photos" / f"{'deep/' * (row % 2)}{row}.png")
    return folder / "photos"


@pytest.mark.usefixtures("plain_encoders")
def test_a_folder_of_photos(tmp_path: Path) -> None:
    photos = write_photos(tmp_path)
    (photos / "broken.jpg").write_bytes(b"no picture")
    heard: list[tuple[str, float | None]] = []
    with listening(lambda name, part: heard.append((name, part))):
        opened = open_source(Source(photos))
    assert opened.kind == "photos"
    assert "deep/1.png" in opened.ids
    assert len(opened.ids) == len(opened.pictures) == 12
    assert opened.features is not None
    assert opened.features.shape == (12, 12)
    assert len(opened.left_out) == 1
    assert opened.left_out[0].startswith("left out broken.jpg")
    assert ("embedding 13 photos", 12 / 13) in heard


@pytest.mark.usefixtures("plain_encoders")
def test_a_table_of_texts_with_some_labels(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    rows = [(f"t{row}", "a" * row + "text", "long" if row == 9 else "") for row in range(1, 20)]
    pl.DataFrame(rows, schema=["id", "text", "label"], orient="row").write_csv(path)
    opened = open_source(Source(path))
    assert opened.kind == "texts"
    assert opened.texts[0] == "atext"
    assert opened.labels[8] == "long"
    studio = Studio.open(Source(path))
    assert studio.now.undo == "take the answers of 1 point from the data"
    assert studio.search("AAAAAAAAAAAAAAAAAAAT").tolist() == [18]
    studio.close()


def test_tables_of_embeddings_with_thumbnails_and_pixels(tmp_path: Path) -> None:
    points = np.random.default_rng(0).normal(size=(15, 3))
    table = tmp_path / "points.parquet"
    pl.DataFrame(points, schema=["x", "y", "z"]).write_parquet(table)
    assert open_source(Source(table)).kind == "table"
    pixels = np.zeros((15, 8, 8), dtype=np.uint8)
    np.savez(tmp_path / "both.npz", features=points, images=pixels)
    opened = open_source(Source(tmp_path / "both.npz"))
    assert opened.kind == "photos"
    assert len(opened.pictures) == 15
    np.savez(tmp_path / "texts.npz", features=points, texts=np.array(["a"] * 15))
    assert open_source(Source(tmp_path / "texts.npz")).kind == "texts"


def test_graphs(tmp_path: Path) -> None:
    opened = open_source(Source(write_links(tmp_path)))
    assert opened.kind == "graph"
    assert opened.ids == ["a", "b", "c", "x", "y", "z"]
    assert opened.links is not None
    assert opened.links.nnz == 12
    studio = Studio.open(Source(tmp_path / "links.csv"))
    studio.do({"kind": "add_class", "name": "one", "selection": {"rows": [0]}})
    assert studio.now.predictions.classes.tolist() == [0, 0, 0, -1, -1, -1]
    studio.close()
    sparse.save_npz(tmp_path / "graph.npz", opened.links)
    assert open_source(Source(tmp_path / "graph.npz")).ids == list("012345")
    ids = tmp_path / "nodes.csv"
    pl.DataFrame({"id": opened.ids}).write_csv(ids)
    assert open_source(Source(ids, graph=tmp_path / "links.csv")).kind == "graph"


def test_the_file_is_beside_the_data_and_names_them(tmp_path: Path) -> None:
    path = write_clusters(tmp_path)
    source, file = find_source(Source(path, n_top=7, id_column="id"))
    assert file == path.with_name("points.npz.studio.sqlite")
    assert find_source(Source(path), tmp_path / "mine.sqlite")[1] == tmp_path / "mine.sqlite"
    Studio.open(source, file).close()
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    for one in (path, file):
        one.rename(moved / one.name)
    found, same = find_source(Source(moved / file.name))
    assert same == moved / file.name
    assert found.path == moved / "points.npz"
    assert (found.n_top, found.id_column) == (7, "id")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("nowhere", "SOURCE must be a folder or file that exists, got"),
        ("notes.md", "SOURCE must be a folder of photos, a .csv or .parquet table, .npy, .npz"),
        ("ids.csv", "SOURCE must be a file with features or texts, got ids only. Add features"),
    ],
)
def test_what_cannot_be_opened(tmp_path: Path, name: str, sentence: str) -> None:
    (tmp_path / "notes.md").write_text("hello")
    (tmp_path / "ids.csv").write_text("id\na\nb\n")
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        Studio.open(Source(tmp_path / name))
    assert sentence in str(refused.value)


def test_columns_that_are_nowhere_are_refused(tmp_path: Path) -> None:
    table, arrays = tmp_path / "t.csv", write_clusters(tmp_path)
    table.write_text("id,x,y\na,1,2\nb,2,1\n")
    for source in (Source(table, label_column="kind"), Source(table, id_column="kind")):
        with pytest.raises(ValueError, match="'kind'"):
            Studio.open(source)
    with pytest.raises(ValueError, match=r"--text-column must be of a \.csv or \.parquet table"):
        Studio.open(Source(arrays, text_column="text"))


def test_data_that_are_gone(tmp_path: Path) -> None:
    path = write_clusters(tmp_path)
    Studio.open(Source(path)).close()
    path.unlink()
    with pytest.raises(ValueError, match="SOURCE must be data that exist"):
        Studio.open(Source(tmp_path / "points.npz.studio.sqlite"))


def said(opened: Opened, row: int) -> str:
    return (opened.text_of(row) or "").replace("\N{NO-BREAK SPACE}", " ")


def test_a_row_of_a_table_is_its_text(tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    table = {"id": ["a", "b"], "height": [2.1, 1234.56], "width": [3.0, 1e12]}
    pl.DataFrame(table).write_csv(path)
    opened = open_source(Source(path))
    assert said(opened, 0) == "height 2.1 · width 3"
    assert said(opened, 1) == "height 1234.6 · width 1e+12"
    assert list(opened.texts) == []  # it is shown, but is no text
    wide = tmp_path / "wide.csv"
    pl.DataFrame({f"x{at}": [0.5, 1.5] for at in range(12)}).write_csv(wide)
    assert said(open_source(Source(wide)), 0).endswith("x9 0.5 · …")
    unnamed = tmp_path / "unnamed.csv"
    pl.DataFrame({str(at): [0.5, 1.5] for at in range(3)}).write_csv(unnamed)
    assert open_source(Source(unnamed)).text_of(0) is None
    assert open_source(Source(write_clusters(tmp_path))).text_of(0) is None


def test_a_graph_of_photos_or_texts_is_refused(tmp_path: Path) -> None:
    path, links = tmp_path / "texts.txt", tmp_path / "links.csv"
    path.write_text("one\ntwo\n")
    links.write_text("source,target\n0,1\n")
    with pytest.raises(ValueError, match="--graph must be left out, or of data with features"):
        open_source(Source(path, graph=links))
