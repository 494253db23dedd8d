import numpy as np
import torch
from sklearn.linear_model import Ridge

from diffresnet.estimators.parts.linear import WITH_LENGTHS, LinearKernel, fit_linear
from diffresnet.learning.values import Values
from tests.estimators.examples import clusters, fitted


def test_is_ridge_regression_with_an_intercept() -> None:
    points = fitted(clusters()[0])
    rows = np.arange(0, 120, 4)
    target = np.sin(np.arange(30.0))
    values = Values(torch.from_numpy(rows), torch.from_numpy(target))
    part, kernel = fit_linear(points, values), LinearKernel.of(points, values)
    places = WITH_LENGTHS.of(points.places).double().numpy()
    slow = Ridge(alpha=part.ridge.penalty.ridge * kernel.scale).fit(places[rows], target)
    found = values.restore(part.score(points.places)[:, 0]).numpy()
    assert np.allclose(found, slow.predict(places), atol=1e-5)
