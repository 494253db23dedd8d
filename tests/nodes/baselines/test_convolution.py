import pytest

from diffresnet.nodes.baselines.convolution import TITLES, Convolution, Kind
from tests.nodes.baselines.accuracy import SHORT, accuracy_of


@pytest.mark.parametrize("kind", list(TITLES))
def test_learns(kind: Kind) -> None:
    assert accuracy_of(Convolution(kind, dropout=0.4, schedule=SHORT)) > 0.85


def test_settings() -> None:
    assert Convolution("gat").name == "GAT"
    with pytest.raises(ValueError, match="Convolution: `kind` must be one of 'gcn'"):
        Convolution("cnn")  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="`n_layers` must be at least 2"):
        Convolution(n_layers=1)
