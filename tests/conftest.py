"""What several test modules share: reference numbers, and settings of hypothesis."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
import torch
from hypothesis import settings
from numpy.typing import NDArray

Arrays: TypeAlias = dict[str, NDArray[Any]]

# The same examples every time, and no deadline: a loaded machine is not a failure.
settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=40)
settings.load_profile("repeatable")


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Leave the cache of the user alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def reference_numbers() -> Callable[[str], Arrays]:
    """Load a file of numbers that the authors' code produced."""

    def load(name: str) -> Arrays:
        with np.load(Path(__file__).parent / "data" / name) as file:
            return dict(file)

    return load


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)
