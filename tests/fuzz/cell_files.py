"""Kinds of cases: a damaged .h5ad file of cells."""

import io
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from diffresnet.files.cells import as_file
from diffresnet.files.points import read_points
from tests.fuzz.damage import (
    NUMBERS,
    TEXTS,
    Random,
    chance,
    damaged_array,
    damaged_bytes,
    pick,
)
from tests.fuzz.readers import CLASSES, IDS, POINTS, tell, written
from tests.fuzz.running import Call, Kind

PLACES = (
    "X",
    "obs/_index",
    "obs/label",
    "obs/label/categories",
    "obs/label/codes",
    "obsm/X_pca",
    "obsp/connectivities",
    "obsp/connectivities/data",
    "obsp/connectivities/indices",
    "obsp/connectivities/indptr",
    "var/_index",
)
VALUES = (*NUMBERS[:8], *(text[:50].replace("\x00", "") for text in TEXTS), [3, 4], [-1, 12])
ATTRIBUTES = ("encoding-type", "encoding-version", "shape", "_index", "column-order", "ordered")


@cache
def _content() -> bytes:
    import anndata  # noqa: PLC0415  (an extra)
    import pandas as pd  # noqa: PLC0415

    links = sparse.csr_array(np.eye(12, k=1) + np.eye(12, k=-1))
    obs = pd.DataFrame({"label": pd.Categorical(CLASSES)}, index=np.array(IDS, dtype=object))
    arrays: dict[str, Any] = {"obsm": {"X_pca": POINTS}, "obsp": {"connectivities": links}}
    return as_file(anndata.AnnData(np.zeros((12, 2), dtype=np.float32), obs, **arrays))


def cells_file(random: Random, folder: Path) -> Call:
    """Cells of which bytes, arrays or attributes are damaged."""
    damaged = damaged_bytes(random, _content()) if chance(random, 0.4) else _changed(random)
    path = written(folder, "x.h5ad", damaged)
    column = pick(random, (None, None, "label", "no"))

    def call() -> object:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return tell(read_points(path, label_column=column))

    return call


def _changed(random: Random) -> bytes:
    """Return a sound HDF5 file with other content."""
    import h5py  # noqa: PLC0415  (an extra)

    stream = io.BytesIO(_content())
    with h5py.File(stream, "r+") as file:
        for place in {pick(random, PLACES), pick(random, PLACES)}:
            if place in file:
                _change(random, file, place)
    return stream.getvalue()


def _change(random: Random, file: Any, place: str) -> None:
    """Remove, replace or damage a part of a file, or what is said of it."""
    import h5py  # noqa: PLC0415  (an extra)

    found, way = file[place], random.random()
    attributes = dict(found.attrs)
    if way < 0.3:
        found.attrs[pick(random, ATTRIBUTES)] = pick(random, VALUES)
        return
    array = None
    if isinstance(found, h5py.Dataset):
        array = np.asarray(found.asstr()[...], "U") if found.dtype == object else found[...]
    del file[place]
    if way < 0.4:
        file[place] = pick(random, (h5py.ExternalLink("x.h5", "x"), h5py.SoftLink("/obs")))
    elif way < 0.5:
        file[place] = file["obs"]
    elif way < 0.55:
        shape = (2**40,) * int(random.integers(1, 3))
        file.create_dataset(place, shape, "f8", chunks=(1,) * len(shape))
    elif array is not None:
        _put(random, file, place, damaged_array(random, array))
        file[place].attrs.update(attributes)


def _put(random: Random, file: Any, place: str, array: Any) -> None:
    """Write an array; one that HDF5 cannot hold becomes a number."""
    try:
        file[place] = array.astype(object) if array.dtype.kind == "U" else array
    except (TypeError, ValueError):
        file[place] = pick(random, NUMBERS[:8])


CELL_FILES: dict[str, Kind] = {"cells-file": cells_file}
