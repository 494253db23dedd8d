from typing import Any

import numpy as np
import pytest

from diffresnet.estimators import DiffResNetClassifier
from diffresnet.estimators.input import (
    check_parameters,
    check_prior,
    check_update,
    seed_of,
)


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_top": 1},
        {"bandwidth_rank": 0},
        {"normalization": "none"},
        {"graph": "other"},
        {"solver": "other"},
        {"step_size": 0},
        {"n_steps": -1},
        {"n_steps": "many"},
        {"n_jobs": 0},
    ],
)
def test_out_of_range(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"DiffResNetClassifier: `{next(iter(wrong))}` must be"):
        check_parameters(DiffResNetClassifier(**wrong))


def test_prior() -> None:
    classes = np.array(["a", "b"])
    assert check_prior(None, classes) is None
    uniform, given = check_prior("uniform", classes), check_prior([1, 3], classes)
    assert uniform is not None
    assert uniform.tolist() == [0.5, 0.5]
    assert given is not None
    assert given.tolist() == [0.25, 0.75]
    huge = check_prior([1e308, 1e308], classes)
    assert huge is not None
    assert huge.tolist() == [0.5, 0.5]
    far = check_prior([1e-308, 1e308], classes)
    assert far is not None
    assert 0 < far[0] < 1e-11


def test_seeds() -> None:
    assert seed_of(5) == 5
    assert seed_of(np.random.RandomState(0)) == seed_of(np.random.RandomState(0))


def test_an_infinite_graph_is_refused_without_a_warning() -> None:
    links = np.array([[0.0, np.inf], [-np.inf, 0.0]])
    with pytest.raises(ValueError, match="contains infinity"):
        DiffResNetClassifier(graph="precomputed").fit(links, [0, 1])


def test_rows_of_an_update_are_one_list_and_no_mask() -> None:
    encoded, classes = np.array([0, 1, -1]), np.array([0, 1])
    with pytest.raises(ValueError, match=r"`indices` must be one-dimensional, got shape \(1, 2\)"):
        check_update([[0, 1]], [[1, 1]], encoded, classes)
    with pytest.raises(ValueError, match=r"got booleans \(3\)\. Pass row numbers"):
        check_update([True, False, True], [1, 1], encoded, classes)
