from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from diffresnet.cli import embed_files
from diffresnet.cli.embed_files import TableEmbedding
from tests.encoders.test_extraction import Lengths


class Engine:
    """Does all of it in this process, as `RayEngine.map` does elsewhere."""

    n_done = 0

    def map(self, work: Callable[..., int], items: Sequence[tuple[Path, Path]]) -> list[int]:
        self.n_done += len(items)
        return [work(*one) for one in items]


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    made = Engine()

    @contextmanager
    def connected(address: str) -> Generator[Engine]:
        assert address == "auto"
        yield made

    def make_encoder(name: str, device: str) -> Any:
        del name, device
        return Lengths()

    monkeypatch.setattr("diffresnet.cluster.ray_engine.connected", connected)
    monkeypatch.setattr(embed_files, "make_encoder", make_encoder)
    return made


def embed(folder: Path, out: Path) -> None:
    columns = {"text_column": None, "id_column": None, "label_column": None}
    rest = {"unreadable": "skip", "cache": folder.parent / "cache", "batch_size": 8}
    how = TableEmbedding("lengths", **columns, **rest, device="cpu")  # pyright: ignore[reportArgumentType]
    embed_files.embed_files(folder, out, "auto", how)


def write(path: Path, *texts: str) -> None:
    ids = [f"{path.stem}{row}" for row in range(len(texts))]
    pl.DataFrame({"id": ids, "text": texts, "label": ["x"] * len(texts)}).write_csv(path)


def test_a_file_for_each_table_and_what_is_there_is_kept(tmp_path: Path, engine: Engine) -> None:
    folder, out = tmp_path / "tables", tmp_path / "points"
    folder.mkdir()
    write(folder / "a.csv", "one", "three", "")
    write(folder / "b.csv", "seven")
    embed(folder, out)
    found = pl.read_parquet(out / "a.parquet")
    assert found["id"].to_list() == ["a0", "a1"]  # a text that is empty has no features
    assert found["label"].to_list() == ["x", "x"]
    assert found["embedding"].dtype == pl.List(pl.Float32)
    assert sorted(path.name for path in out.iterdir()) == ["a.parquet", "b.parquet"]
    (out / "b.parquet").unlink()
    embed(folder, out)
    assert engine.n_done == 3


@pytest.mark.parametrize(
    ("tables", "out", "message"),
    [
        ((), "points", r"SOURCE must be a folder of .csv or .parquet tables"),
        (("a.csv", "a.CSV"), "points", r"names differ before the ending, got a.CSV and a.csv"),
        (("a.csv",), "points.parquet", r"--out must be a folder"),
        (("a.csv",), "tables", r"--out must be another folder than SOURCE"),
    ],
)
def test_refused(
    tmp_path: Path, engine: Engine, tables: tuple[str, ...], out: str, message: str
) -> None:
    folder = tmp_path / "tables"
    folder.mkdir()
    for name in tables:
        write(folder / name, "one")
    with pytest.raises(ValueError, match=message):
        embed(folder, tmp_path / out)
    assert engine.n_done == 0
    assert sorted(path.name for path in folder.iterdir()) == sorted(tables)
