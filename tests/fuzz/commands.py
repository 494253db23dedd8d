"""Kinds of cases: whole commands, over damaged files and with random options."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from typer.testing import CliRunner

from diffresnet.cli import app
from diffresnet.files.arrays import encode_arrays
from tests.fuzz.damage import TEXTS, Random, chance, damaged_arrays, damaged_table, packed, pick
from tests.fuzz.readers import CLASSES, IDS, LABELS, POINTS, TABLE
from tests.fuzz.running import Call, Kind

REFUSED = 2
"""The exit code of a command that refuses its input."""


def _run(arguments: Sequence[Any], written: Sequence[Path]) -> Call:
    """Return a call that runs a command, and checks its exit code, words and files."""

    def call() -> object:
        ended = CliRunner().invoke(app, [str(one) for one in arguments])
        if ended.exception is not None and not isinstance(ended.exception, SystemExit):
            raise ended.exception
        if ended.exit_code not in (0, REFUSED) or "Traceback" in ended.output:
            raise AssertionError(f"exit {ended.exit_code}: {ended.output[-300:]}")
        if ended.exit_code == REFUSED:
            raise ValueError("refused")
        missing = [path.name for path in written if not path.stat().st_size]
        if missing:
            raise AssertionError(f"empty: {missing}")
        return [_numbers_of(path) for path in written if path.suffix == ".csv"]

    return call


def _numbers_of(path: Path) -> Any:
    """Return the probabilities of a table of predictions."""
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    return [float(row["probability"]) for row in rows if row.get("probability")]


def _options(random: Random, choices: dict[str, Sequence[Any]]) -> list[str]:
    found: list[str] = []
    for name, values in choices.items():
        if chance(random, 0.25):
            found += [
                name,
                str(pick(random, TEXTS) if chance(random, 0.1) else pick(random, values)),
            ]
    return [one.replace("\x00", "") for one in found]


def classify_command(random: Random, folder: Path) -> Call:
    points, labels, graph = folder / "x.csv", folder / "y.csv", folder / "w.csv"
    table = "id,label\n" + "".join(f"{a},{b}\n" for a, b in zip(IDS, CLASSES, strict=True))
    links = "a,b,weight\n" + "".join(f"p{row},p{row + 1},1.5\n" for row in range(11))
    damage = int(random.integers(3))
    for place, (path, text) in enumerate(((points, TABLE), (labels, table), (graph, links))):
        path.write_bytes(damaged_table(random, text) if place == damage else text.encode())
    out = folder / pick(random, ("p.csv", "p.csv", "p.parquet", "p.txt"))
    given: list[Any] = ["classify", points, "--out", out]
    given += ["--labels", labels] if chance(random, 0.5) else []
    given += ["--graph", graph] if chance(random, 0.3) else []
    given += ["--report", folder / "page.html"] if chance(random, 0.1) else []
    given += _options(
        random,
        {
            "--suggest": (1, 3, 0, 10**9),
            "--steps": ("auto", 0, 5, -1),
            "--n-top": (2, 5, 1000, 10**30),
            "--solver": ("mixture", "kernel"),
            "--label-sampling": ("random", "per class"),
            "--prior": ("none", "uniform"),
            "--seed": (0, 7, -1),
            "--id-column": ("id", "x", "no"),
            "--label-column": ("label", "y"),
        },
    )
    return _run(given, [] if "--suggest" in given else [out])


def fewshot_command(random: Random, folder: Path) -> Call:
    bank = folder / "bank.npz"
    arrays = {"features": POINTS, "labels": np.arange(12) % 3, "split": np.array(["train"] * 12)}
    if chance(random, 0.5):
        arrays |= {"classes": np.array([pick(random, TEXTS)[:300] for _ in range(3)])}
    damaged = packed(random, damaged_arrays(random, arrays))
    bank.write_bytes(damaged if chance(random, 0.5) else encode_arrays(arrays))
    given: list[Any] = ["fewshot", bank, "--tasks", 2, "--queries", 1, "--ways", 2]
    given += ["--json", folder / "out.json"] if chance(random, 0.5) else []
    given += _options(
        random,
        {
            "--method": ("diffresnet", "all", "simpleshot", "x"),
            "--shots": ("1", "1,2", "0", "9"),
            "--dirichlet": (2, 0.1, -1, "nan"),
            "--split": ("train", "test"),
            "--class-split": ("1,1", "1", "9,9"),
            "--transforms": ("l2", "center,l2", "none", "x"),
            "--steps": (0, 3),
            "--seed": (0, -1),
        },
    )
    return _run(given, [])


def nodes_command(random: Random, folder: Path) -> Call:
    nodes, links = folder / "x.csv", folder / "w.csv"
    text = "id,x,y,label\n" + "".join(
        f"{name},{row[0]:.3f},{row[1]:.2f},{place % 2}\n"
        for place, (name, row) in enumerate(zip(IDS, POINTS, strict=True))
    )
    edges = "a,b\n" + "".join(f"p{row},p{row + 1}\n" for row in range(11))
    first = chance(random, 0.5)
    nodes.write_bytes(damaged_table(random, text) if first else text.encode())
    links.write_bytes(edges.encode() if first else damaged_table(random, edges))
    given: list[Any] = ["nodes", links, "--nodes", nodes, "--solver", "kernel", "--splits", 1]
    given += ["--train-nodes", 1, "--validation-nodes", 1]
    given += ["--json", folder / "out.json"] if chance(random, 0.5) else []
    given += _options(
        random,
        {
            "--standardize": ("none", "undirected", "x"),
            "--seed": (0, -1),
            "--step-size": (0.1, "nan"),
            "--label-column": ("label", "x"),
            "--method": ("kernel", "label-propagation"),
        },
    )
    return _run(given, [])


def suggest_command(random: Random, folder: Path) -> Call:
    """Points to label first, from arrays."""
    arrays = {"features": POINTS, "ids": np.array(IDS)} | (
        {"labels": LABELS} if chance(random, 0.3) else {}
    )
    points = folder / "x.npz"
    points.write_bytes(packed(random, damaged_arrays(random, arrays)))
    out = folder / "s.csv"
    given: list[Any] = ["classify", points, "--suggest", 3, "--suggestions", out]
    return _run([*given, "--out", folder / "p.csv"], [out])


COMMANDS: dict[str, Kind] = {
    "classify-command": classify_command,
    "fewshot-command": fewshot_command,
    "nodes-command": nodes_command,
    "suggest-command": suggest_command,
}
