"""What is each constant of the mixture worth? Each halved, doubled, and switched off.

On every set of `few_labels.py`, and on two tables of few features, with one and five labels per
class, on the same draws: the difference of the accuracy from that with the default settings, draw
by draw. A stopped run goes on where it was.
"""

import argparse
import json
import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt

from diffresnet._support.writing import write_whole
from diffresnet.estimators import UnreachedWarning
from diffresnet.estimators import features as feature_space
from diffresnet.estimators.components import PENALTY
from diffresnet.estimators.parts.settings import PrototypeSettings
from diffresnet.estimators.points import N_MODES, FittedPoints
from diffresnet.estimators.solution import solve
from diffresnet.estimators.solvers.mixture import MixtureSettings, MixtureSolver
from diffresnet.estimators.strength import StrengthSettings
from diffresnet.measuring.statistics import half_interval
from few_label_sets import SETS as CONTEST_SETS
from few_label_sets import draw, load
from few_labels import judge
from solver_sets import load as load_table
from timing import set_threads, write_results

N_DRAWS = 5
TABLES = ("tables/vowel", "tables/pendigits")
SETS = (*CONTEST_SETS, *TABLES)
OFF: dict[str, Any] = {
    "n_rounds": 0,
    "rate": 1.0,
    "refined_weight": 0.0,
    "many_classes": math.inf,
    "softness": 1e-3,
    "n_sampled": 10**9,
    "n_features": 10**9,
    "least_weight": 1.0,
    "least_scale": 1.0,
    "n_folds": 1,
    "doubt": 1e3,
    "evenness": 1e6,
    "propagation_weight": 0.0,
    "label_exponent": 0.0,
    "clear_gap": math.inf,
    "most": 1e9,
    "component_penalty": 0.0,
    "n_kept": 10**9,
    "few_features": 0,
}
"""What a constant is where it does nothing, for those that can be switched off."""


@dataclass(frozen=True)
class Variant:
    """The settings of one trial, of which one differs from the default."""

    constant: str = "default"
    change: str = ""
    prototypes: PrototypeSettings = field(default_factory=PrototypeSettings)
    mixture: MixtureSettings = field(default_factory=MixtureSettings)
    strength: StrengthSettings = field(default_factory=StrengthSettings)
    component_penalty: float = PENALTY
    n_modes: int = N_MODES
    n_kept: int = feature_space.N_KEPT
    few_features: int = feature_space.FEW_FEATURES

    @property
    def name(self) -> str:
        """What was changed, and how."""
        return f"{self.constant} {self.change}".strip()


def changes(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the constant halved, doubled and off."""
    if not isinstance(value, tuple):
        half = max(1, value // 2) if isinstance(value, int) else value / 2
        yield "halved", half
        yield "doubled", min(2 * value, 1.0) if name in ("rate", "refined_weight") else 2 * value
    if name in OFF:
        yield "off", OFF[name]


def variants() -> list[Variant]:
    """Return the default, and every trial."""
    found = [Variant()]
    for holder in ("prototypes", "mixture", "strength"):
        settings: Any = getattr(Variant(), holder)
        for name in (one.name for one in fields(settings) if one.name != "prototypes"):
            for change, value in changes(name, getattr(settings, name)):
                changed = replace(settings, **{name: value})
                found.append(replace(Variant(name, change), **{holder: changed}))
    for name in ("component_penalty", "n_modes", "n_kept", "few_features"):
        for change, value in changes(name, getattr(Variant(), name)):
            found.append(replace(Variant(name, change), **{name: value}))
    return found


def prepare(features: npt.NDArray[Any], n_classes: int, variant: Variant) -> FittedPoints:
    """Build the graph as the classifier does, but for what the variant changes."""
    changed: dict[str, Any] = {"N_KEPT": variant.n_kept, "FEW_FEATURES": variant.few_features}
    with patch.multiple(feature_space, **changed):
        return FittedPoints.make(
            features,
            None,
            n_classes=n_classes,
            n_top=11,
            bandwidth_rank=6,
            normalization="sinkhorn",
            search="exact",
            seed=0,
            n_modes=variant.n_modes,
        )


def trial(
    variant: Variant, points: FittedPoints, labels: npt.NDArray[Any], partly: npt.NDArray[Any]
) -> dict[str, float]:
    """Return accuracy and calibration error of one variant on one draw."""
    found = solve(
        points,
        partly,
        int(labels.max()) + 1,
        solver=MixtureSolver("auto", replace(variant.mixture, prototypes=variant.prototypes)),
        step_size=0.5,
        n_steps="auto",
        prior=None,
        seed=0,
        settings=variant.strength,
        component_penalty=variant.component_penalty,
    )
    return judge(found.probabilities, labels, partly)


def run(name: str, folder: Path) -> None:
    """Try every variant on a set, and keep what comes out draw by draw."""
    features, labels = load_table(name) if name in TABLES else load(name)
    labels = labels.astype(np.int64)
    prepared: dict[tuple[int, ...], FittedPoints] = {}
    for n_labels in (1, 5):
        for seed in range(N_DRAWS):
            kept = folder / f"ablation-{Path(name).name}-{n_labels}-{seed}.json"
            if kept.exists():
                continue
            partly = draw(labels, n_labels, seed)
            found: dict[str, dict[str, float]] = {}
            for variant in variants():
                graph = (variant.n_modes, variant.n_kept, variant.few_features)
                if graph not in prepared:
                    prepared[graph] = prepare(features, int(labels.max()) + 1, variant)
                found[variant.name] = trial(variant, prepared[graph], labels, partly)
            write_whole(kept, json.dumps(found).encode())
            print(name, n_labels, seed, found["default"], flush=True)


def summarize(folder: Path) -> list[dict[str, Any]]:
    """Return, for each variant, how its accuracy differs from the default, draw by draw.

    Variants that only the kept files have, of constants deleted since, are in it too.
    """
    kept = {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("ablation-*"))}
    results: list[dict[str, Any]] = []
    for name in next(iter(kept.values())):
        cells: dict[str, list[float]] = {}
        errors: list[float] = []
        for stem, found in kept.items():
            cell = stem.removeprefix("ablation-").rsplit("-", 1)[0]
            usual, varied = found["default"], found[name]
            cells.setdefault(cell, []).append(varied["accuracy"] - usual["accuracy"])
            errors.append(varied["calibration_error"] - usual["calibration_error"])
        differences = np.concatenate([np.array(values) for values in cells.values()])
        results.append(
            {
                "variant": name,
                "difference": float(differences.mean()),
                "ci95": half_interval(differences),
                "calibration_error_difference": float(np.mean(errors)),
                "by_cell": {cell: float(np.mean(values)) for cell, values in cells.items()},
            }
        )
    return results


def main() -> None:
    """Run what is missing, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--unfinished", type=Path, default=Path("unfinished"))
    given = parser.parse_args()
    set_threads(1)
    warnings.simplefilter("ignore", UnreachedWarning)
    for name in given.sets.split(","):
        run(name, given.unfinished)
    command = "python benchmarks/classifier_ablation.py"
    write_results("classifier_ablation", command, summarize(given.unfinished))


if __name__ == "__main__":
    main()
