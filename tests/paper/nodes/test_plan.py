from pathlib import Path

from diffresnet.nodes.baselines.label_propagation import LabelPropagation
from tests.paper.node_examples import small_node_plan


def test_runs_are_kept(tmp_path: Path) -> None:
    plan = small_node_plan(tmp_path)
    result = plan.run("cora", LabelPropagation())
    (kept,) = tmp_path.iterdir()
    assert kept.name.startswith("cora-label-propagation-")
    assert plan.run("cora", LabelPropagation()) == result


def test_words() -> None:
    plan = small_node_plan()
    expected = (
        "diffresnet reproduce nodes --out nodes --graphs cora,pubmed --splits 2 --inits 1 --x"
    )
    assert plan.command("nodes", "--x") == expected
    assert "Cora: 120 nodes" in plan.describe()
    assert "5 train and 5 validation nodes per class" in plan.describe()
