import json

import pytest

from diffresnet.nodes.diffresnet_method import TrainedDiffResNet
from diffresnet.nodes.training import NodeSchedule
from diffresnet.paper.nodes import table as node_table
from diffresnet.paper.nodes.table import report_nodes
from diffresnet.paper.published import NODE_GRAPHS
from diffresnet.report.page import make_page
from tests.paper.node_examples import small_node_plan


def test_report(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    short = TrainedDiffResNet(0.1, 2, 0.1, NodeSchedule(n_epochs=5))
    monkeypatch.setattr(node_table, "NODE_SETTINGS", dict.fromkeys(NODE_GRAPHS, short))
    report = report_nodes(small_node_plan(), ["kernel", "diffresnet", "label-propagation"])
    assert set(report.pictures) == {"nodes.png", "nodes.svg"}
    numbers = json.loads(json.dumps(report.numbers))
    assert numbers["command"].endswith("--methods kernel,diffresnet,label-propagation")
    found = numbers["results"]["pubmed"]
    assert found[1]["settings"] == repr(short)
    table, differences = report.summaries
    assert table.heads[1:3] == ["Cora, ours", "Cora, the paper"]
    assert [row[0] for row in table.rows] == [one["method"] for one in found]
    assert table.rows[0][3] == f"{100 * found[0]['accuracy_mean']:.1f} ± " + (
        f"{100 * found[0]['accuracy_std']:.1f}"
    )
    assert [row[4] for row in table.rows] == ["-", "80.1 ± 2.0", "-"]
    assert differences.rows[0][1] == "+0.0 ± 0.0"
    gap = found[0]["accuracy_mean"] - found[2]["accuracy_mean"]
    assert differences.rows[2][2].startswith(f"{100 * gap:+.1f} ±")
    assert "Citation graphs" in make_page(report.title, report.parts).decode()
