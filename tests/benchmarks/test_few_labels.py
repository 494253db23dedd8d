import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import few_labels
from few_label_baselines import TOLD, Graphs, baselines, learn_on_graph
from few_label_sets import CELLS, LabeledSet
from few_labels import OURS, Contest, accuracies_of, compare, place, run_baseline

Floats = npt.NDArray[Any]
N_DRAWS = 4


def clusters(n_points: int = 60) -> LabeledSet:
    """Return two clusters, the first of two thirds of the points."""
    labels = (np.arange(n_points) >= 2 * n_points // 3).astype(np.int64)
    noise = np.random.default_rng(0).normal(size=(n_points, 2))
    return LabeledSet((noise + 8 * labels[:, None]).astype(np.float32), labels)


class Fake:
    """Says the truth, or the contrary, and counts how often it is asked."""

    def __init__(self, here: LabeledSet, *, is_right: bool) -> None:
        self.scores = np.eye(2)[here.labels if is_right else 1 - here.labels]
        self.n_calls = 0

    def __call__(self, _: Floats, __: Floats) -> Floats:
        self.n_calls += 1
        return self.scores


def draws(here: LabeledSet, n_draws: int = N_DRAWS) -> list[Floats]:
    return [CELLS["2"](here.labels, seed) for seed in range(n_draws)]


def test_the_first_draws_choose_a_variant_and_are_not_run_twice() -> None:
    here = clusters()
    wrong, right = Fake(here, is_right=False), Fake(here, is_right=True)
    found = run_baseline([wrong, right], here, draws(here), None)
    assert (found["variant"], found["accuracies"]) == (1, [1.0] * N_DRAWS)
    assert (wrong.n_calls, right.n_calls) == (2, N_DRAWS)


def test_a_kept_result_is_extended_by_what_is_missing() -> None:
    here = clusters()
    wrong, right = Fake(here, is_right=False), Fake(here, is_right=True)
    kept = {"variant": 0, "accuracies": [0.5, 0.25, 0.125], "calibration_error": 0.1}
    found = run_baseline([wrong, right], here, draws(here), kept)
    assert found["accuracies"] == [0.5, 0.25, 0.125, 0.0]
    assert (wrong.n_calls, right.n_calls) == (1, 0)
    assert "calibration_error" not in found


def result(method: str, accuracies: list[float]) -> dict[str, Any]:
    found = {"method": method, "set": "a", "labels": "2", "variant": 0}
    return found | {"accuracies": accuracies, "accuracy": float(np.mean(accuracies))}


@pytest.fixture
def contestants(monkeypatch: pytest.MonkeyPatch) -> dict[str, Fake]:
    """Put a baseline and ours in the place of all methods."""
    here = clusters()
    found = {"good": Fake(here, is_right=True), OURS: Fake(here, is_right=True)}
    monkeypatch.setattr(few_labels, "load_cell", lambda *_: here)  # pyright: ignore[reportUnknownLambdaType]
    monkeypatch.setattr(few_labels, "baselines", lambda *_, **__: {"good": [found["good"]]})  # pyright: ignore[reportUnknownLambdaType]
    monkeypatch.setattr(few_labels, "Ours", lambda _: found[OURS])  # pyright: ignore[reportUnknownLambdaType]
    return found


def test_a_stopped_contest_goes_on(tmp_path: Path, contestants: dict[str, Fake]) -> None:
    Contest(tmp_path, N_DRAWS, lambda _: True).run("a", "2", {})
    contest = Contest(tmp_path, N_DRAWS, lambda _: True)
    found = contest.run("a", "2", {})
    assert {one["method"] for one in found} == {"good", OURS}
    assert contestants["good"].n_calls == contestants[OURS].n_calls == N_DRAWS
    more = Contest(tmp_path, N_DRAWS + 1, lambda _: True).run("a", "2", {})
    assert all(len(one["accuracies"]) == N_DRAWS + 1 for one in more)
    contest.end()
    assert {len(json.loads(one.read_text())["accuracies"]) for one in tmp_path.iterdir()} == {5}


def test_kept_baselines_stay_and_ours_runs_anew(
    tmp_path: Path, contestants: dict[str, Fake]
) -> None:
    kept = {place(one): one for one in (result("good", [0.5] * 9), result(OURS, [0.5] * 9))}
    found = Contest(tmp_path, N_DRAWS, lambda _: True).run("a", "2", kept)
    assert [one["method"] for one in found] == [OURS]
    assert len(found[0]["calibration_errors"]) == N_DRAWS
    assert contestants["good"].n_calls == 0
    assert Contest(tmp_path, N_DRAWS, lambda method: method != OURS).run("a", "2", kept) == []


def test_methods_that_are_told_the_proportions_have_no_rank(
    capsys: pytest.CaptureFixture[str],
) -> None:
    ours, good = result(OURS, [0.7, 0.7]), result("good", [0.6, 0.6, 0.9])
    told = result(f"better {TOLD}", [0.9, 0.9])
    results = {place(one): one for one in (ours, good, told)}
    compare(results)
    printed = capsys.readouterr().out
    assert "| a | 2 | 70.0 | good 60.0 | +10.0" in printed
    assert "mean rank 1.00" in printed
    assert accuracies_of(results, "a", "2")["good"].tolist() == [0.6, 0.6]


def test_baselines_that_are_told_say_so() -> None:
    told = [name for name in baselines(clusters(), with_graphlearning=True) if TOLD in name]
    assert told == [f"CutSSL {TOLD}", f"graphlearning Poisson-MBO {TOLD}"]


def test_poisson_mbo_keeps_the_proportions() -> None:
    pytest.importorskip("graphlearning")
    here = clusters()
    graph = Graphs(here.features)
    run = learn_on_graph("poisson_mbo", {}, lambda: graph.learning(5), here.proportions)
    scores = run(here.features, draws(here)[0])
    assert (scores.argmax(axis=1) == here.labels).all()


def test_the_same_point_many_times_has_weights() -> None:
    pytest.importorskip("graphlearning")
    features = np.repeat(np.arange(4.0), 10)[:, None] + np.zeros((1, 2))
    weights = Graphs(features).learning(5)
    assert np.isfinite(weights.data).all()
    assert weights.data.max() == 1
