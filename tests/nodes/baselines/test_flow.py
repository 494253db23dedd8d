import math

import pytest
import torch

from diffresnet.nodes.baselines.flow import (
    TITLES,
    CgnnField,
    Flow,
    GdeField,
    GrandField,
    Kind,
)
from tests.nodes.baselines.accuracy import SHORT, accuracy_of
from tests.nodes.baselines.loops import (
    GRAPH,
    LINKS,
    N_FEATURES,
    N_NODES,
    features,
    neighbors,
    normalized,
)

METHOD = Flow(width=N_FEATURES)
TIME = torch.zeros(())
START = features()
STATE = START.flip(0) + 0.5


@pytest.mark.parametrize("kind", list(TITLES))
def test_learns(kind: Kind) -> None:
    assert accuracy_of(Flow(kind, time=2.0, schedule=SHORT)) > 0.7


def test_cgnn_equals_loops() -> None:
    field = CgnnField(METHOD, GRAPH)
    with torch.no_grad():
        field.mixing.copy_(torch.linspace(-1, 2, N_NODES).unsqueeze(1))
    field.begin(START, LINKS)
    found = field(TIME, STATE)
    for node in range(N_NODES):
        half = 1 / (1 + math.exp(-field.mixing[node].item())) / 2
        spread = sum(normalized(node, other) * STATE[other] for other in range(N_NODES))
        expected = half * (STATE[node] + spread) - STATE[node] + START[node]
        assert torch.allclose(found[node], expected, atol=1e-6)


def test_gde_equals_loops() -> None:
    torch.manual_seed(0)
    field = GdeField(METHOD, GRAPH)
    field.begin(START, LINKS)
    found = field(TIME, STATE)
    rows = [field.linear.weight @ STATE[node] + field.linear.bias for node in range(N_NODES)]
    for node in range(N_NODES):
        spread = sum(normalized(node, other) * rows[other] for other in range(N_NODES))
        assert isinstance(spread, torch.Tensor)
        assert torch.allclose(found[node], spread.tanh() - STATE[node], atol=1e-6)


def test_grand_equals_loops() -> None:
    torch.manual_seed(0)
    field = GrandField(METHOD, GRAPH)
    with torch.no_grad():
        field.rate.fill_(0.3)
        field.source_rate.fill_(-0.7)
    field.begin(START, LINKS)
    found = field(TIME, STATE)
    queries, keys = field.query(START), field.key(START)
    for node in range(N_NODES):
        near = neighbors(node)
        scores = [math.exp((queries[node] @ keys[other]).item() / 2) for other in near]
        mean = sum(score * STATE[other] for score, other in zip(scores, near, strict=True))
        rate = 1 / (1 + math.exp(-0.3))
        expected = rate * (mean / sum(scores) - STATE[node]) - 0.7 * START[node]
        assert torch.allclose(found[node], expected, atol=1e-5)


def test_settings() -> None:
    assert Flow("gde").name == "GDE"
    with pytest.raises(ValueError, match="Flow: `kind` must be one of 'cgnn'"):
        Flow("ode")  # pyright: ignore[reportArgumentType]
