"""How time and memory grow on a cluster of this machine, and whether workers keep to their memory.

Points lie on ten curved surfaces of six dimensions in 64; 200 have a label. Every process is
watched. Called again after a break, it goes on.

    python benchmarks/cluster.py --points 3000000 --memory 1.5
    python benchmarks/cluster.py --points 100000 --memory 1.5 --blocks 1 2 4 8
"""

import argparse
import json
import os
import shutil
import threading
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from diffresnet._support.writing import encode_json, write_whole
from diffresnet.cluster.job import Job
from diffresnet.cluster.ray_engine import connected
from diffresnet.cluster.settings import Settings
from diffresnet.cluster.source import Source
from diffresnet.cluster.work import Work
from diffresnet.graph.product import COLUMNS

RESULTS = Path(__file__).parent.parent / "docs" / "results" / "cluster.json"
N_CLASSES, N_FEATURES, N_LATENT, N_LABELS = 10, 64, 6, 200
FILE_ROWS = 100_000
SECONDS = 0.5
A_PARCEL_ROW = 4 * COLUMNS
"""Bytes of a row of a halo, in a product."""


def make_file(path: Path, file: int, n_rows: int) -> None:
    """Write some of the points, with their true classes in another column's place: the id."""
    shapes = np.random.default_rng(0)
    first = shapes.standard_normal((N_CLASSES, N_LATENT, 32)) / np.sqrt(N_LATENT)
    second = shapes.standard_normal((32, N_FEATURES)) / np.sqrt(32)
    generator = np.random.default_rng([1, file])
    classes = generator.integers(N_CLASSES, size=n_rows)
    latent = generator.standard_normal((n_rows, N_LATENT))
    points = generator.standard_normal((n_rows, N_FEATURES)) * 0.15
    for one in range(N_CLASSES):
        own = classes == one
        points[own] += np.tanh(latent[own] @ first[one]) @ second
    ids = [f"{file}-{row}-{kind}" for row, kind in enumerate(classes.tolist())]
    array = pl.Series(points.astype(np.float32)).cast(pl.List(pl.Float32))
    part = path.with_suffix(".part")
    pl.DataFrame({"id": ids, "embedding": array}).write_parquet(part)
    part.rename(path)


def make_points(folder: Path, n_points: int) -> dict[str, str]:
    """Write all points that are missing, and return the labels."""
    folder.mkdir(parents=True, exist_ok=True)
    sizes = [min(FILE_ROWS, n_points - begin) for begin in range(0, n_points, FILE_ROWS)]
    for file, n_rows in enumerate(sizes):
        path = folder / f"{file:05}.parquet"
        if not path.exists():
            make_file(path, file, n_rows)
    first = pl.read_parquet(folder / "00000.parquet", columns=["id"])["id"].to_list()
    return {one: one.rsplit("-", 1)[1] for one in first[:N_LABELS]}


class Watch(threading.Thread):
    """Look at the memory of this process and all that it started, twice a second.

    Args:
        file: where peaks are kept, with those of an earlier call that was stopped.
    """

    def __init__(self, file: Path) -> None:
        super().__init__(daemon=True)
        self.file, self.is_over = file, False
        self.peaks: dict[str, float] = json.loads(file.read_bytes()) if file.exists() else {}

    def run(self) -> None:
        """Look, until it is over."""
        while not self.is_over:
            self.look()
            time.sleep(SECONDS)

    def end(self) -> None:
        """Stop looking."""
        self.is_over = True
        self.join()

    def look(self) -> None:
        """Keep the peak (GB) of each process, by its kind and number."""
        before = dict(self.peaks)
        held = {name.split(" ")[1]: name for name in before}
        for pid in descendants(os.getpid()):
            try:
                status = Path(f"/proc/{pid}/status").read_text()
                command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode()
            except OSError:
                continue
            fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
            peak = 1024e-9 * int(fields.get("VmHWM", "0 kB").split()[0])
            kind = "driver" if pid == os.getpid() else command.split("/")[-1].split(" ")[0]
            if command.startswith("ray::"):
                kind = "agent" if command.endswith("Agent") else "worker"
            old = held.get(str(pid), f"{kind} {pid}")
            name = f"{kind} {pid}" if kind else old  # a worker is called python at first
            self.peaks[name] = max(self.peaks.pop(old, 0.0), round(peak, 3))
        if self.peaks != before:
            write_whole(self.file, encode_json(self.peaks))


def descendants(root: int) -> list[int]:
    """Return a process, and all that came of it."""
    parents: dict[int, int] = {}
    for path in Path("/proc").iterdir():
        if path.name.isdecimal():
            try:
                stat = (path / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            parents[int(path.name)] = int(stat[1])
    found = [root]
    for one in found:
        found += [pid for pid, parent in parents.items() if parent == one]
    return found


def measure(folder: Path, n_points: int, settings: Settings, n_workers: int) -> dict[str, Any]:
    """Classify the points, and return what that took."""
    labels = make_points(folder / f"points-{n_points}", n_points)
    source = Source.of(str(folder / f"points-{n_points}"), None, None)
    work = Work(folder / f"work-{n_points}-{settings.n_blocks}")
    watch, begin = Watch(work.folder / "peaks.json"), time.monotonic()
    watch.start()
    with connected("auto", n_workers) as engine:
        outcome = Job(engine, work, source, labels, settings).run()
        watch.look()
    watch.end()
    n_right, n_all = 0, 0
    for path in sorted((work.folder / "parts").glob("*.parquet")):
        frame = pl.read_parquet(path)
        truth = frame["id"].str.split("-").list.last()
        n_right, n_all = n_right + int((truth == frame["label"]).sum()), n_all + len(frame)
    disk = sum(one.stat().st_size for one in work.folder.rglob("*") if one.is_file())
    shutil.rmtree(work.folder)
    workers = [peak for name, peak in watch.peaks.items() if name.startswith("worker")]
    found = asdict(outcome)
    del found["counts"]
    return {
        **found,
        "n_workers": n_workers,
        "load of the machine": round(os.getloadavg()[2], 1),
        "moved, GB": round(1e-9 * outcome.n_products * outcome.n_halo * A_PARCEL_ROW, 2),
        "memory asked for, GB": settings.memory / 1e9,
        "whole, s": round(time.monotonic() - begin, 1),
        "largest worker, GB": max(workers, default=0.0),
        "disk at the end, GB": round(disk / 1e9, 2),
        "accuracy": n_right / n_all,
        "peaks, GB": dict(sorted(watch.peaks.items(), key=lambda one: -one[1])),
    }


def main() -> None:
    """Measure, and write results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=100_000)
    parser.add_argument("--blocks", type=int, nargs="*", default=[0])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--memory", type=float, default=1.5)
    parser.add_argument("--folder", type=Path, default=Path(".cluster"))
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args()
    for n_blocks in given.blocks:
        settings = Settings(memory=1e9 * given.memory, n_blocks=n_blocks or None)
        found = measure(given.folder.resolve(), given.points, settings, given.workers)
        results = json.loads(given.results.read_bytes()) if given.results.exists() else {}
        name = f"{given.points} points" + (f", {n_blocks} blocks" if n_blocks else "")
        command = f"python benchmarks/cluster.py --points {given.points} --memory {given.memory}"
        command += f" --blocks {n_blocks}" if n_blocks else ""
        found = {"command": command, **found}
        write_whole(given.results, encode_json({**results, name: found}))
        print(name, json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
