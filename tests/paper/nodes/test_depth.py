import json

import pytest

from diffresnet.nodes.method import NodeMethod
from diffresnet.nodes.protocol import NodeResult, Run
from diffresnet.paper.nodes.depth import report_depth
from diffresnet.paper.nodes.plan import NodePlan
from diffresnet.paper.settings import NODE_DEPTHS
from tests.paper.node_examples import small_node_plan


def test_report(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    asked: list[str] = []

    def run(_: NodePlan, name: str, method: NodeMethod) -> NodeResult:
        asked.append(f"{name} {method!r}")
        depth = int(repr(method).split("n_layers=")[1].split(",")[0])
        runs = (Run(0, 0, 1 - depth / 64, 1.0), Run(1, 0, 1 - depth / 64, 1.0))
        return NodeResult(method.name, repr(method), "graph", "few", runs)

    monkeypatch.setattr(NodePlan, "run", run)
    report = report_depth(small_node_plan())
    assert len(asked) == 4 * len(NODE_DEPTHS)
    assert all("dropout=0.5" in one and "weight_decay=0.005" in one for one in asked)
    assert all("width=64" in one for one in asked)
    assert "strength=5.0" in next(one for one in asked if "Deep" in one)
    assert "strength=4.0" in next(one for one in asked if one.startswith("pubmed Deep"))
    assert set(report.pictures) == {"depth.png", "depth.svg"}
    assert report.summaries[0].rows[0] == ["Cora, GCN", "96.9", "93.8", "87.5", "75.0", "50.0"]
    shown = json.loads(json.dumps(report.numbers))["results"]["cora"]["Diff-ResNet"]
    assert list(shown) == [str(depth) for depth in NODE_DEPTHS]
