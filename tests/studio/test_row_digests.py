from pathlib import Path

import numpy as np
import pytest

from diffresnet.studio.engine import Studio
from diffresnet.studio.opening import Opened, Source
from diffresnet.studio.row_digests import digest_of


def test_answers_of_rows_without_ids_are_not_given_to_other_rows(tmp_path: Path) -> None:
    features, path = np.random.default_rng(0).normal(size=(30, 3)), tmp_path / "points.npy"
    np.save(path, features)
    studio = Studio.open(Source(path))
    studio.do({"kind": "add_class", "name": "one", "selection": {"rows": [0, 3]}})
    studio.close()
    np.save(path, np.concatenate([features, features[:4] + 1]))  # more rows may follow
    Studio.open(Source(path)).close()
    np.save(path, features[::-1])
    with pytest.raises(ValueError, match="2 other rows in the place of answered ones: '0', '3'"):
        Studio.open(Source(path))
    np.save(path, features)
    again = Studio.open(Source(path))
    assert again.now.state.answers[[0, 3]].tolist() == [0, 0]
    again.close()


def test_lines_of_text_without_ids_are_told_apart() -> None:
    texts = digest_of(Opened("a", "texts", ["0", "1"], np.zeros((2, 1)), texts=["a", "b"]))
    assert texts is not None
    assert texts([0]) != texts([1])
    named = Opened("a", "texts", ["x", "1"], np.zeros((2, 1)), texts=["a", "b"])
    assert digest_of(named) is None
