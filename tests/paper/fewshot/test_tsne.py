import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from diffresnet import DiffusionOperator, build_weights
from diffresnet.paper.fewshot.plan import task_shape
from diffresnet.paper.fewshot.tsne import TaskView, report_tsne, view_task
from tests.paper.examples import small_bank, small_plan


def test_views_are_of_one_task() -> None:
    plan = small_plan()
    before, after = view_task(plan, 5, 3)
    assert (before.n_steps, after.n_steps) == (0, 5)
    assert before.n_support == task_shape(5).n_support
    torch.testing.assert_close(before.labels[:25], torch.arange(5).repeat_interleave(5))
    rows = {tuple(row) for row in plan.bank.features.tolist()}
    assert all(tuple(point) in rows for point in before.points.tolist())
    weights = build_weights(before.points, 7, bandwidth_rank=4, normalization="symmetric")
    expected = DiffusionOperator(weights).diffuse(before.points, 0.5, 5, method="euler")
    torch.testing.assert_close(after.points, expected, rtol=1e-4, atol=1e-5)
    other, _ = view_task(plan, 5, 4)
    assert not torch.equal(other.points, before.points)


def test_numbers_of_a_view() -> None:
    points = torch.tensor([[0.0, 0.0], [4.0, 0.0], [0.0, 2.0], [4.0, 2.0], [0.0, 1.0], [1.0, 0.0]])
    view = TaskView(0, points, torch.tensor([0, 1, 0, 1, 0, 1]), ("a", "b"), 1)
    assert view.accuracy == pytest.approx(3 / 4)  # the last is nearer to the other class
    alike: list[float] = []
    apart: list[float] = []
    for i in range(6):
        for j in range(i):
            distance = float((points[i] - points[j]).norm())
            (alike if view.labels[i] == view.labels[j] else apart).append(distance)
    assert view.between_within_ratio == pytest.approx(np.mean(apart) / np.mean(alike))
    assert view.to_json()["distance_diameter_ratio"] == pytest.approx(1 / 13**0.5)


def test_embedding_repeats() -> None:
    view, _ = view_task(small_plan(), 1, 0)
    first, second = view.embed(), view.embed()
    assert torch.equal(first.points, second.points)
    assert first.points.shape == (80, 2)
    assert (first.title, first.n_support) == ("1 shot, before diffusion", 5)


def test_names_and_report() -> None:
    pytest.importorskip("matplotlib")
    plan = replace(small_plan(), bank=small_bank(spread=0.1))
    report = report_tsne(plan, task=2)
    numbers = json.loads(json.dumps(report.numbers))
    assert numbers["command"].endswith("--task 2")
    shown = [(row["n_shots"], row["n_steps"]) for row in numbers["results"]]
    assert shown == [(1, 0), (1, 10), (5, 0), (5, 5)]
    assert all(name.startswith("bird ") for name in numbers["results"][0]["classes"])
    before, after = numbers["results"][:2]
    assert after["between_within_ratio"] > before["between_within_ratio"]
    assert set(report.pictures) == {"tsne.png", "tsne.svg"}
