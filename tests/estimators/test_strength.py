import torch

from diffresnet import DiffusionOperator, build_weights
from diffresnet.estimators.learning import Labels
from diffresnet.estimators.spectrum import Spectrum
from diffresnet.estimators.strength import (
    DEFAULT_STEPS,
    STEPS_TRIED,
    choose_strength,
    graph_view,
)


def chain() -> tuple[Spectrum, torch.Tensor]:
    """Return the modes of two long chains of points, which only strong diffusion joins."""
    along = torch.linspace(0, 1, 150).double()
    points = torch.cat([torch.stack([along, side + 0 * along], dim=1) for side in (0.0, 0.03)])
    weights = build_weights(points, 5, normalization="sinkhorn")
    return Spectrum.of(DiffusionOperator(weights), 100), torch.arange(2).repeat_interleave(150)


def test_one_label_a_class_leaves_the_default() -> None:
    spectrum, _ = chain()
    labels = Labels(torch.tensor([0, 150]), torch.tensor([0, 1]), 2)
    choice = choose_strength(spectrum, labels, 0.5)
    assert (choice.n_steps, choice.path) == (DEFAULT_STEPS, {})


def test_labels_far_apart_ask_for_strong_diffusion() -> None:
    spectrum, classes = chain()
    known = torch.arange(0, 300, 6)
    choice = choose_strength(spectrum, Labels(known, classes[known], 2), 0.5)
    assert tuple(choice.path) == STEPS_TRIED
    assert choice.n_steps > DEFAULT_STEPS
    assert choice.path[choice.n_steps] == max(choice.path.values())


def test_view_is_of_length_one() -> None:
    view = graph_view(chain()[0], 0.5, 12)
    assert torch.allclose(view.points.norm(dim=1), torch.ones(300).double())
