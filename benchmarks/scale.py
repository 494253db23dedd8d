"""How do time and memory of a fit grow with the number of points, up to a million?

Images of digits as 128 numbers of a small autoencoder (`scale_sets.py`), 200 labels drawn at
random. Every run has a process of its own, with a limit of time (30 minutes, or as much time of two
processors) and memory (20 GB); a stopped benchmark goes on where it was. Beside the fit, stage by
stage: updates by one label (median of ten), one exact update, `suggest(10)`, `predict` of 1,000 new
points. Peers: scikit-learn's LabelSpreading with its graph of neighbors, graphlearning's search
with Poisson learning where it is installed, and the search alone by pynndescent or faiss, whichever
is installed.
"""

import argparse
import json
import resource
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch

from diffresnet._support.stages import listening
from diffresnet._support.writing import write_whole
from diffresnet.estimators import DiffResNetClassifier
from scale_sets import FOLDER, load
from timing import keep_results

SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
N_LABELS, N_UPDATES, N_NEW = 200, 10, 1000
MOST_SECONDS, MOST_GIGABYTES = 1800, 20
Numbers = dict[str, Any]


def draw_labels(classes: Any) -> tuple[Any, Any]:
    """Return labels of some points, and the rows of some more."""
    rows = np.random.default_rng(0).permutation(len(classes))[: N_LABELS + N_UPDATES]
    labels = np.full(len(classes), -1)
    labels[rows[:N_LABELS]] = classes[rows[:N_LABELS]]
    return labels, rows[N_LABELS:]


def timed(call: Callable[[], object]) -> float:
    """Return the seconds that a call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def ours(points: Any, classes: Any, search: str = "auto") -> Numbers:
    """Fit, update, suggest and predict."""
    labels, more = draw_labels(classes)
    begun: list[tuple[str, float]] = []

    def hear(name: str, part: float | None) -> None:
        if not begun or begun[-1][0] != name:
            begun.append((name, time.perf_counter()))
        del part

    model = DiffResNetClassifier(search=search)  # pyright: ignore[reportArgumentType]
    start = time.process_time()
    with listening(hear):
        fit_seconds = timed(lambda: model.fit(points, labels))
    cpu_seconds = time.process_time() - start
    ends = [start for _, start in begun[1:]] + [time.perf_counter()]
    stages: dict[str, float] = {}
    for (name, start), end in zip(begun, ends, strict=True):
        stages[name] = stages.get(name, 0.0) + end - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    accuracy = float((model.transduction_ == classes)[labels == -1].mean())
    updates = [timed(lambda row=row: model.update_labels([row], [classes[row]])) for row in more]
    exact = timed(lambda: model.update_labels([more[0]], [classes[more[0]]], exact=True))
    model.suggest(10)
    new = np.asarray(points[:N_NEW]) + np.float32(0.01)
    diagnosis = model.diagnose()
    return {
        "fit_seconds": fit_seconds,
        "cpu_seconds": cpu_seconds,
        "stages": stages,
        "peak_gigabytes": peak,
        "accuracy": accuracy,
        "update_seconds": statistics.median(updates),
        "exact_update_seconds": exact,
        "suggest_seconds": timed(lambda: model.suggest(10)),
        "predict_seconds": timed(lambda: model.predict(new)),
        "search": diagnosis.found_by,
        "recall": diagnosis.recall,
    }


def ours_exact(points: Any, classes: Any) -> Numbers:
    """Fit with the exact graph."""
    return ours(points, classes, "exact")


def label_spreading(points: Any, classes: Any) -> Numbers:
    """Fit scikit-learn's."""
    module: Any = import_module("sklearn.semi_supervised")
    labels, _ = draw_labels(classes)
    model = module.LabelSpreading(kernel="knn", n_jobs=2)
    seconds = timed(lambda: model.fit(points, labels))
    accuracy = float((model.transduction_ == classes)[labels == -1].mean())
    return {"fit_seconds": seconds, "accuracy": accuracy}


def poisson(points: Any, classes: Any) -> Numbers:
    """Search and learn by graphlearning."""
    module: Any = import_module("graphlearning")
    labels, _ = draw_labels(classes)
    known = np.flatnonzero(labels >= 0)
    start = time.perf_counter()
    weights = module.weightmatrix.knn(points, 10)
    searched = time.perf_counter() - start
    guess = module.ssl.poisson(weights).fit_predict(known, labels[known])
    accuracy = float((guess == classes)[labels == -1].mean())
    seconds = time.perf_counter() - start
    return {"fit_seconds": seconds, "stages": {"neighbors": searched}, "accuracy": accuracy}


def pynndescent(points: Any, _: Any) -> Numbers:
    """Search by pynndescent, compiling counted."""
    start = time.perf_counter()
    module: Any = import_module("pynndescent")
    seconds = timed(lambda: module.NNDescent(np.asarray(points), n_neighbors=11, n_jobs=2))
    return {"search_seconds": seconds, "with_import": time.perf_counter() - start}


def faiss_hnsw(points: Any, _: Any) -> Numbers:
    """Search by faiss, HNSW."""
    module: Any = import_module("faiss")
    module.omp_set_num_threads(2)
    given = np.ascontiguousarray(points)

    def search() -> None:
        index = module.IndexHNSWFlat(given.shape[1], 16)
        index.hnsw.efConstruction, index.hnsw.efSearch = 60, 32
        index.add(given)
        index.search(given, 11)

    return {"search_seconds": timed(search)}


CONTESTANTS: dict[str, Callable[[Any, Any], Numbers]] = {
    "diffresnet": ours,
    "diffresnet, exact graph": ours_exact,
    "LabelSpreading (knn)": label_spreading,
    "graphlearning, Poisson": poisson,
    "pynndescent, search only": pynndescent,
    "faiss HNSW, search only": faiss_hnsw,
}
NEEDS = {
    "graphlearning, Poisson": "graphlearning",
    "pynndescent, search only": "pynndescent",
    "faiss HNSW, search only": "faiss",
}
LARGEST = {"diffresnet, exact graph": 100_000}
"""Where more is not asked for."""


def measure(name: str, n_points: int, folder: Path) -> Numbers:
    """Run one contestant in this process."""
    resource.setrlimit(resource.RLIMIT_CPU, (2 * MOST_SECONDS, 2 * MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_GIGABYTES * 2**30, MOST_GIGABYTES * 2**30))
    points, classes = load("digits", n_points, folder)
    points = np.array(points)  # in memory: what a fit takes beyond it is measured
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    start = time.process_time()
    found = CONTESTANTS[name](points, classes)
    found.setdefault("cpu_seconds", time.process_time() - start)
    found.setdefault("peak_gigabytes", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
    found["gigabytes_above_input"] = found["peak_gigabytes"] - before
    return found | {"threads": torch.get_num_threads()}


def run_apart(name: str, n_points: int, folder: Path, most_seconds: float) -> Numbers:
    """Run one contestant in a process of its own; say how it ended if it did not end well."""
    command = [sys.executable, __file__, "--contestant", name, "--points", str(n_points)]
    try:
        ended = subprocess.run(  # noqa: S603  (ourselves)
            [*command, "--folder", str(folder)],
            capture_output=True,
            text=True,
            timeout=most_seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"stopped": f"not done after {most_seconds} s"}
    if ended.returncode == -signal.SIGXCPU:
        return {"stopped": f"not done after {2 * MOST_SECONDS} CPU seconds"}
    if ended.returncode:
        lines = ended.stderr.strip().splitlines() or [f"exit code {ended.returncode}"]
        return {"stopped": lines[-1][:200]}
    return json.loads(ended.stdout.strip().splitlines()[-1])


def exponents(results: list[Numbers]) -> dict[str, float]:
    """Return the power of the number of points that each stage grows with, from 30,000 on."""
    own = [r for r in results if r["contestant"] == "diffresnet" and r["n_points"] >= 30_000]
    own = [r for r in own if "stages" in r]
    if len(own) < 2:
        return {}
    sizes = np.log([r["n_points"] for r in own])
    names = own[-1]["stages"]
    return {
        name: float(np.polyfit(sizes, np.log([r["stages"].get(name, 1e-3) for r in own]), 1)[0])
        for name in names
    }


def draw(results: list[Numbers], path: Path) -> None:
    """Draw time and memory over the number of points."""
    plt: Any = import_module("matplotlib.pyplot")
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    own = [r for r in results if r["contestant"] == "diffresnet" and "stages" in r]
    sizes = [r["n_points"] for r in own]
    for name in own[-1]["stages"]:
        left.plot(sizes, [r["stages"].get(name, np.nan) for r in own], "o-", lw=1, ms=3, label=name)
    left.plot(sizes, [r["fit_seconds"] for r in own], "ko-", label="whole fit")
    others = [name for name in CONTESTANTS if "exact" not in name and name != "diffresnet"]
    for name in others:
        runs = [r for r in results if r["contestant"] == name and "stopped" not in r]
        seconds = [r.get("fit_seconds", r.get("search_seconds")) for r in runs]
        if runs:
            left.plot([r["n_points"] for r in runs], seconds, "--", lw=1, label=name)
            memory = [r["gigabytes_above_input"] for r in runs]
            right.plot([r["n_points"] for r in runs], memory, "--", lw=1, label=name)
    right.plot(sizes, [r["gigabytes_above_input"] for r in own], "ko-", label="diffresnet")
    for axes, title in ((left, "seconds"), (right, "peak memory above the input (GB)")):
        axes.set(xscale="log", yscale="log", xlabel="points", title=title)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=7)
    figure.savefig(path, dpi=110)


def main() -> None:
    """Run what is missing, and keep it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--contestants", default=";".join(CONTESTANTS))
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--unfinished", type=Path, default=Path("unfinished"))
    parser.add_argument(
        "--most-seconds", type=float, default=MOST_SECONDS, help="more, on a machine that is busy"
    )
    parser.add_argument("--contestant", help="run this one only, in here")
    parser.add_argument("--points", type=int, default=SIZES[0])
    given = parser.parse_args()
    if given.contestant is not None:
        print(json.dumps(measure(given.contestant, given.points, given.folder)))
        return
    results: list[Numbers] = []
    for name in given.contestants.split(";"):
        if name in NEEDS and find_spec(NEEDS[name]) is None:
            continue
        for size in (int(one) for one in given.sizes.split(",")):
            if size > LARGEST.get(name, SIZES[-1]):
                continue
            kept = given.unfinished / f"scale-{name}-{size}.json"
            if not kept.exists():
                write_whole(
                    kept,
                    json.dumps(run_apart(name, size, given.folder, given.most_seconds)).encode(),
                )
            found = json.loads(kept.read_text())
            results.append({"contestant": name, "n_points": size, **found})
            print(json.dumps(results[-1]), flush=True)
            if "stopped" in found:
                break
    command = "python benchmarks/scale.py"
    keep_results("scale", command, [*results, {"exponents": exponents(results)}])
    draw(results, Path(__file__).parent.parent / "docs" / "images" / "scale.png")


if __name__ == "__main__":
    main()
