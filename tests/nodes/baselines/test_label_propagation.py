from diffresnet.nodes.baselines.label_propagation import LabelPropagation
from tests.nodes.baselines.accuracy import accuracy_of


def test_labels_clusters() -> None:
    assert accuracy_of(LabelPropagation()) > 0.85
