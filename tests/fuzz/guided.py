"""Damage files byte by byte, led by the lines of code that are reached (needs `atheris`).

`python -m tests.fuzz.guided csv` runs for a minute. It does not belong to the development tools:
`pip install atheris` brings it, where there is a wheel. A crash ends it and is named in its output.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from diffresnet._support.tensors import read_tensors
from diffresnet.encoders.pictures import open_picture
from diffresnet.encoders.source import read_source
from diffresnet.fewshot import FeatureBank
from diffresnet.files.labels import read_labels
from diffresnet.files.links import read_graph
from diffresnet.files.points import read_points
from diffresnet.nodes import NodeGraph
from tests.fuzz.damage import Random
from tests.fuzz.readers import IDS, READERS

SECONDS = 60
LEADING = ("diffresnet.", "zipfile", "numpy.lib.")
N_SEEDS = 50
"""Files of our own fuzzer that it begins with."""

TARGETS: dict[str, tuple[str, str, Callable[[Path], object]]] = {
    "csv": ("csv-points", "x.csv", read_points),
    "parquet": ("parquet-points", "x.parquet", read_points),
    "npz": ("array-points", "x.npz", read_points),
    "labels": ("labels-file", "y.csv", lambda path: read_labels(path, IDS)),
    "graph": ("graph-file", "w.npz", lambda path: read_graph(path, IDS)),
    "nodes": ("node-graph", "nodes.npz", NodeGraph.from_file),
    "bank": ("feature-bank", "bank.npz", FeatureBank.load),
    "checkpoint": ("checkpoint-file", "net.pt", read_tensors),
    "texts": ("texts-file", "x.txt", read_source),
    "image": ("image-file", "a.png", open_picture),
}
"""By name: the kind of cases to begin with, the name of the file, and what reads it."""


def main() -> None:
    """Run one target; whatever it raises but a refusal is a crash."""
    atheris: Any = import_module("atheris")
    kind, name, read = TARGETS[sys.argv[1]]
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    seeds = folder / "seeds"
    seeds.mkdir()
    for number in range(N_SEEDS):
        _make_seed(np.random.default_rng(number), READERS[kind], name, seeds / str(number))
    path = folder / name

    def run(content: bytes) -> None:
        path.write_bytes(content)
        try:
            read(path)
        except (ValueError, OSError):
            return

    for function in _functions():
        atheris.instrument_func(function)
    atheris.Setup([sys.argv[0], str(seeds), f"-max_total_time={SECONDS}", *sys.argv[2:]], run)
    atheris.Fuzz()


def _functions() -> Iterator[FunctionType]:
    """Yield the functions and methods whose lines lead the search."""
    for name, module in list(sys.modules.items()):
        if name.startswith(LEADING):
            for value in list(vars(module).values()):
                inside = list(vars(value).values()) if isinstance(value, type) else [value]
                yield from (one for one in inside if isinstance(one, FunctionType))


def _make_seed(random: Random, make: Callable[[Random, Path], object], name: str, to: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        make(random, Path(folder))
        found = Path(folder) / name
        if found.exists():
            to.write_bytes(found.read_bytes())


if __name__ == "__main__":
    main()
