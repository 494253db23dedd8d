"""What is each constant of the mixture worth? Each halved, doubled, and switched off.

On the sets of `tuning_sets.py`, with one and five labels per class, and five where class sizes fall
from 1 to 0.1, on the same draws: the difference of the accuracy from that with the default
settings, draw by draw. Then, with each kind of sets left out in turn, which constants the others
would have changed: those whose change gains more than its 95 % interval on them. A stopped run goes
on where it was.
"""

import argparse
import json
import math
import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt

from diffresnet._support.writing import write_whole
from diffresnet.estimators import UnreachedWarning
from diffresnet.estimators import points as points_of_graph
from diffresnet.estimators.components import PENALTY
from diffresnet.estimators.parts import propagation
from diffresnet.estimators.points import FittedPoints
from diffresnet.estimators.solution import solve
from diffresnet.estimators.solvers.mixture import MixtureSolver
from diffresnet.learning import confidence, label_shift, weighing
from diffresnet.learning import features as feature_space
from diffresnet.learning import labels as labels_module
from diffresnet.learning.mixture_settings import MixtureSettings
from diffresnet.learning.prototype_settings import PrototypeSettings
from diffresnet.learning.ridge import CONSTANTS, RIDGES, Penalty
from diffresnet.learning.strength import StrengthSettings
from diffresnet.measuring.statistics import half_interval
from few_label_sets import CELLS, unbalance
from few_labels import judge
from timing import set_threads, write_results
from tuning_sets import KINDS, load

N_DRAWS = 2
WAYS = ("1", "5", "unbalanced")
MODULES: dict[str, Any] = {
    "SCALE_DOUBT": weighing,
    "BIAS_DOUBT": weighing,
    "USUAL_NOISE": weighing,
    "RELATIVE_DOUBT": label_shift,
    "N_BEFOREHAND": confidence,
    "STEEPNESS": confidence,
    "FLOOR": propagation,
    "BANDWIDTH_SCALE": points_of_graph,
    "N_MODES": points_of_graph,
    "N_KEPT": feature_space,
    "FEW_FEATURES": feature_space,
}
"""Constants of a module, and where they are."""

OF_THE_GRAPH = ("FLOOR", "BANDWIDTH_SCALE", "N_MODES", "N_KEPT", "FEW_FEATURES")
"""Those of them that the graph depends on, or what is kept of its kernel."""

OFF: dict[str, Any] = {
    "n_rounds": 0,
    "rate": 1.0,
    "refined_weight": 0.0,
    "many_classes": math.inf,
    "n_sampled": 10**9,
    "least_trust": 1.0,
    "n_folds": 1,
    "doubt": 1e3,
    "propagation_weight": 0.0,
    "clear_gap": math.inf,
    "component_penalty": 0.0,
    "SCALE_DOUBT": 1e3,
    "BIAS_DOUBT": 1e-3,
    "RELATIVE_DOUBT": 1e-3,
    "USUAL_NOISE": 1e-6,
    "N_BEFOREHAND": 0.0,
    "STEEPNESS": 0.0,
    "N_KEPT": 10**9,
    "FEW_FEATURES": 0,
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
    patched: Any = None

    @property
    def name(self) -> str:
        """What was changed, and how."""
        return f"{self.constant} {self.change}".strip()

    @property
    def graph(self) -> str:
        """Which graph it needs."""
        return self.name if self.constant in OF_THE_GRAPH else "default"


def changes(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the constant halved, doubled and off."""
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
    for change, value in changes("component_penalty", PENALTY):
        found.append(Variant("component_penalty", change, component_penalty=value))
    for name, module in MODULES.items():
        for change, value in changes(name, getattr(module, name)):
            found.append(Variant(name, change, patched=value))
    for change, constants in (
        ("halved", tuple(one / 2 for one in CONSTANTS)),
        ("doubled", tuple(2 * one for one in CONSTANTS)),
        ("off", CONSTANTS[:1]),
    ):
        penalties = tuple(Penalty(ridge, one) for one in constants for ridge in RIDGES)
        found.append(Variant("CLASS_PENALTIES", change, patched=penalties))
    return found


def prepare(features: npt.NDArray[Any], n_classes: int) -> FittedPoints:
    """Build the graph as the classifier does."""
    return FittedPoints.make(
        features,
        None,
        n_classes=n_classes,
        n_top=11,
        bandwidth_rank=6,
        normalization="sinkhorn",
        search="exact",
        seed=0,
        n_modes=points_of_graph.N_MODES,
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
    features, labels = load(name)
    for way in WAYS:
        rows = unbalance(labels) if way == "unbalanced" else np.arange(len(labels))
        prepared: dict[str, FittedPoints] = {}
        for seed in range(N_DRAWS):
            kept = folder / f"ablation-{name}-{way}-{seed}.json"
            if kept.exists():
                continue
            partly = CELLS[way](labels[rows], 1000 + seed)
            found: dict[str, dict[str, float]] = {}
            for variant in variants():
                with ExitStack() as stack:
                    if variant.patched is not None:
                        module = MODULES.get(variant.constant, labels_module)
                        stack.enter_context(patch.object(module, variant.constant, variant.patched))
                    if variant.graph not in prepared:
                        prepared[variant.graph] = prepare(features[rows], int(labels.max()) + 1)
                    graph = prepared[variant.graph]
                    found[variant.name] = trial(variant, graph, labels[rows], partly)
            write_whole(kept, json.dumps(found).encode())
            print(name, way, seed, found["default"], flush=True)


def differences_of(folder: Path) -> dict[str, dict[str, list[float]]]:
    """Return, for each variant and kind of sets, the gains of accuracy, draw by draw."""
    kinds = {name: kind for kind, names in KINDS.items() for name in names}
    found: dict[str, dict[str, list[float]]] = {}
    for path in sorted(folder.glob("ablation-*.json")):
        kept = json.loads(path.read_text())
        kind = kinds[path.stem.removeprefix("ablation-").rsplit("-", 2)[0]]
        for name, one in kept.items():
            gain = one["accuracy"] - kept["default"]["accuracy"]
            found.setdefault(name, {}).setdefault(kind, []).append(gain)
    return found


def summarize(folder: Path) -> list[dict[str, Any]]:
    """Return the gain of each variant, and what would be chosen with a kind left out."""
    gains = differences_of(folder)
    results: list[dict[str, Any]] = []
    for name, by_kind in gains.items():
        every = np.concatenate([np.array(values) for values in by_kind.values()])
        results.append(
            {
                "variant": name,
                "difference": float(every.mean()),
                "ci95": half_interval(every),
                "by_kind": {kind: float(np.mean(values)) for kind, values in by_kind.items()},
            }
        )
    for left_out in KINDS:
        for name, by_kind in gains.items():
            others = [np.array(v) for kind, v in by_kind.items() if kind != left_out]
            own, every = by_kind.get(left_out), np.concatenate(others)
            if own is not None and every.mean() > half_interval(every) > 0:
                results.append(
                    {
                        "left_out": left_out,
                        "chosen": name,
                        "gain_on_the_others": float(every.mean()),
                        "gain_on_the_kind_left_out": float(np.mean(own)),
                        "ci95": half_interval(np.array(own)),
                    }
                )
    return results


def main() -> None:
    """Run what is missing, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", help="with commas between them; all if not given")
    parser.add_argument("--unfinished", type=Path, default=Path("unfinished"))
    given = parser.parse_args()
    set_threads(1)
    warnings.simplefilter("ignore", UnreachedWarning)
    every = [name for names in KINDS.values() for name in names]
    for name in every if given.sets is None else given.sets.split(","):
        run(name, given.unfinished)
    command = "python benchmarks/classifier_ablation.py"
    write_results("classifier_ablation", command, summarize(given.unfinished))


if __name__ == "__main__":
    main()
