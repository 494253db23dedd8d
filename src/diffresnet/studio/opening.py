"""What a studio opens: photos, texts, embeddings or a graph, as points with what they look like."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from diffresnet._support.checks import refuse
from diffresnet._support.stages import stage
from diffresnet.datasets.files import make_cache_folder
from diffresnet.encoders.encoder import Encoder, Features
from diffresnet.encoders.extraction import extract
from diffresnet.encoders.image_set import ImageSet
from diffresnet.encoders.pictures import PictureSource, check_pixels
from diffresnet.encoders.ready import make_encoder
from diffresnet.encoders.source import LINES, TEXT_COLUMN, read_source
from diffresnet.encoders.text_set import TextSet
from diffresnet.files.arrays import ARRAYS, read_arrays
from diffresnet.files.frames import TABLES, TableFile, as_texts
from diffresnet.files.links import read_graph
from diffresnet.files.opening import is_folder
from diffresnet.files.points import read_points
from diffresnet.studio.rows import MOST_COLUMNS, describe_row
from diffresnet.studio.storage import SUFFIX, read_about

Kind: TypeAlias = Literal["photos", "texts", "table", "graph"]
ENCODERS = {"photos": "efficientnet-lite0", "texts": "minilm"}
WHAT = "SOURCE"
ENDS = ({"source", "target"}, {"from", "to"}, {"src", "dst"})
"""Columns of a table of links."""

MOST_LETTERS = 2000
"""Of a text that is shown."""


@dataclass(frozen=True)
class Source:
    """Where the data of a studio are, and how they are read.

    Attributes:
        path: of a folder of photos, a table, an array file, or a studio file.
        graph: of links, in place of neighbors; None for none.
        text_column: of a table of texts; None for the usual.
        id_column: of a table; None for the usual.
        label_column: of a table; None for the usual.
        encoder: of photos or texts; None for the usual.
        n_top: neighbors that the graph keeps, the point itself counted.
    """

    path: Path
    graph: Path | None = None
    text_column: str | None = None
    id_column: str | None = None
    label_column: str | None = None
    encoder: str | None = None
    n_top: int = 11

    def to_json(self, beside: Path) -> dict[str, Any]:
        """Return it as JSON can hold it, with paths as seen from the folder of a studio file."""
        folder = beside.resolve().parent

        def relative(path: Path | None) -> str | None:
            if path is None:
                return None
            full = path.resolve()
            return str(full.relative_to(folder) if full.is_relative_to(folder) else full)

        return vars(self) | {"path": relative(self.path), "graph": relative(self.graph)}

    @classmethod
    def from_json(cls, given: dict[str, Any], beside: Path) -> "Source":
        """Take what `to_json` returned."""
        folder, graph = beside.resolve().parent, given.get("graph")
        kept: dict[str, Any] = {
            name: given[name] for name in cls.__dataclass_fields__ if name in given
        }
        kept["path"] = folder / str(given.get("path"))
        kept["graph"] = None if graph is None else folder / str(graph)
        return cls(**kept)


@dataclass(frozen=True)
class Opened:
    """Points, ready to be put into a graph.

    Attributes:
        title: what the page is called.
        kind: what the points are.
        ids: of the points.
        features: (N, d), or None.
        links: (N, N) weights of a graph, or None.
        labels: that the data bring along, "" where there is none.
        texts: of the points; empty if they have none.
        pictures: of the points, files or pixels; empty if they have none.
        thumbnails: of the points, JPEG, as `embed` keeps them; empty if there are none.
        left_out: sentences about what could not be read.
        columns: names of the features, if they are columns of a table that has names; else empty.
    """

    title: str
    kind: Kind
    ids: Sequence[str]
    features: npt.NDArray[Any] | None
    links: sparse.csr_array | None = None
    labels: Sequence[str] = ()
    texts: Sequence[str] = ()
    pictures: Sequence[PictureSource] = ()
    thumbnails: Sequence[bytes] = ()
    left_out: Sequence[str] = field(default_factory=list[str])
    columns: Sequence[str] = ()

    def text_of(self, row: int) -> str | None:
        """Return the text of a point, or its row of a table in words; None if it has neither."""
        if len(self.texts):
            return self.texts[row][:MOST_LETTERS]
        if self.features is None or not self.columns:
            return None
        return describe_row(self.columns, self.features[row, :MOST_COLUMNS].tolist())


def find_source(source: Source, file: Path | None = None) -> tuple[Source, Path]:
    """Return where the data are and which file the answers go to.

    A studio file names its data. Else the file is beside the data: ``photos.studio.sqlite``.
    """
    if source.path.name.endswith(".sqlite") and source.path.is_file():
        return Source.from_json(read_about(source.path), source.path), source.path
    if not source.path.exists():
        refuse(WHAT, "a folder or file that exists", source.path, "Check its name.")
    place = source.path.resolve()
    return source, place.with_name(place.name + SUFFIX) if file is None else file


def open_source(source: Source) -> Opened:
    """Read the data; photos and texts are embedded, which takes a while the first time.

    Raises:
        ValueError: if they cannot be read; it says why.
    """
    path = source.path
    if not path.exists():
        refuse(WHAT, "data that exist", path, "Move them back, or open them where they are.")
    reader = _choose_reader(source)
    if source.graph is not None and reader is not _open_points:
        must, got = "left out, or of data with features or ids", f"{source.graph} with {path}"
        refuse("--graph", must, got, "Embed photos or texts first, and open the features.")
    return reader(source)


def _choose_reader(source: Source) -> Callable[[Source], Opened]:
    """Return what reads data of this kind."""
    path, suffix = source.path, source.path.suffix.lower()
    if source.text_column is not None and suffix not in TABLES:
        refuse("--text-column", "of a .csv or .parquet table", path, "Leave it out.")
    if is_folder(path):
        return _open_points if any(path.glob("*.parquet")) else _embed
    if suffix not in (*TABLES, *ARRAYS, LINES):
        must = "a folder of photos, a .csv or .parquet table, .npy, .npz, .txt or a studio file"
        refuse(WHAT, must, path, "Name another.")
    if suffix == LINES or (suffix in TABLES and _has_texts(source)):
        return _embed
    if suffix in TABLES:
        return _open_links if source.graph is None and _is_links(path) else _open_points
    names = set(read_arrays(path, WHAT)) if suffix == ".npz" else set[str]()
    if {"format", "shape", "data"} <= names:
        return _open_matrix
    return _embed if "images" in names and "features" not in names else _open_points


def _has_texts(source: Source) -> bool:
    if source.text_column is not None:
        return True
    return TEXT_COLUMN in TableFile(source.path, WHAT).columns


def _is_links(path: Path) -> bool:
    columns = {name.lower() for name in TableFile(path, WHAT).columns}
    return any(ends <= columns <= ends | {"weight"} for ends in ENDS)


def _open_points(source: Source) -> Opened:
    points = read_points(
        source.path,
        id_column=source.id_column,
        label_column=source.label_column,
        what=WHAT,
        need_labels=source.label_column is not None,
    )
    links = None if source.graph is None else read_graph(source.graph, points.ids)
    if points.features is None and links is None:
        remedy = "Add features, texts in a column `text`, or pass --graph."
        refuse(WHAT, "a file with features or texts", "ids only", remedy)
    pictures: Sequence[PictureSource] = ()
    if source.path.suffix.lower() == ".npz":
        pixels = read_arrays(source.path, WHAT).get("images")
        if pixels is not None and len(pixels) == len(points.ids):
            pictures = list(check_pixels(WHAT, pixels))
    looks = points.previews
    texts = [one for one in looks if isinstance(one, str)]
    thumbnails = [one for one in looks if isinstance(one, bytes)]
    kind: Kind = "texts" if texts else "photos" if thumbnails or pictures else "table"
    if points.features is None:
        kind = "graph"
    return Opened(
        source.path.name,
        kind,
        points.ids,
        points.features,
        links,
        points.labels or (),
        texts,
        pictures,
        thumbnails,
        columns=() if all(name.isdigit() for name in points.names) else points.names,
    )


def _open_links(source: Source) -> Opened:
    table = TableFile(source.path, WHAT)
    ends = [name for name in table.columns if name.lower() != "weight"]
    frame = table.read(ends)
    names = dict.fromkeys([*as_texts(frame, ends[0]), *as_texts(frame, ends[1])])
    ids = sorted(names)
    links = read_graph(source.path, ids, WHAT, WHAT)
    return Opened(source.path.name, "graph", ids, None, links)


def _open_matrix(source: Source) -> Opened:
    shape = read_arrays(source.path, WHAT)["shape"].ravel().tolist()
    n_points = int(shape[0]) if shape else 0
    ids = list(map(str, range(n_points)))
    return Opened(source.path.name, "graph", ids, None, read_graph(source.path, ids, WHAT, WHAT))


@dataclass(frozen=True, eq=False)
class _Counting:
    """An encoder that says how far it is."""

    encoder: Encoder
    advance: Callable[[], None]

    @property
    def name(self) -> str:
        return self.encoder.name

    @property
    def kind(self) -> Any:
        return self.encoder.kind

    @property
    def fingerprint(self) -> str:
        return self.encoder.fingerprint

    def encode(self, items: Sequence[Any]) -> Features:
        found = self.encoder.encode(items)
        for _ in items:
            self.advance()
        return found


def _embed(source: Source) -> Opened:
    with stage("reading"):
        items = read_source(
            source.path,
            text_column=source.text_column,
            id_column=source.id_column,
            label_column=source.label_column,
        )
    kind: Kind = "photos" if isinstance(items, ImageSet) else "texts"
    left_out: list[str] = []
    with stage("loading the encoder"):
        encoder = make_encoder(source.encoder or ENCODERS[kind])
    with stage(f"embedding {len(items.ids):,} {kind}", len(items.ids)) as advance:
        found = extract(
            _Counting(encoder, advance),
            items,
            cache=make_cache_folder("features"),
            when_unreadable="skip",
            report=left_out.append,
        )
    rows = found.rows
    texts = [items.texts[row] for row in rows] if isinstance(items, TextSet) else []
    pictures = [items.sources[row] for row in rows] if isinstance(items, ImageSet) else []
    is_table = isinstance(items, TextSet) and bool(items.labels)
    return Opened(
        source.path.name,
        kind,
        [items.ids[row] for row in rows],
        np.asarray(found.features),
        None,
        [items.labels[row] for row in rows] if is_table else (),
        texts,
        pictures,
        left_out=left_out,
    )
