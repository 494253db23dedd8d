"""Can what the classifier says about itself be trusted? One part for each question.

- `audit`: of 20 labels per class a fifth are wrong. Of as many labels as are wrong, the most
  suspicious ones, how many are? Beside cleanlab, on the same held-out probabilities.
- `novelty`: points of a class without any label among the others; the area under the curve of
  `novelty_`, beside logistic regression's largest probability and the nearest label's distance.
- `sets`: how often is the right class in `predict_set`, and how large are the sets? How many of the
  answers of `predict_or_abstain` are wrong, and how many points have one?
- `copies`: one of a hundred rows is there many times more, as it is or rounded. The accuracy on the
  rows as they were, and whether copies have the answer of their row.
- `growth`: labels are added ten at a time. The largest fall of the accuracy, and how near to it
  `expected_accuracy` and, once, `learning_curve` come.

A stopped run goes on where it was; what was run takes its place in the kept results.
"""

import argparse
import json
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import beta
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from diffresnet._support.writing import write_whole
from diffresnet.datasets.files import find_data_file
from diffresnet.estimators import DiffResNetClassifier
from diffresnet.measuring.statistics import half_interval
from few_label_baselines import centered
from few_label_sets import Floats, draw, draw_wrongly, load
from timing import kept_results, set_threads, write_results

N_SEEDS = 20
SETS = ("digits", "mnist", "stackoverflow", "cifar10", "segment", "pendigits")
NOVELTY_SETS = ("mnist", "stackoverflow", "cub")
COPIED_SETS = ("digits", "stackoverflow", "mnist")
COVERAGE = 0.9
ERROR_RATES = (0.05, 0.1)
N_COPIES = (0, 10, 60, 150)
ROUNDING = 1e-4
"""The noise of copies that are not equal, in units of the deviation of the features."""

GROWTH = tuple(range(20, 201, 10))
"""Labels in all; at 100 the curve is compared with what 200 give."""

Numbers = dict[str, float | None]
Job = tuple[dict[str, Any], Callable[[int], Numbers]]
"""What is asked (a line of the table), and the numbers of a seed."""


class Set:
    """Points of a set, and our classifier on them; the graph is made once."""

    def __init__(self, name: str) -> None:
        self.features, self.truth = load(name)
        self.model: DiffResNetClassifier | None = None

    def fit(self, labels: Floats) -> DiffResNetClassifier:
        """Learn from these labels, and no others."""
        if self.model is None:
            self.model = DiffResNetClassifier().fit(self.features, labels)
            return self.model
        return self.model.update_labels(np.arange(len(labels)), labels, exact=True)


def audit_jobs() -> Iterator[Job]:
    """Find wrong labels."""
    for name in SETS:
        data = Set(name)

        def run(seed: int, data: Set = data) -> Numbers:
            labels = draw_wrongly(data.truth, seed)
            model = data.fit(labels)
            solved: Any = model.solution_.solved
            found = solved.held_out
            places = found.rows, found.classes, model.encoded_labels_
            rows = model.copies_.labeled_rows(*places)
            is_wrong = labels[rows] != data.truth[rows]
            n_wrong = int(is_wrong.sum())
            named = model.audit().rows[:n_wrong]
            precision = float((labels != data.truth)[named].sum() / n_wrong)
            numbers: Numbers = {"ours": precision, "named": len(named) / n_wrong}
            if find_spec("cleanlab") is not None:
                rank: Any = import_module("cleanlab.rank")
                filters: Any = import_module("cleanlab.filter")
                given = found.classes, found.probabilities
                scores = rank.get_label_quality_scores(*given)
                numbers["cleanlab, label quality"] = float(
                    is_wrong[np.argsort(scores, kind="stable")[:n_wrong]].mean()
                )
                issues = filters.find_label_issues(
                    *given, return_indices_ranked_by="self_confidence", n_jobs=1
                )
                hits = is_wrong[np.asarray(issues, dtype=np.int64)[:n_wrong]].sum()
                numbers["cleanlab, label issues"] = float(hits / n_wrong)
            return numbers

        yield {"part": "audit", "set": name}, run


def load_novel(name: str, seed: int) -> tuple[Floats, Floats, Floats]:
    """Return features, classes, and which points are of none of the labeled classes.

    Of CUB 20 classes that are labeled, and 10 of the novel ones; of the others one class is novel.
    """
    if name != "cub":
        features, truth = load(name)
        return features, truth, truth == seed % (int(truth.max()) + 1)
    generator = np.random.default_rng(seed)
    bank = np.load(find_data_file("features/cub_efficientnet_lite0.npz"))
    split, labels = bank["split"], bank["labels"]
    known = generator.permutation(np.unique(labels[split == "train"]))[:20]
    novel = generator.permutation(np.unique(labels[split == "test"]))[:10]
    rows = np.flatnonzero(np.isin(labels, np.r_[known, novel]))
    classes = np.unique(labels[rows], return_inverse=True)[1]
    return bank["features"][rows].astype(np.float32), classes, np.isin(labels[rows], novel)


def novelty_jobs() -> Iterator[Job]:
    """Find points of classes without a label."""
    for name in NOVELTY_SETS:
        for n_labels in (1, 5):

            def run(seed: int, name: str = name, n_labels: int = n_labels) -> Numbers:
                features, truth, is_novel = load_novel(name, seed)
                labels = draw(truth, n_labels, seed)
                labels[is_novel] = -1
                rest, seen = labels == -1, labels >= 0
                model = DiffResNetClassifier().fit(features, labels)
                points = centered(features)
                regression = LogisticRegression(max_iter=300).fit(points[seen], labels[seen])
                similar = (points[rest] @ points[seen].T).max(axis=1)
                doubts = {
                    "ours": model.novelty_[rest],
                    "ours, largest probability": -model.label_distributions_[rest].max(axis=1),
                    "logistic regression": -regression.predict_proba(points[rest]).max(axis=1),
                    "nearest label": -similar,
                }
                return {
                    method: float(roc_auc_score(is_novel[rest], doubt))
                    for method, doubt in doubts.items()
                }

            yield {"part": "novelty", "set": name, "labels_per_class": n_labels}, run


def coverage_interval(n_labels: int) -> tuple[float, float]:
    """Return between what the coverage is in 95 of 100 draws of so many labels."""
    n_missed = int((n_labels + 1) * (1 - COVERAGE))
    law: Any = beta(n_labels + 1 - n_missed, n_missed)
    return float(law.ppf(0.025)), float(law.ppf(0.975))


def set_jobs() -> Iterator[Job]:
    """Judge sets of classes, and answers where the classifier does not abstain."""
    for name in SETS:
        data = Set(name)
        for n_labels in (5, 20):

            def judge_sets(seed: int, data: Set = data, n_labels: int = n_labels) -> Numbers:
                labels = draw(data.truth, n_labels, seed)
                rest = labels == -1
                sets = data.fit(labels).predict_set(coverage=COVERAGE)[rest]
                covered = float(sets[np.arange(len(sets)), data.truth[rest]].mean())
                enough = float(covered >= coverage_interval(int((labels >= 0).sum()))[0])
                size = float(sets.sum(axis=1).mean())
                return {"coverage": covered, "size": size, "not below the interval": enough}

            n_all = int((draw(data.truth, n_labels, 0) >= 0).sum())
            asked = {"set": name, "labels_per_class": n_labels}
            interval = {"interval": coverage_interval(n_all)}
            yield {"part": "sets", **asked, **interval}, judge_sets
            for error_rate in ERROR_RATES:

                def abstain(
                    seed: int,
                    data: Set = data,
                    n_labels: int = n_labels,
                    error_rate: float = error_rate,
                ) -> Numbers:
                    labels = draw(data.truth, n_labels, seed)
                    answers = data.fit(labels).predict_or_abstain(error_rate=error_rate)
                    has_answer = (labels == -1) & (answers != -1)
                    wrong = (answers != data.truth)[has_answer]
                    error = float(wrong.mean()) if len(wrong) else None
                    return {"error": error, "answered": float(has_answer[labels == -1].mean())}

                yield {"part": "abstention", **asked, "error_rate": error_rate}, abstain


def copy_jobs() -> Iterator[Job]:
    """Repeat some rows."""
    for name in COPIED_SETS:
        features, truth = load(name)
        for noise in (0.0, ROUNDING):
            for n_copies in N_COPIES if noise == 0 else N_COPIES[1:]:

                def run(
                    seed: int,
                    features: Floats = features,
                    truth: Floats = truth,
                    noise: float = noise,
                    n_copies: int = n_copies,
                ) -> Numbers:
                    generator, labels = np.random.default_rng(seed), draw(truth, 5, seed)
                    which = generator.permutation(len(truth))[: len(truth) // 100]
                    rows = np.repeat(which, n_copies)
                    blur = generator.standard_normal((len(rows), features.shape[1]))
                    copied = features[rows] + (noise * features.std() * blur).astype(np.float32)
                    model = DiffResNetClassifier().fit(
                        np.concatenate([features, copied]),
                        np.concatenate([labels, np.full(len(rows), -1)]),
                    )
                    answers = model.transduction_[: len(truth)]
                    same = model.transduction_[len(truth) :] == answers[rows]
                    right = (answers == truth)[labels == -1]
                    return {"accuracy": float(right.mean()), "same": float(same.all())}

                yield {"part": "copies", "set": name, "copies": n_copies, "noise": noise}, run


def growth_jobs() -> Iterator[Job]:
    """Add labels at random."""
    for name in SETS:
        data = Set(name)

        def run(seed: int, data: Set = data) -> Numbers:
            order = np.random.default_rng(seed).permutation(len(data.truth))
            found: dict[int, float] = {}
            gaps, inside, doubled = list[float](), list[float](), None
            for size in GROWTH:
                labels = np.full(len(order), -1)
                labels[order[:size]] = data.truth[order[:size]]
                model = data.fit(labels)
                found[size] = float((model.transduction_ == data.truth)[labels == -1].mean())
                diagnosis = model.diagnose()
                if (expected := diagnosis.expected_accuracy) is not None:
                    low, high = diagnosis.expected_accuracy_interval or (0.0, 1.0)
                    gaps.append(expected - found[size])
                    inside.append(float(low <= found[size] <= high))
                if size == GROWTH[-1] // 2:
                    doubled = model.learning_curve().expected_at_double
            curve = np.array(list(found.values()))
            last = found[GROWTH[-1]]
            return {
                "largest fall": float(max(0.0, -np.diff(curve).min())),
                "accuracy at half": found[GROWTH[-1] // 2],
                "accuracy at the end": last,
                "expected minus true": float(np.mean(gaps)),
                "expected minus true, size": float(np.mean(np.abs(gaps))),
                "within the interval": float(np.mean(inside)),
                "twice the labels, expected minus true": None
                if doubled is None
                else doubled - last,
            }

        yield {"part": "growth", "set": name}, run


PARTS: dict[str, Callable[[], Iterator[Job]]] = {
    "audit": audit_jobs,
    "novelty": novelty_jobs,
    "sets": set_jobs,
    "copies": copy_jobs,
    "growth": growth_jobs,
}


def summarize(asked: dict[str, Any], runs: list[Numbers]) -> dict[str, Any]:
    """Return the mean of each number over the seeds that have it, its interval and its extremes."""
    numbers: dict[str, Any] = {}
    for name in runs[0]:
        values = np.array([value for one in runs if (value := one[name]) is not None])
        numbers[name] = {
            "mean": float(values.mean()) if len(values) else None,
            "ci95": float(half_interval(values)) if len(values) > 1 else None,
            "least": float(values.min()) if len(values) else None,
            "most": float(values.max()) if len(values) else None,
            "n_seeds": len(values),
        }
    return {**asked, "numbers": numbers}


def key_of(asked: dict[str, Any]) -> str:
    """Return what tells a line of the table from the others."""
    return "-".join(
        str(asked[name]) for name in sorted(asked) if name not in ("numbers", "interval")
    )


def show(result: dict[str, Any]) -> None:
    """Print a line of the table."""
    shown = [
        f"{name} {one['mean']:.3f} ± {one['ci95'] or float('nan'):.3f} (to {one['most']:.3f})"
        for name, one in result["numbers"].items()
        if one["mean"] is not None
    ]
    print(key_of(result), "|", "; ".join(shown), flush=True)


def main() -> None:
    """Run what is asked for, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--sets", help="only these; all if not given")
    parser.add_argument("--seeds", type=int, default=N_SEEDS)
    parser.add_argument("--unfinished", type=Path, default=Path("unfinished"))
    parser.add_argument("--trial", action="store_true", help="print only, keep no results")
    given = parser.parse_args()
    set_threads(1)
    warnings.simplefilter("ignore")
    results = {key_of(result): result for result in kept_results("trust")}
    for part in given.parts.split(","):
        for asked, run in PARTS[part]():
            if given.sets is not None and asked["set"] not in given.sets.split(","):
                continue
            runs: list[Numbers] = []
            for seed in range(given.seeds):
                kept = given.unfinished / f"trust-{key_of(asked)}-{seed}.json"
                if not kept.exists():
                    write_whole(kept, json.dumps(run(seed)).encode())
                runs.append(json.loads(kept.read_text()))
            results[key_of(asked)] = summarize(asked, runs)
            show(results[key_of(asked)])
        if not given.trial:
            command = f"python benchmarks/trust.py --seeds {given.seeds}"
            write_results("trust", command, list(results.values()))


if __name__ == "__main__":
    main()
