"""A small bank, and plans of few tasks on it."""

from pathlib import Path

import numpy as np
import torch

from diffresnet.fewshot import FeatureBank
from diffresnet.paper.fewshot.plan import TaskPlan

N_CLASSES = 9
N_EXAMPLES = 22


def small_bank(*, spread: float = 1.0) -> FeatureBank:
    """Return 9 classes of 22 examples: 6 in the split "test", 3 in "train"."""
    generator = torch.Generator().manual_seed(0)
    labels = torch.arange(N_CLASSES).repeat_interleave(N_EXAMPLES)
    centers = torch.randn(N_CLASSES, 8, generator=generator)
    points = centers[labels] + spread * torch.randn(len(labels), 8, generator=generator)
    splits = np.where(labels.numpy() < 6, "test", "train").astype(np.str_)
    names = tuple(f"bird {which}" for which in range(N_CLASSES))
    return FeatureBank(points, labels, names, splits)


def small_plan(n_tasks: int = 3, *, unfinished: Path | None = None) -> TaskPlan:
    """Return a plan on the small bank."""
    return TaskPlan(small_bank(), "birds.npz", "test", n_tasks, unfinished=unfinished)


def save_bank(path: Path) -> Path:
    """Write the small bank to a file, and return its name."""
    bank = small_bank()
    features, labels = bank.features.numpy(), bank.labels.numpy()
    np.savez(path, features=features, labels=labels, split=bank.splits, classes=bank.class_names)
    return path
