import numpy as np
import torch

from diffresnet.nodes.choice import Choice
from diffresnet.nodes.folds import draw_folds
from diffresnet.nodes.mixing import Mixing
from diffresnet.nodes.refit import hold_out_refitted, refit_chosen
from tests.nodes.test_mixing import example

MIXTURES = ("noise", "told", "told+noise")
CHOICE = Choice(torch.tensor([5, 2, 4]), torch.tensor([4.0, 1.0, 2.0]))
"""Of two ridges each: the second of told+noise, the first of told, the first of told+noise."""


def probabilities(one: Mixing, labeled: torch.Tensor) -> torch.Tensor:
    """Return what the three chosen answers say together, one by one."""
    said = [
        (scale * one.score((name,), labeled)[ridge]).softmax(dim=1)
        for name, ridge, scale in (("told+noise", 1, 4.0), ("told", 0, 1.0), ("told+noise", 0, 2.0))
    ]
    return torch.stack(said).mean(dim=0)


def test_the_chosen_learn_from_all() -> None:
    one, labeled = example(), torch.arange(16)
    found = refit_chosen(one, MIXTURES, CHOICE, labeled)
    assert torch.allclose(found.exp(), probabilities(one, labeled), atol=1e-5)


def test_labeled_nodes_are_answered_by_other_folds() -> None:
    one, labeled = example(), torch.arange(16).flip(0)
    logs = refit_chosen(one, MIXTURES, CHOICE, labeled)
    found = hold_out_refitted(one, MIXTURES, CHOICE, labeled, logs)
    expected = logs.exp()
    for fold in draw_folds(one.labels[labeled].numpy()):
        others = labeled[torch.from_numpy(np.setdiff1d(np.arange(16), fold))]
        held = labeled[torch.from_numpy(fold)]
        expected[held] = probabilities(one, others)[held]
    assert torch.allclose(found.exp(), expected, atol=1e-5)
    assert torch.equal(found[16:], logs[16:])


def test_the_only_node_of_a_class_stays() -> None:
    one, labeled = example(), torch.tensor([0, 2, 4, 1])  # three of the first class
    logs = refit_chosen(one, MIXTURES, CHOICE, labeled)
    found = hold_out_refitted(one, MIXTURES, CHOICE, labeled, logs)
    same = (found == logs).all(dim=1)
    assert bool(same[1])
    assert not same[[0, 2, 4]].any()
