"""The examples do what they say."""

import pytest
from examples import plug_in

from diffresnet.datasets.files import find_data_file


@pytest.mark.slow
def test_diffusion_helps_a_network_that_knows_nothing_of_it() -> None:
    try:
        find_data_file("images/mnist.npz")
    except FileNotFoundError as error:
        pytest.skip(str(error))
    gains = [plug_in.run(seed, n_steps=10) - plug_in.run(seed, n_steps=0) for seed in range(3)]
    assert min(gains) > 0
