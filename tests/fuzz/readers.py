"""Kinds of cases: a damaged file of each kind that is read."""

import io
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl
import torch
from scipy import sparse

from diffresnet.encoders import Checkpoint, Framing, make_backbone
from diffresnet.encoders.feature_cache import FeatureCache
from diffresnet.encoders.pictures import make_thumbnail, open_picture
from diffresnet.encoders.source import read_source
from diffresnet.estimators import (
    DiffResNetClassifier,
    DiffResNetMultiLabelClassifier,
    DiffResNetRegressor,
)
from diffresnet.fewshot import EpisodeShape, FeatureBank, evaluate, make_recipe
from diffresnet.files.arrays import read_arrays
from diffresnet.files.formulas import encode_csv
from diffresnet.files.label_studio import decode_tasks, encode_tasks
from diffresnet.files.labels import read_labels
from diffresnet.files.links import read_graph
from diffresnet.files.points import read_points
from diffresnet.files.predictions import encode_predictions
from diffresnet.files.suggestions import encode_suggestions
from diffresnet.nodes import NodeGraph, SplitProtocol, run_protocol
from diffresnet.nodes.baselines.label_propagation import LabelPropagation
from diffresnet.studio import history
from diffresnet.studio.storage import Storage
from tests.fuzz.damage import (
    TEXTS,
    Random,
    chance,
    damaged_array,
    damaged_arrays,
    damaged_bytes,
    damaged_json,
    damaged_table,
    damaged_value,
    packed,
    pick,
)
from tests.fuzz.running import Call, Kind

IDS = [f"p{row}" for row in range(12)]
LABELS = np.array([0, 1] * 3 + [-1] * 6)
CLASSES = np.array(["cat", "dog"] * 3 + [""] * 6)
POINTS = np.random.default_rng(0).standard_normal((12, 3)) + 3 * (np.arange(12) % 2)[:, None]
HEAD = "id,x,y,label\n"
TABLE = HEAD + "".join(
    f"{name},{row[0]:.3f},{row[1]:.2f},{label}\n"
    for name, row, label in zip(IDS, POINTS, CLASSES, strict=True)
)
SHAPE = EpisodeShape(n_ways=2, n_shots=1, n_queries=2)
FRAMING = Framing(image_size=16, resize=16, n_channels=1, mean=(0.5,), std=(0.5,))
N_TASKS = 4
MODELS = (DiffResNetClassifier, DiffResNetRegressor, DiffResNetMultiLabelClassifier)


def written(folder: Path, name: str, content: bytes) -> Path:
    """Write a file, and return its path."""
    path = folder / name
    path.write_bytes(content)
    return path


def tell(points: Any) -> object:
    """Return what is to be finite of points that were read, and check what is promised of them."""
    if len(set(points.ids)) != len(points.ids) or "" in points.ids:
        raise AssertionError("ids")
    if points.features is not None and len(points.features) != len(points.ids):
        raise AssertionError("as many features as ids")
    return points.features


def csv_points(random: Random, folder: Path) -> Call:
    path = written(folder, "x.csv", damaged_table(random, TABLE))
    columns: dict[str, Any] = {}
    if chance(random, 0.2):
        columns = {"id_column": pick(random, ("id", "x", "no", "")), "label_column": "label"}
    return lambda: tell(read_points(path, **columns))


def parquet_points(random: Random, folder: Path) -> Call:
    path = written(folder, "x.parquet", _damaged_parquet(random, slice(None)))
    return lambda: tell(read_points(path))


def parquet_folder(random: Random, folder: Path) -> Call:
    """Points in two or three files; some of them are damaged, missing, or something else."""
    (folder / "x").mkdir()
    for place, rows in enumerate((slice(0, 5), slice(5, 8), slice(8, 12))):
        content = _damaged_parquet(random, rows, 0.25)
        if not chance(random, 0.1):
            written(folder, f"x/{place}.{pick(random, ('parquet',) * 9 + ('csv',))}", content)
    if chance(random, 0.1):
        (folder / "x" / pick(random, ("y", "y.parquet", ".y"))).mkdir()
    return lambda: tell(read_points(folder / "x"))


def _damaged_parquet(random: Random, rows: slice, share: float = 1.0) -> bytes:
    """Return points as Parquet; this share of the files is damaged in some way."""
    columns: dict[str, Any] = {"id": IDS, "x": POINTS[:, 0].tolist(), "label": CLASSES.tolist()}
    columns |= {"y": POINTS.tolist(), "n": list(range(12))}
    columns = {name: values[rows] for name, values in columns.items()}
    if not chance(random, share):
        stream = io.BytesIO()
        pl.DataFrame(columns).write_parquet(stream)
        return stream.getvalue()
    name = pick(random, list(columns))
    if chance(random, 0.7):
        columns[name] = damaged_value(random, columns[name])
    stream = io.BytesIO()
    try:
        frame = pl.DataFrame(columns, strict=False)
        if chance(random, 0.5):
            kinds = (pl.Int128, pl.Date, pl.Categorical, pl.Binary, pl.Decimal, pl.Float32, pl.Null)
            kinds += (pl.Boolean, pl.UInt8, pl.Duration, pl.List(pl.Float64), pl.Object, pl.Time)
            frame = frame.with_columns(pl.col(name).cast(pick(random, kinds), strict=False))
        frame.write_parquet(stream)
        content = stream.getvalue()
    except BaseException:
        content = b"PAR1" + TABLE.encode() + b"PAR1"
    return damaged_bytes(random, content) if chance(random, 0.4) else content


def array_points(random: Random, folder: Path) -> Call:
    if chance(random, 0.3):
        stream = io.BytesIO()
        np.save(stream, damaged_array(random, POINTS), allow_pickle=False)
        content, name = stream.getvalue(), "x.npy"
        content = damaged_bytes(random, content) if chance(random, 0.5) else content
    else:
        arrays = {"features": POINTS, "ids": np.array(IDS), "labels": CLASSES}
        more = {"texts": np.array(IDS), "thumbnails": np.zeros(24, np.uint8)}
        arrays |= more | {"thumbnail_ends": np.arange(2, 26, 2)}
        content, name = packed(random, damaged_arrays(random, arrays)), "x.npz"
    path = written(folder, name, content)
    return lambda: tell(read_points(path))


def labels_file(random: Random, folder: Path) -> Call:
    if chance(random, 0.6):
        text = "id,label\n" + "".join(f"{a},{b}\n" for a, b in zip(IDS, CLASSES, strict=True))
        path = written(folder, "y.csv", damaged_table(random, text))
    else:
        arrays = damaged_arrays(random, {"labels": pick(random, (LABELS, CLASSES))})
        path = written(folder, "y.npz", packed(random, arrays))
    return lambda: read_labels(path, IDS)


def graph_file(random: Random, folder: Path) -> Call:
    """Links, as a sparse matrix of every format or as a table."""
    if chance(random, 0.4):
        text = "a,b,weight\n" + "".join(f"p{row},p{row + 1},1.5\n" for row in range(11))
        path = written(folder, "w.csv", damaged_table(random, text))
        return lambda: read_graph(path, IDS)
    kind = pick(random, ("csr", "csc", "coo", "dia", "bsr"))
    dense = np.random.default_rng(1).random((12, 12)) < 0.3
    stream = io.BytesIO()
    sparse.save_npz(stream, sparse.csr_array(dense.astype(float)).asformat(kind))
    stream.seek(0)
    with np.load(stream) as file:
        arrays = damaged_arrays(random, dict(file))
    path = written(folder, "w.npz", packed(random, arrays))
    return lambda: read_graph(path, IDS)


def predictions_file(random: Random, folder: Path) -> Call:
    """What `classify` writes, with names of all kinds: read again they are the same."""
    names = [f"{pick(random, TEXTS)}{row}".replace("\x00", "") for row in range(4)]
    labels = [pick(random, ("=x", "a", "[b]", "é\n", '"')) for _ in names]
    shares = np.full((4, 2), 0.5)
    content = encode_predictions(names, np.array(labels), shares, np.ones(4, bool))
    if chance(random, 0.5):
        content = encode_suggestions(names, labels, [0, 2])
    path = written(folder, "p.csv", content)
    if chance(random, 0.6):
        damaged = damaged_table(random, content.decode())
        path.write_bytes(damaged)
    return lambda: read_labels(path, names, id_column="id", label_column="label")


@cache
def _model_content(kind: type[Any], solver: str) -> tuple[dict[str, Any], dict[str, Any]]:
    y: Any = LABELS
    if kind is DiffResNetRegressor:
        y = np.where(LABELS < 0, np.nan, POINTS[:, 0])
    if kind is DiffResNetMultiLabelClassifier:
        y = np.stack([LABELS, np.where(LABELS < 0, -1, 1 - LABELS)], axis=1)
    options: dict[str, Any] = {"solver": solver} if kind is DiffResNetClassifier else {}
    model = kind(n_top=4, **options)
    with TemporaryDirectory() as folder:
        path = model.fit(POINTS, y).save(Path(folder) / "model.npz")
        arrays = read_arrays(path, "")
    return arrays, json.loads(str(arrays.pop("description")))


def saved_model(random: Random, folder: Path) -> Call:
    kind = pick(random, MODELS)
    arrays, description = _model_content(kind, pick(random, ("mixture", "mixture", "kernel")))
    if chance(random, 0.4):
        described = damaged_json(random, description).decode(errors="replace").replace("\x00", "")
    else:
        arrays, described = damaged_arrays(random, arrays), json.dumps(description)
    content = packed(random, {**arrays, "description": np.array(described)})
    path = written(folder, "model.npz", content)

    def call() -> object:
        model = kind.load(path)
        found = [model.predict(POINTS), model.transduction_]
        return [*found, *([model.predict_proba(POINTS)] if kind is not MODELS[1] else [])]

    return call


def feature_bank(random: Random, folder: Path) -> Call:
    splits = np.array(["train"] * 4 + ["test"] * 8)
    arrays = {"features": POINTS, "labels": LABELS, "split": splits}
    arrays |= {"classes": np.array(["cat", "dog"])}
    path = written(folder, "bank.npz", packed(random, damaged_arrays(random, arrays)))

    def call() -> object:
        bank = FeatureBank.load(path)
        return [bank.features, bank.rows_by_class(), bank.digest]

    return call


def node_graph(random: Random, folder: Path) -> Call:
    links = sparse.csr_array(np.roll(np.eye(12), 1, axis=0) + np.roll(np.eye(12), -1, axis=0))
    arrays: dict[str, Any] = {"labels": LABELS, "class_names": np.array(["cat", "dog"])}
    for name, matrix in (("adj", links), ("attr", sparse.csr_array(POINTS))):
        for part in ("data", "indices", "indptr", "shape"):
            arrays[f"{name}_{part}"] = np.asarray(getattr(matrix, part))
    path = written(folder, "nodes.npz", packed(random, damaged_arrays(random, arrays)))

    def call() -> object:
        graph = NodeGraph.from_file(path)
        return [graph.features, graph.operator.weights, graph.digest]

    return call


@cache
def _weights() -> dict[str, Any]:
    torch.manual_seed(0)
    network = make_backbone("conv4", n_channels=1, image_size=16)
    checkpoint = Checkpoint("conv4", FRAMING, dict(network.state_dict()), {"epoch": 3})
    return {"format": "diffresnet-backbone-1", **vars(checkpoint), "framing": vars(FRAMING)}


def checkpoint_file(random: Random, folder: Path) -> Call:
    content = dict(_weights())
    way = random.random()
    if way < 0.4:
        weights = dict(content["weights"])
        name = pick(random, list(weights))
        array = damaged_array(random, weights[name].numpy())
        try:
            weights[name] = torch.from_numpy(array.copy())
        except (TypeError, ValueError):
            weights[name] = pick(random, (None, 3, "x", [weights[name]], weights[name].to_sparse()))
        content["weights"] = weights
    elif way < 0.8:
        content = damaged_value(random, content)
    stream = io.BytesIO()
    torch.save(content, stream)
    saved = stream.getvalue()
    if chance(random, 0.3):
        saved = damaged_bytes(random, saved)
    path = written(folder, "net.pt", saved)

    def call() -> object:
        return dict(Checkpoint.load(path).make().state_dict())

    return call


def cached_features(random: Random, folder: Path) -> Call:
    """A cache is never refused: what is damaged is left aside."""
    key = b"0123456789abcdef"
    FeatureCache(folder / "cache").add({key: np.ones(3, dtype=np.float32)})
    path = next((folder / "cache").iterdir())
    if chance(random, 0.5):
        path.write_bytes(damaged_bytes(random, path.read_bytes()))
    else:
        path.write_bytes(packed(random, damaged_arrays(random, read_arrays(path, ""))))

    def call() -> object:
        try:
            found = FeatureCache(folder / "cache").find([key])
        except Exception as error:
            raise AssertionError(repr(error)) from error
        if any(row.tolist() != [1, 1, 1] for row in found.values()):
            raise AssertionError("other features")
        return None

    return call


@cache
def _pictures() -> list[bytes]:
    from PIL import Image  # noqa: PLC0415

    found: list[bytes] = []
    pixels = np.random.default_rng(0).integers(0, 255, (9, 7, 3), dtype=np.uint8)
    for kind in ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP"):
        for mode in ("RGB", "L", "P", "RGBA", "I;16", "F", "CMYK", "1"):
            stream = io.BytesIO()
            try:
                wide = Image.fromarray(pixels[:, :, 0].astype(np.uint16) * 257)
                picture = wide if mode == "I;16" else Image.fromarray(pixels).convert(mode)
                picture.save(stream, kind)
            except (OSError, ValueError, KeyError):
                continue
            found.append(stream.getvalue())
    return found


def image_file(random: Random, folder: Path) -> Call:
    content = damaged_bytes(random, pick(random, _pictures()))
    path = written(folder, f"a{pick(random, ('.png', '.jpg', '.gif', '.webp'))}", content)

    def call() -> object:
        pixels = np.asarray(open_picture(path, pick(random, (1, 3))), dtype=np.float64)
        return [pixels, len(make_thumbnail(path))]

    return call


def image_arrays(random: Random, folder: Path) -> Call:
    pixels = np.random.default_rng(0).integers(0, 255, (4, 5, 5, 3), dtype=np.uint8)
    arrays = {"images": pixels, "ids": np.array(IDS[:4]), "labels": LABELS[:4]}
    arrays |= {"split": np.array(["train", "val", "test", "test"])}
    path = written(folder, "images.npz", packed(random, damaged_arrays(random, arrays)))

    def call() -> object:
        found = read_source(path)
        return [np.asarray(found.load(0), dtype=float), found.content(0)]

    return call


def image_list(random: Random, folder: Path) -> Call:
    """A folder of images, listed in tables."""
    (folder / "images").mkdir()
    for name in ("a.png", "b.png"):
        written(folder, f"images/{name}", _pictures()[0])
    text = "filename,label\na.png,cat\nb.png,dog\n"
    written(folder, "train.csv", damaged_table(random, text))
    return lambda: read_source(folder).ids


def texts_file(random: Random, folder: Path) -> Call:
    text = "id,text,label\n" + "".join(f"{name},hello {name},cat\n" for name in IDS[:4])
    name = pick(random, ("x.txt", "x.csv"))
    path = written(folder, name, damaged_table(random, text))
    return lambda: read_source(path).ids


@cache
def _few_shot_runs() -> tuple[FeatureBank, bytes]:
    bank = FeatureBank.from_arrays(POINTS[:8], np.array([0, 1] * 4))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "runs.jsonl"
        evaluate(bank, _recipe(), shape=SHAPE, n_tasks=N_TASKS, resume=path, show_progress=False)
        return bank, path.read_bytes()


def _recipe() -> Any:
    return make_recipe("nearest-prototype", SHAPE)


@cache
def _node_runs() -> tuple[NodeGraph, bytes]:
    links = np.roll(np.eye(12), 2, axis=0) + np.roll(np.eye(12), -2, axis=0)
    graph = NodeGraph.from_arrays(links, POINTS, np.arange(12) % 2)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "runs.jsonl"
        run_protocol(graph, LabelPropagation(), _protocol(), resume=path, show_progress=False)
        return graph, path.read_bytes()


def _protocol() -> SplitProtocol:
    return SplitProtocol(n_train=2, n_validation=1, n_splits=2, n_inits=1)


def run_file(random: Random, folder: Path) -> Call:
    """The runs of `--resume`, few-shot or nodes."""
    of_nodes = chance(random, 0.4)
    content = (_node_runs if of_nodes else _few_shot_runs)()[1]
    lines = content.splitlines(keepends=True)
    for _ in range(int(random.integers(1, 3))):
        place = int(random.integers(len(lines)))
        lines[place] = damaged_json(random, json.loads(content.splitlines()[place % 2])) + b"\n"
    content = b"".join(lines)
    if chance(random, 0.3):
        content = damaged_bytes(random, content)
    resume = written(folder, "runs.jsonl", content)
    (folder / "runs.jsonl").rename(folder / ".." / f"{folder.name}.jsonl")
    resume = folder.parent / f"{folder.name}.jsonl"  # it grows, and is no input that must not

    def call() -> object:
        try:
            if of_nodes:
                graph = _node_runs()[0]
                found = run_protocol(
                    graph, LabelPropagation(), _protocol(), resume=resume, show_progress=False
                ).accuracies
            else:
                bank, shape = _few_shot_runs()[0], SHAPE
                found = evaluate(
                    bank,
                    _recipe(),
                    shape=shape,
                    n_tasks=N_TASKS,
                    resume=resume,
                    show_progress=False,
                ).accuracies
        finally:
            resume.unlink(missing_ok=True)
        if not ((found >= 0) & (found <= 1)).all():
            raise AssertionError("accuracies")
        return found

    return call


def formula_table(random: Random, folder: Path) -> Call:
    """A table with a guard against formulas is read as it was written."""
    cells = [f"{pick(random, TEXTS)}" for _ in range(3)]
    names = [
        f"{pick(random, ('=', '+', '-', '@', chr(39), ''))}{cell}{row}"[:900].strip()
        for row, cell in enumerate(cells)
    ]
    names = [
        name.replace("\x00", "").replace("\r", "").strip() or str(row)
        for row, name in enumerate(names)
    ]
    content = encode_csv(pl.DataFrame({"id": names, "x": [1.0, 2.0, 3.0]}))
    path = written(folder, "x.csv", content)

    def call() -> object:
        read = read_points(path, id_column="id")
        if read.ids != names:
            raise AssertionError(f"{read.ids} rather than {names}")
        return read.features

    return call


def label_studio_tasks(random: Random, folder: Path) -> Call:  # noqa: ARG001  (as all kinds)
    """Damage tasks of Label Studio."""
    labels = [str(label) for label in CLASSES]
    predicted = [("cat", 0.5), None] * 6
    tasks = json.loads(
        encode_tasks(IDS, labels, predicted, [str(text) for text in TEXTS[:12]] * 12)
    )
    text = damaged_json(random, tasks).decode("utf-8", "replace")
    return lambda: decode_tasks(text, IDS)


@cache
def _studio_content() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "x.sqlite"
        storage = Storage(path, IDS, {"path": "x.npz"})
        state = storage.read_state()
        for place, name in enumerate(("cat", "dog")):
            gesture = history.add_class(state, name, np.array([place, place + 4]))
            state = gesture.applied(state)
            storage.record(gesture, "", state.next_class)
        storage.close()
        return path.read_bytes()


def studio_file(random: Random, folder: Path) -> Call:
    """Damage a file of the studio."""
    path = written(folder, "x.sqlite", damaged_bytes(random, _studio_content()))

    def call() -> object:
        storage = Storage(path, IDS, {})
        try:
            return storage.read_state().answers
        finally:
            storage.close()

    return call


def warm() -> None:
    """Make what cases begin with, once for all processes; nothing here may use polars' threads."""
    for kind in MODELS:
        for solver in ("mixture", "kernel"):
            _ = _model_content(kind, solver)
    makers: tuple[Callable[[], object], ...] = (
        _weights,
        _pictures,
        _few_shot_runs,
        _node_runs,
        _studio_content,
    )
    for make in makers:
        make()


READERS: dict[str, Kind] = {
    function.__name__.replace("_", "-"): function
    for function in (
        *(csv_points, parquet_points, parquet_folder, array_points, labels_file, graph_file),
        *(
            predictions_file,
            saved_model,
            feature_bank,
            node_graph,
            checkpoint_file,
            cached_features,
            image_file,
        ),
        *(image_arrays, image_list, texts_file, run_file, formula_table),
        *(label_studio_tasks, studio_file),
    )
}
