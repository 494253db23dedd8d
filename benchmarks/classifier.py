"""How fast is the classifier on 70,000 images, and how much memory does it take?

MNIST as pixels with 10 labels. Rivals: scikit-learn's LabelSpreading with a graph of neighbors,
and, where it is installed (with `annoy`), graphlearning's search for neighbors and Poisson
learning. Each runs in a process of its own, one after the other.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from importlib import import_module
from typing import Any

import numpy as np
import torch
from sklearn.semi_supervised import LabelSpreading

from diffresnet.datasets.files import find_data_file
from diffresnet.estimators import DiffResNetClassifier
from timing import write_results

N_ROUNDS = 1
CONTESTANTS = ("diffresnet", "label spreading", "graphlearning")


def load() -> tuple[Any, Any, Any]:
    """Return the images, their classes, and one label per class."""
    arrays = np.load(find_data_file("images/mnist.npz"))
    images = np.concatenate([arrays["x_train"], arrays["x_test"]]).reshape(70_000, -1)
    classes = np.concatenate([arrays["y_train"], arrays["y_test"]])
    labels = np.full(len(classes), -1)
    for one in range(10):
        labels[np.flatnonzero(classes == one)[0]] = one
    return images.astype(np.float32) / 255, classes, labels


def measure(name: str) -> dict[str, float]:
    """Time one contestant, and tell its memory beyond that of the images."""
    images, classes, labels = load()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    found: dict[str, float] = {}
    if name == "diffresnet":
        model = DiffResNetClassifier().fit(images, labels)
        guess = model.transduction_
        found["fit_seconds"] = time.perf_counter() - start
        start = time.perf_counter()
        model.update_labels([100], [int(classes[100])])
        found["update_seconds"] = time.perf_counter() - start
        start = time.perf_counter()
        model.predict(images[:1000] + 0.01)
        found["predict_1000_seconds"] = time.perf_counter() - start
    elif name == "label spreading":
        guess = LabelSpreading(kernel="knn").fit(images, labels).transduction_
        found["fit_seconds"] = time.perf_counter() - start
    else:
        graphlearning: Any = import_module("graphlearning")
        known = np.flatnonzero(labels >= 0)
        weights = graphlearning.weightmatrix.knn(images, 10)
        guess = graphlearning.ssl.poisson(weights).fit_predict(known, labels[known])
        found["fit_seconds"] = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found["megabytes"] = (after - before) / 1024
    found["accuracy"] = float((guess == classes).mean())
    return found


def main() -> None:
    """Run all contestants, each in its own process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--contestant", choices=CONTESTANTS, help="run this one only, in here")
    given = parser.parse_args()
    if given.contestant is not None:
        print(json.dumps(measure(given.contestant)))
        return
    results: list[dict[str, Any]] = []
    for turn in range(N_ROUNDS):
        for name in CONTESTANTS:
            command = [sys.executable, __file__, "--contestant", name]
            done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
            if done.returncode != 0:
                print(f"{name} did not run: {done.stderr.splitlines()[-1]}")
                continue
            result = {"contestant": name, "round": turn, "threads": torch.get_num_threads()}
            results.append(result | json.loads(done.stdout.splitlines()[-1]))
            print(results[-1], flush=True)
    write_results("classifier", "python benchmarks/classifier.py", results)


if __name__ == "__main__":
    main()
