from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from diffresnet.paper.published import SYNTHETIC_ACCURACY
from diffresnet.paper.settings import SYNTHETIC_EPOCHS


@pytest.mark.parametrize("way", ["with", "without"])
@pytest.mark.parametrize("name", ["moon", "circle", "spiral"])
def test_accuracies_are_those_of_the_program(
    name: str, way: str, reference_numbers: Callable[[str], dict[str, NDArray[np.float64]]]
) -> None:
    accuracy = reference_numbers(f"two_{name}_{way}_diffusion.npz")["accuracy"]
    expected = [round(100 * float(accuracy[epoch]), 1) for epoch in SYNTHETIC_EPOCHS]
    assert list(SYNTHETIC_ACCURACY[name][way]) == expected
