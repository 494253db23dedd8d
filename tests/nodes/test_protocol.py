import json
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from diffresnet.nodes.baselines.label_propagation import LabelPropagation
from diffresnet.nodes.baselines.mlp import Mlp
from diffresnet.nodes.diffresnet_method import TrainedDiffResNet
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.kernel_method import KernelDiffResNet
from diffresnet.nodes.method import Solve
from diffresnet.nodes.protocol import NodeResult, compare, run_protocol
from diffresnet.nodes.splits import GivenSplit, SplitProtocol
from diffresnet.nodes.training import NodeSchedule
from tests.nodes.examples import clusters

PROTOCOL = SplitProtocol(5, 5, n_splits=3, n_inits=2)
NETWORK = Mlp(schedule=NodeSchedule(n_epochs=200))
METHOD = TrainedDiffResNet(0.2, 3, 0.2, NodeSchedule(n_epochs=10))


def without_times(result: NodeResult) -> list[Any]:
    return [(run.split, run.init, run.accuracy) for run in result.runs]


def test_one_process_or_two() -> None:
    one, two = (run_protocol(clusters(), METHOD, PROTOCOL, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert without_times(one) == without_times(two)
    assert [(run.split, run.init) for run in one.runs] == [(s, i) for s in range(3) for i in (0, 1)]
    assert one.protocol.endswith("seed 42, 3 splits x 2 inits")
    shown = one.to_json()
    assert shown["accuracy_mean"] == pytest.approx(np.mean(one.accuracies))
    assert shown["accuracy_std"] == pytest.approx(np.std(one.accuracies))
    assert {"runs", "seconds_per_run", "protocol"} <= set(shown)


def test_not_random_has_one_init() -> None:
    result = run_protocol(clusters(), LabelPropagation(), PROTOCOL)
    assert len(result.runs) == 3
    assert "3 splits x 1 inits" in result.protocol


def test_finished_runs_are_not_run_again(tmp_path: Path) -> None:
    kept = tmp_path / "runs.jsonl"
    first = run_protocol(clusters(), METHOD, PROTOCOL, resume=kept)
    lines = kept.read_text().splitlines()
    assert len(lines) == 7
    changed = json.loads(lines[2]) | {"accuracy": 0.125}
    # One run has another accuracy, one is missing, one was being written.
    kept.write_text("\n".join([*lines[:2], json.dumps(changed), *lines[3:6], lines[6][:20]]))
    again = run_protocol(clusters(), METHOD, PROTOCOL, resume=kept)
    expected = without_times(first)
    expected[1] = (0, 1, 0.125)
    assert without_times(again) == expected
    assert len(kept.read_text().splitlines()) == 7
    more = SplitProtocol(5, 5, n_splits=4, n_inits=2)
    assert without_times(run_protocol(clusters(), METHOD, more, resume=kept))[:6] == expected


def test_runs_of_something_else(tmp_path: Path) -> None:
    kept = tmp_path / "runs.jsonl"
    run_protocol(clusters(), LabelPropagation(), PROTOCOL, resume=kept)
    with pytest.raises(ValueError, match="run_protocol: `resume` must be a file of the same runs"):
        run_protocol(clusters(), LabelPropagation(alpha=0.5), PROTOCOL, resume=kept)
    with pytest.raises(ValueError, match="run_protocol: `resume` must be a file of the same runs"):
        run_protocol(clusters(seed=1), LabelPropagation(), PROTOCOL, resume=kept)
    assert clusters() != clusters(seed=1)


def test_differences_of_methods() -> None:
    results = [
        run_protocol(clusters(), method, PROTOCOL) for method in (METHOD, LabelPropagation())
    ]
    found = compare(*results)
    assert found.difference == pytest.approx(
        results[0].of_splits().mean() - results[1].of_splits().mean()
    )
    differences = results[0].of_splits() - results[1].of_splits()
    expected = 4.302653 * differences.std(ddof=1) / np.sqrt(3)  # Student's t with 2 degrees
    assert found.ci95 == pytest.approx(expected)
    elsewhere = run_protocol(clusters(seed=1), METHOD, PROTOCOL)
    with pytest.raises(ValueError, match="compare: `other` must be of the same graph"):
        compare(results[0], elsewhere)
    once = run_protocol(clusters(), LabelPropagation(), SplitProtocol(5, 5, n_splits=1))
    assert np.isnan(compare(once, once).ci95)
    other = run_protocol(clusters(), LabelPropagation(), SplitProtocol(5, 5, n_splits=2))
    with pytest.raises(ValueError, match="compare: `other` must be of protocol"):
        compare(results[0], other)


def test_given_splits_are_told_apart(tmp_path: Path) -> None:
    masks = {"train_mask": np.arange(120) % 8 == 0, "test_mask": np.arange(120) % 8 == 1}
    graph = clusters()
    one, other = (
        NodeGraph.from_arrays(graph.adjacency, graph.features, graph.labels, masks=given)
        for given in (masks, {"train_mask": masks["test_mask"], "test_mask": masks["train_mask"]})
    )
    kept = tmp_path / "runs.jsonl"
    run_protocol(one, LabelPropagation(), GivenSplit(), resume=kept)
    with pytest.raises(ValueError, match="`resume` must be a file of the same runs"):
        run_protocol(other, LabelPropagation(), GivenSplit(), resume=kept)


def test_the_caller_keeps_its_threads() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    run_protocol(clusters(), LabelPropagation(), PROTOCOL)
    assert torch.get_num_threads() == 2
    torch.set_num_threads(before)


@pytest.mark.filterwarnings("ignore")
def test_runs_that_diverge_are_no_results(tmp_path: Path) -> None:
    method, kept = TrainedDiffResNet(1000.0, 20, 0.0, NodeSchedule(n_epochs=3)), tmp_path / "runs"
    n_threads = torch.get_num_threads()
    with pytest.raises(ValueError, match=r"step_size|one that learns"):
        run_protocol(clusters(), method, PROTOCOL, resume=kept)
    assert not kept.exists()
    assert torch.get_num_threads() == n_threads


def test_methods_without_a_text_of_their_own() -> None:
    class Mine:
        name, is_random = "mine", False

        def prepare(self, graph: NodeGraph) -> Solve:
            return LabelPropagation().prepare(graph)

    with pytest.raises(ValueError, match="`method` must be described by its settings"):
        run_protocol(clusters(), Mine(), PROTOCOL)


SCRIPT = """
import sys
from pathlib import Path
from tests.nodes.test_protocol import NETWORK, PROTOCOL, clusters
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.method import Solve
from diffresnet.nodes.protocol import run_protocol
run_protocol(clusters(), NETWORK, PROTOCOL, resume=Path(sys.argv[1]))
"""


def test_killed_at_any_moment(tmp_path: Path) -> None:
    kept = tmp_path / "runs.jsonl"
    root = Path(__file__).parents[2]
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(kept)], cwd=root)  # noqa: S603
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        if kept.exists() and kept.read_text().count("\n") >= 3:
            os.kill(process.pid, signal.SIGKILL)
            break
        time.sleep(0.005)
    process.wait()
    n_before = kept.read_text().count("\n") - 1
    assert n_before >= 1
    resumed = run_protocol(clusters(), NETWORK, PROTOCOL, resume=kept)
    unbroken = run_protocol(clusters(), NETWORK, PROTOCOL)
    assert without_times(resumed) == without_times(unbroken)


def test_settings_may_be_lists_and_the_operator_stays_at_home() -> None:
    graph = clusters()
    method = KernelDiffResNet(strengths=[2.0, 4.0])  # pyright: ignore[reportArgumentType]
    assert run_protocol(graph, method, PROTOCOL).mean > 0.8
    assert "operator" in vars(graph)
    assert "operator" not in vars(pickle.loads(pickle.dumps(graph)))  # noqa: S301


def test_two_lines_of_one_run_are_refused(tmp_path: Path) -> None:
    kept = tmp_path / "runs.jsonl"
    run_protocol(clusters(), LabelPropagation(), PROTOCOL, resume=kept)
    kept.write_text(kept.read_text() + kept.read_text().splitlines()[1] + "\n")
    with pytest.raises(ValueError, match=r"\(0, 0\), which line 2 has, too\. Mend or remove"):
        run_protocol(clusters(), LabelPropagation(), PROTOCOL, resume=kept)
