import torch

from diffresnet.report.theory.figures import draw_levels, draw_required, draw_states


def test_pictures() -> None:
    points, labels = torch.randn(20, 2), torch.arange(20) % 2
    states = {"before": points, "after": points / 2}
    for picture in (
        draw_required([0.5, 1.0, 2.0], [0.6, 1.1, 2.0], {"paper": 9.0, "sqrt": 4.0, "exact": 1.5}),
        draw_states(states, labels),
        draw_levels(states, labels),
    ):
        assert picture.startswith(b"\x89PNG")
        assert len(picture) > 5000
