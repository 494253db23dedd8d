import sys
from typing import Literal

import pytest
import torch

from diffresnet.report.evolution import draw_evolution


@pytest.mark.parametrize(
    ("picture_format", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml version")]
)
@pytest.mark.parametrize("n_states", [1, 2, 5])
def test_draws_a_picture(
    picture_format: Literal["png", "svg"], start: bytes, n_states: int
) -> None:
    pytest.importorskip("matplotlib")
    states = {step: torch.rand(20, 2) for step in range(n_states)}
    labels = torch.arange(20) % 8
    picture = draw_evolution(states, labels, [1.0, 0.5], [1.0, 2.0], picture_format)
    assert picture.startswith(start)


def test_without_matplotlib_it_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'diffresnet\[figures\]'"):
        draw_evolution({0: torch.zeros(1, 2)}, torch.zeros(1), [1.0], [1.0])
