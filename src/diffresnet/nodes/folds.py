"""Folds of labeled nodes: each is held out once, the others of its class stay."""

import numpy as np
import numpy.typing as npt

N_FOLDS = 5
Integers = npt.NDArray[np.int64]


def draw_folds(
    classes: Integers, n_folds: int = N_FOLDS, generator: np.random.Generator | None = None
) -> list[Integers]:
    """Return places of labeled nodes in folds that have about as many of each class.

    There are no more folds than the largest class has nodes, and none if that is one. The node of
    a class that has no other is in no fold.

    Args:
        classes: (n,) of the labeled nodes.
        n_folds: at most.
        generator: draws which nodes of a class are together; without one, their order says it.

    Examples:
        >>> [sorted(fold.tolist()) for fold in draw_folds(np.array([0, 0, 1, 1, 2]))]
        [[0, 2], [1, 3]]
    """
    counts = np.bincount(classes)
    n_drawn = min(n_folds, int(counts.max(initial=0)))
    if n_drawn < 2:
        return []
    numbers = np.full(len(classes), -1)
    for one in np.flatnonzero(counts > 1):
        places = np.flatnonzero(classes == one)
        if generator is not None:
            generator.shuffle(places)
        numbers[places] = np.arange(len(places)) % n_drawn
    folds = [np.flatnonzero(numbers == number) for number in range(n_drawn)]
    return [fold for fold in folds if len(fold) > 0]
