"""How well does the regressor foresee values, given few of them, and do its intervals hold?

Most targets are made of real data: a column of a table from the others, or half of an image from
the other half. The settings of the regressor were chosen on the sets of `SEEN`, on other columns of
some of the tables of `FRESH`, and on other draws. Every baseline has standardized features and
chooses its settings by cross-validation.
"""

import argparse
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_wine,
    make_friedman1,
    make_friedman2,
    make_friedman3,
    make_s_curve,
    make_swiss_roll,
)
from sklearn.ensemble import RandomForestRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.preprocessing import StandardScaler

from diffresnet.datasets.files import find_data_file
from diffresnet.estimators import DiffResNetRegressor, UnreachedWarning
from diffresnet.estimators.intervals import held_out_quantile
from diffresnet.estimators.regression import Regression, RegressionSettings, weigh_parts
from diffresnet.measuring.statistics import difference_of, half_interval
from timing import set_threads, write_results

Floats = npt.NDArray[Any]
Baseline = Callable[[Floats, Floats, Floats], Floats]
"""From features and values of some points, and the features of all, to the values of all."""

N_POINTS = 1500
NUMBERS = (20, 50, 200)
COVERAGE = 0.9
OURS = "regressor (ours)"
TABLES = {"pendigits": 8, "letter": 10, "vowel": 4, "satimage": 20, "spambase": 20, "segment": 12}
"""The column that is to be foreseen."""

DOUBTS = {
    "doubt halved": RegressionSettings(doubt=10.0),
    "doubt doubled": RegressionSettings(doubt=40.0),
    "no doubt": RegressionSettings(doubt=1e-9),
    "equal weights": RegressionSettings(doubt=1e9),
}


def table(name: str, column: int) -> tuple[Floats, Floats]:
    """Return the other columns of a table, and the one to be foreseen."""
    features = np.load(find_data_file(f"tables/{name}.npz"))["features"].astype(float)
    rows = np.random.default_rng(0).permutation(len(features))[:N_POINTS]
    return np.delete(features[rows], column, axis=1), features[rows, column]


def halves(images: Floats) -> tuple[Floats, Floats]:
    """Return lower halves, and where the ink of the upper ones is, from left to right."""
    middle = images.shape[1] // 2
    ink = images[:, :middle].sum(axis=1) + 1e-9
    places = ink @ np.arange(images.shape[2]) / ink.sum(axis=1)
    return images[:, middle:].reshape(len(images), -1), places


def fresh() -> dict[str, tuple[Floats, Floats]]:
    """Return the sets that no setting was chosen on."""
    mnist = np.load(find_data_file("images/mnist.npz"))
    images = mnist[next(name for name in mnist.files if mnist[name].ndim == 3)][:N_POINTS]
    faces = np.load(find_data_file("images/umist_faces.npz"))["features"].astype(float)
    loaded: Any = load_wine(), load_breast_cancer()
    wine, cancer = loaded[0].data, loaded[1].data
    sets: dict[str, Any] = {
        "friedman 2": make_friedman2(800, noise=100.0, random_state=0),
        "friedman 3": make_friedman3(800, noise=0.1, random_state=0),
        "s curve": make_s_curve(1000, noise=0.1, random_state=0),
        "mnist": halves(images.astype(float)),
        "faces": halves(faces.reshape(len(faces), 32, 32)),
        "wine": (wine[:, 1:], wine[:, 0]),
        "breast cancer": (np.delete(cancer, 21, axis=1), cancer[:, 21]),
    }
    return sets | {name: table(name, column) for name, column in TABLES.items()}


def seen() -> dict[str, tuple[Floats, Floats]]:
    """Return sets that the settings were chosen on, with other draws of values."""
    diabetes: Any = load_diabetes()
    generator = np.random.default_rng(0)
    angle = generator.uniform(1.5 * np.pi, 5.5 * np.pi, 600)
    points = np.stack([angle * np.cos(angle), angle * np.sin(angle)], axis=1)
    return {
        "diabetes": (diabetes.data, diabetes.target),
        "friedman 1": make_friedman1(800, noise=1.0, random_state=0),
        "spiral": (points + 0.3 * generator.standard_normal((600, 2)), np.sin(1.5 * angle)),
        "swiss roll": make_swiss_roll(1000, noise=0.3, random_state=0),
    }


def ridge(features: Floats, values: Floats, everything: Floats) -> Floats:
    """Foresee by ridge regression."""
    return RidgeCV(np.logspace(-4, 4, 33)).fit(features, values).predict(everything)


def neighbors(features: Floats, values: Floats, everything: Floats) -> Floats:
    """Foresee by the nearest neighbors."""
    numbers = [one for one in (1, 2, 3, 5, 8, 12, 20) if one < 0.8 * len(values)]
    model = KNeighborsRegressor(weights="distance")
    search = GridSearchCV(model, {"n_neighbors": numbers}, cv=5)
    return search.fit(features, values).predict(everything)


def kernel(features: Floats, values: Floats, everything: Floats) -> Floats:
    """Foresee by kernel ridge regression with a Gaussian kernel."""
    widths = np.array([0.03, 0.1, 0.3, 1, 3]) / features.shape[1]
    grid = {"alpha": np.logspace(-4, 1, 6), "gamma": widths}
    search = GridSearchCV(KernelRidge(kernel="rbf"), grid, cv=5)
    mean = values.mean()
    return search.fit(features, values - mean).predict(everything) + mean


def forest(features: Floats, values: Floats, everything: Floats) -> Floats:
    """Foresee by a random forest."""
    return RandomForestRegressor(random_state=0).fit(features, values).predict(everything)


BASELINES: dict[str, Baseline] = {
    "ridge regression": ridge,
    "k-NN": neighbors,
    "kernel ridge": kernel,
    "random forest": forest,
}


def explained(found: Floats, truth: Floats, rest: npt.NDArray[np.bool_]) -> float:
    """Return R^2 on the points without a value."""
    return float(1 - np.mean((found - truth)[rest] ** 2) / np.var(truth[rest]))


def judge(features: Floats, truth: Floats, n_values: int, seed: int) -> dict[str, float]:
    """Return R^2 of every method for one draw, and how often and how widely intervals hold."""
    rows = np.random.default_rng(10_000 + seed).permutation(len(truth))[:n_values]
    given = np.full(len(truth), np.nan)
    given[rows] = truth[rows]
    rest = np.isnan(given)
    scaled = StandardScaler().fit_transform(features)
    found = {
        name: explained(method(scaled[rows], truth[rows], scaled), truth, rest)
        for name, method in BASELINES.items()
    }
    model = DiffResNetRegressor().fit(features, given)
    found[OURS] = explained(model.transduction_, truth, rest)
    learned = model.regression_
    errors = np.abs(learned.values.values.numpy() - learned.held_out)
    half = held_out_quantile(errors, COVERAGE)
    constant = model.transduction_[:, None] + [-half, half]
    ends = {"local": model.predict_interval(coverage=COVERAGE), "constant": constant}
    for kind, (low, high) in ((kind, both[rest].T) for kind, both in ends.items()):
        found[f"coverage, {kind} width"] = float(
            np.mean((low <= truth[rest]) & (truth[rest] <= high))
        )
        found[f"{kind} width"] = float(np.mean(high - low) / truth.std())
    for name, changed in changes(learned):
        found[name] = explained(changed.fitted[model.copies_.point], truth, rest)
    return found


def changes(learned: Regression) -> Iterator[tuple[str, Regression]]:
    """Yield what was learned with other settings, and without each of the parts."""
    for name, settings in DOUBTS.items():
        weights = weigh_parts(learned.parts, learned.values, settings)
        yield name, replace(learned, weights=weights)
    for part in learned.parts:
        fewer = tuple(one for one in learned.parts if one is not part)
        weights = weigh_parts(fewer, learned.values)
        yield f"without {part.name}", replace(learned, parts=fewer, weights=weights)


def main() -> None:
    """Run every method on every set, and print the means over the sets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=5)
    n_draws: int = parser.parse_args().draws
    set_threads(1)
    warnings.simplefilter("ignore", UnreachedWarning)
    results: list[dict[str, Any]] = []
    for group, sets in {"fresh": fresh(), "seen": seen()}.items():
        for name, (features, truth) in sets.items():
            # A set of few points keeps half of them to be foreseen.
            for n_values in (one for one in NUMBERS if one <= len(truth) / 2):
                draws = [judge(features, truth, n_values, seed) for seed in range(n_draws)]
                for method in draws[0]:
                    values = np.array([one[method] for one in draws])
                    results.append(
                        {
                            "group": group,
                            "set": name,
                            "values": n_values,
                            "method": method,
                            "mean": float(values.mean()),
                            "ci95": half_interval(values),
                        }
                    )
                    if method in BASELINES:
                        own = np.array([one[OURS] for one in draws])
                        results[-1]["ours_minus_it"] = difference_of(own, values).to_json()
                print(group, name, n_values, flush=True)
    write_results("few_values", f"python benchmarks/few_values.py --draws {n_draws}", results)
    for group in ("fresh", "seen"):
        for method in dict.fromkeys(one["method"] for one in results):
            means = [
                np.mean([one["mean"] for one in results if _is(one, group, number, method)])
                for number in NUMBERS
            ]
            print(group, method, *(f"{mean:.3f}" for mean in means))


def _is(result: dict[str, Any], group: str, n_values: int, method: str) -> bool:
    return (result["group"], result["values"], result["method"]) == (group, n_values, method)


if __name__ == "__main__":
    main()
