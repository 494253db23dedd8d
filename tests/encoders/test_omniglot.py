from pathlib import Path

import numpy as np
import pytest

from diffresnet.datasets.files import find_data_file
from diffresnet.encoders.omniglot import FILE, load_omniglot
from tests.encoders.examples import make_drawings


def _save(path: Path) -> Path:
    np.savez(path, background=make_drawings(5, 4), evaluation=make_drawings(3, 4, seed=1))
    return path


def test_background_classes_train_and_evaluation_classes_test(tmp_path: Path) -> None:
    images = load_omniglot(_save(tmp_path / "o.npz"), n_validation=2)
    assert [len(images.split(name)) for name in ("train", "val", "test")] == [12, 8, 12]
    parts = [set(images.split(name).labels) for name in ("train", "val", "test")]
    assert not parts[0] & parts[1]
    assert not parts[1] & parts[2]
    assert len(set(images.ids)) == 32


def test_other_files_and_too_many_validation_classes(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", images=np.zeros((2, 3, 3)))
    with pytest.raises(ValueError, match="a file with `background` and `evaluation`"):
        load_omniglot(tmp_path / "a.npz")
    with pytest.raises(ValueError, match=r"`n_validation` must be between 0 and .* \(4\), got 5"):
        load_omniglot(_save(tmp_path / "o.npz"), n_validation=5)


def test_the_real_file() -> None:
    try:
        path = find_data_file(FILE)
    except FileNotFoundError as error:
        pytest.skip(str(error))
    images = load_omniglot(path)
    assert [len(images.split(name)) for name in ("train", "val", "test")] == [17280, 2000, 13180]
    assert len(images.class_names) == 1623
