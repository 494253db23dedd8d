import pytest

from diffresnet.nodes.baselines.flow import TITLES, Flow, Kind
from tests.nodes.baselines.accuracy import SHORT, accuracy_of


@pytest.mark.parametrize("kind", list(TITLES))
def test_learns(kind: Kind) -> None:
    assert accuracy_of(Flow(kind, time=2.0, schedule=SHORT)) > 0.7


def test_settings() -> None:
    assert Flow("gde").name == "GDE"
    with pytest.raises(ValueError, match="Flow: `kind` must be one of 'cgnn'"):
        Flow("ode")  # pyright: ignore[reportArgumentType]
