"""Three clusters seen in a view, and labels of them."""

import torch
from torch.nn.functional import one_hot

from diffresnet.learning.labels import Labels
from diffresnet.learning.views import View

CLASSES = torch.arange(3).repeat_interleave(40)


def view(noise: float) -> View:
    generator = torch.Generator().manual_seed(0)
    raw = one_hot(CLASSES, 6).float() + noise * torch.randn(120, 6, generator=generator)
    return View.make(raw, torch.ones(6))


def labels(n_each: int) -> Labels:
    rows = torch.cat([40 * one + torch.arange(n_each) for one in range(3)])
    return Labels(rows, CLASSES[rows], 3)
