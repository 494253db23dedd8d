"""`diffresnet embed --cluster`: features of many tables of texts, a worker for each."""

import io
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import polars as pl

from diffresnet._support.checks import refuse
from diffresnet._support.stages import shown_stages
from diffresnet._support.words import count
from diffresnet._support.writing import write_whole
from diffresnet.cli.console import say
from diffresnet.cli.outputs import make_folder
from diffresnet.encoders.extraction import extract
from diffresnet.encoders.items import WhenUnreadable
from diffresnet.encoders.processes import choose_device
from diffresnet.encoders.ready import make_encoder
from diffresnet.encoders.source import read_source
from diffresnet.encoders.text_set import TextSet
from diffresnet.files.frames import TABLES
from diffresnet.files.opening import is_folder
from diffresnet.files.parquet import PARQUET


@dataclass(frozen=True)
class TableEmbedding:
    """How every table becomes features.

    Attributes:
        encoder: its name.
        text_column: of the texts; None for the usual one.
        id_column: of the ids.
        label_column: of the labels.
        unreadable: what to do with empty texts.
        cache: folder that keeps features.
        batch_size: texts of a batch.
        device: where torch computes.
    """

    encoder: str
    text_column: str | None
    id_column: str | None
    label_column: str | None
    unreadable: WhenUnreadable
    cache: Path
    batch_size: int
    device: str

    def embed(self, source: Path, out: Path) -> int:
        """Write the features of a table, and return how many rows there are."""
        items = read_source(
            source,
            text_column=self.text_column,
            id_column=self.id_column,
            label_column=self.label_column,
        )
        encoder = make_encoder(self.encoder, device=choose_device(self.device))
        if not isinstance(items, TextSet) or encoder.kind != "texts":
            refuse("--encoder", "one for texts, with --cluster", self.encoder, "Use minilm.")
        found = extract(
            encoder,
            items,
            cache=self.cache,
            when_unreadable=self.unreadable,
            batch_size=self.batch_size,
        )
        columns = {"id": pl.Series([items.ids[row] for row in found.rows], dtype=pl.String)}
        if items.labels:
            columns["label"] = pl.Series([items.labels[row] for row in found.rows])
        rows = pl.Series(found.features)
        columns["embedding"] = rows.cast(pl.List(pl.Float32))
        content = io.BytesIO()
        pl.DataFrame(columns).write_parquet(content)
        write_whole(out, content.getvalue())
        return len(found.rows)


def embed_files(source: Path, out: Path, cluster: str, how: TableEmbedding) -> None:
    """Write the features of every table of a folder, but those that are there already.

    Args:
        source: the folder.
        out: another one, for a Parquet file for each table.
        cluster: its address.
        how: they become features.
    """
    found = sorted(source.iterdir()) if is_folder(source) else []
    tables = [path for path in found if path.suffix.lower() in TABLES]
    if not tables:
        must = "a folder of .csv or .parquet tables of texts, with --cluster"
        refuse("SOURCE", must, source, "Leave out --cluster.")
    if out.suffix:
        refuse("--out", "a folder, with --cluster", out, "Choose a name without an ending.")
    if out.resolve() == source.resolve():
        refuse("--out", "another folder than SOURCE", out, "Choose another name.")
    stems = [path.stem for path in tables]
    twice = [path.name for path in tables if stems.count(path.stem) > 1]
    if twice:
        got = f"{twice[0]} and {twice[1]}"
        refuse("SOURCE", "tables whose names differ before the ending", got, "Rename one.")
    make_folder(out)
    from diffresnet.cluster.ray_engine import connected  # noqa: PLC0415  (slow)

    pairs = [(path.resolve(), (out / f"{path.stem}{PARQUET}").resolve()) for path in tables]
    missing = [pair for pair in pairs if not pair[1].exists()]
    with shown_stages(f"embedding {source.name}"), connected(cluster) as engine:
        n_rows = sum(engine.map(partial(TableEmbedding.embed, how), missing))
    say(f"{count(len(missing), 'table')}, {count(n_rows, 'text')} computed now.")
    say(f"wrote {out}")
