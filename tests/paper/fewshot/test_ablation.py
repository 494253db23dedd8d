import json

import pytest

from diffresnet.measuring.statistics import half_interval
from diffresnet.paper.fewshot.ablation import compare_with_internal, report_ablation, run_ablation
from diffresnet.paper.fewshot.ablation_methods import INTERNAL
from diffresnet.report.page import make_page
from tests.paper.examples import small_plan


def test_differences_are_those_of_internal_task_by_task() -> None:
    accuracies = run_ablation(small_plan(6), (1,), "kernel")[1]
    found = compare_with_internal(accuracies)
    assert INTERNAL not in found
    assert len(found) == 4
    expected = accuracies[INTERNAL].accuracies - accuracies["Diffusion"].accuracies
    assert found["Diffusion"].difference == pytest.approx(expected.mean())
    assert found["Diffusion"].ci95 == pytest.approx(half_interval(expected))


def test_one_task_has_no_interval() -> None:
    pytest.importorskip("matplotlib")
    numbers = report_ablation(small_plan(1), shots=(1,), solver="kernel").numbers
    found = json.loads(json.dumps(numbers, allow_nan=False))["results"][0]
    assert found["internal_minus_this"]["ci95"] is None


def test_report() -> None:
    pytest.importorskip("matplotlib")
    report = report_ablation(small_plan(), shots=(1, 5), solver="kernel")
    assert set(report.pictures) == {"ablation.png", "ablation.svg"}
    numbers = json.loads(json.dumps(report.numbers))
    assert numbers["command"].endswith("--tasks 3 --seed 1 --solver kernel")
    assert len(numbers["results"]) == 10
    internal = numbers["results"][4]
    assert (internal["n_shots"], internal["method"]) == (1, INTERNAL)
    assert "internal_minus_this" not in internal
    assert set(numbers["results"][0]["internal_minus_this"]) == {"difference", "ci95"}
    assert numbers["published_percent"]["ResNet-18"][INTERNAL][4] == 79.12
    page = make_page(report.title, report.parts).decode()
    assert page.count("<table>") == 3
    assert f"{100 * internal['accuracy']:.2f} ± {100 * internal['ci95']:.2f}" in page
    for text in ("10 for 1 shot, 5 for 5 shots", "<td>79.12</td>", "<td>87.76</td>"):
        assert text in page
    assert [row[0] for row in report.summaries[0].rows][-1] == INTERNAL
