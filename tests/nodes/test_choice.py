import torch

from diffresnet.nodes.choice import choose, judge, mean_probabilities


def test_the_best_are_taken_with_their_scale() -> None:
    labels = torch.tensor([0, 1, 2])
    right = 0.01 * torch.eye(3)  # right, and far too unsure
    scores = torch.stack([-right, right, torch.zeros(3, 3)])
    goodness, scales = judge(scores, labels)
    assert int(goodness.argmax()) == 1
    assert float(scales[1]) == 2048.0
    found = choose(scores, torch.arange(3), labels, n_best=1)
    assert torch.equal(found, 2048 * right.unsqueeze(0))
    assert torch.equal(found.argmax(dim=-1), labels.unsqueeze(0))


def test_scores_to_judge_by_may_be_others() -> None:
    labels, scores = torch.tensor([0, 1]), torch.stack([torch.eye(2), -torch.eye(2)])
    found = choose(scores, torch.arange(2), labels, n_best=1, judged=-scores)
    assert torch.equal(found.argmax(dim=-1), torch.tensor([[1, 0]]))


def test_without_held_out_labels_all_answer() -> None:
    scores = torch.randn(4, 5, 3)
    assert choose(scores, torch.arange(0), torch.arange(0), n_best=2) is scores
    expected = scores.softmax(dim=-1).mean(dim=0)
    assert torch.allclose(mean_probabilities(scores).exp(), expected)


def test_only_those_near_the_best_but_five() -> None:
    labels = torch.arange(30) % 3
    right, wrong = 3 * torch.eye(3)[labels], 3 * torch.eye(3)[(labels + 1) % 3]
    scores = torch.stack([right] * 7 + [wrong] * 9)
    assert len(choose(scores, torch.arange(30), labels, 12)) == 12
    assert len(choose(scores, torch.arange(30), labels, 12, within=0.1)) == 7
    assert len(choose(scores[5:], torch.arange(30), labels, 12, within=0.1)) == 5
