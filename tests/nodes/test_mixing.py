from dataclasses import replace

import numpy as np
import pytest
import torch

from diffresnet.learning.kernel_logistic import score_kernel
from diffresnet.nodes import mixing
from diffresnet.nodes.mixing import Mixing


def example() -> Mixing:
    generator = torch.Generator().manual_seed(0)
    labels = torch.arange(40) % 2
    told = torch.eye(2)[labels] + 0.3 * torch.randn(40, 2, generator=generator)
    noise = torch.randn(40, 2, generator=generator)
    return Mixing({"told": told, "noise": noise}, labels, 2, torch.tensor([1e-1, 1e-2]))


def test_a_mixture_is_the_mean_of_kernels() -> None:
    one, labeled = example(), torch.arange(10)
    found = one.score(("told", "told+noise"), labeled)
    assert found.shape == (4, 40, 2)
    kernels = [points @ points[labeled].mT for points in one.channels.values()]
    mean = (kernels[0] + kernels[1]) / 2 + 1
    expected = score_kernel(mean, labeled, one.labels[labeled], 2, one.ridges)
    assert torch.allclose(found[2:], expected, atol=1e-5)


def test_a_sharp_mixture_is_a_gaussian_on_the_sphere() -> None:
    one, labeled = example(), torch.arange(10)
    points = torch.nn.functional.normalize(one.channels["told"], dim=1)
    found = replace(one, channels={"told": points}).score(("sharp told",), labeled)
    distances = torch.cdist(points, points[labeled])
    expected = score_kernel(
        (-distances.square()).exp() + 1, labeled, one.labels[labeled], 2, one.ridges
    )
    assert torch.allclose(found, expected, atol=1e-4)


def test_held_out_scores_do_not_see_their_label() -> None:
    one, labeled = example(), torch.arange(10)
    folds = [np.array([0, 1]), np.array([2, 3])]
    found = one.hold_out(("told",), labeled, folds)
    others = torch.arange(2, 10)
    assert torch.allclose(found[:, :2], one.score(("told",), others)[:, :2], atol=1e-5)
    assert not found[:, 4:].any()


def test_just_too_many_labels_are_judged_by_a_quarter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixing, "LARGEST", 19)
    monkeypatch.setattr(mixing, "N_SCREENED", 2)
    one, labeled, judges = example(), torch.arange(20), []
    find = mixing.judge

    def judge(scores: torch.Tensor, labels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        judges.append(len(labels))
        return find(scores, labels)

    monkeypatch.setattr(mixing, "judge", judge)
    kept = one.screen(("told", "sharp told", "noise"), labeled, labeled[:0])
    assert sorted(kept) == ["sharp told", "told"]
    assert judges == [5]


def test_many_labels_are_screened_and_spanned_by_some(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixing, "LARGEST", 8)
    monkeypatch.setattr(mixing, "N_SCREENED", 1)
    one, labeled, validation = example(), torch.arange(20), torch.arange(20, 40)
    for judges in (validation, validation[:0]):  # by validation nodes, or by other labeled nodes
        assert one.screen(("noise", "told"), labeled, judges)[0] in {"told", "sharp told"}
    assert one.screen(("noise", "told"), labeled[:8], validation) == ("noise", "told")
    scores = one.score(("told",), labeled)
    shuffled = labeled[torch.from_numpy(np.random.default_rng(0).permutation(20))]
    kernel = one.channels["told"] @ one.channels["told"][shuffled[:8]].mT + 1
    ridges = one.ridges * 8 / 20
    expected = score_kernel(kernel, shuffled, one.labels[shuffled], 2, ridges)
    assert torch.allclose(scores, expected, atol=1e-5)
    right = scores.argmax(dim=-1)[:, validation] == one.labels[validation]
    assert float(right.double().mean()) > 0.85
