"""Learning again, from all labels: once validation nodes have chosen, their labels can teach, too.

Validation nodes say which mixtures and ridges are best, and that costs what their labels would have
taught. When the choice is made, the chosen ones learn from training and validation nodes together.
What is left to find, a temperature and the class proportions, needs nodes that were not learned
from: so each labeled node is answered by labels of other folds.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from diffresnet.nodes.choice import Choice, mean_probabilities
from diffresnet.nodes.folds import draw_folds
from diffresnet.nodes.mixing import Mixing


def refit_chosen(
    mixing: Mixing, mixtures: Sequence[str], choice: Choice, labeled: Tensor
) -> Tensor:
    """Return log-probabilities (N, K) of the chosen mixtures and ridges, learned from more labels.

    Args:
        mixing: N nodes in channels, R ridges.
        mixtures: M names that the choice was among.
        choice: of the M R mixtures and ridges, in the order of `Mixing.score`.
        labeled: (n,) which nodes to learn from.
    """
    names, choice = _only_used(mixtures, choice, len(mixing.ridges))
    return mean_probabilities(choice.take(mixing.score(names, labeled)))


def hold_out_refitted(
    mixing: Mixing, mixtures: Sequence[str], choice: Choice, labeled: Tensor, logs: Tensor
) -> Tensor:
    """Return log-probabilities (N, K) in which labeled nodes are answered by other folds.

    A node that is the only one of its class stays as it is: it is in no fold.

    Args:
        mixing: as of `refit_chosen`, and so on.
        mixtures: the same.
        choice: the same.
        labeled: the same.
        logs: what `refit_chosen` has found.
    """
    names, choice = _only_used(mixtures, choice, len(mixing.ridges))
    folds = draw_folds(mixing.labels[labeled].numpy())
    held = mean_probabilities(choice.take(mixing.hold_out(names, labeled, folds)))
    found = logs.clone()
    for fold in map(torch.from_numpy, folds):
        found[labeled[fold]] = held[fold]
    return found


def _only_used(mixtures: Sequence[str], choice: Choice, n_ridges: int) -> tuple[list[str], Choice]:
    """Return the mixtures that are among the chosen ones, and the choice among these alone."""
    used, at = (choice.places // n_ridges).unique(return_inverse=True)
    places = at * n_ridges + choice.places % n_ridges
    numbers: list[int] = used.tolist()
    return [mixtures[number] for number in numbers], Choice(places, choice.scales)
