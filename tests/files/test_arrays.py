from pathlib import Path

import numpy as np
import pytest

from diffresnet.files.arrays import read_described, write_described


def test_there_and_back(tmp_path: Path) -> None:
    path = write_described(tmp_path / "new" / "x.npz", {"a": np.arange(3)}, {"b": [1, None]})
    arrays, description = read_described(path, "load")
    assert arrays["a"].tolist() == [0, 1, 2]
    assert description["b"] == [1, None]


def test_other_files(tmp_path: Path) -> None:
    text, other, pickled = (tmp_path / name for name in ("text", "other.npz", "pickled.npz"))
    text.write_text("hello")
    np.savez(other, a=np.arange(3))
    np.savez(pickled, description=np.array({"format": 1}, dtype=object))
    with pytest.raises(ValueError, match="must be a saved model of format 2, got") as error:
        read_described(other, "load")
    assert str(error.value).endswith("Pass a file that `save` wrote.")
    for path in (text, pickled):
        with pytest.raises(ValueError, match=r"load: `path` must be a \.npz or \.npy file of"):
            read_described(path, "load")
    with pytest.raises(FileNotFoundError):
        read_described(tmp_path / "nothing", "load")


def test_what_would_need_pickle_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    with pytest.raises(ValueError, match="allow_pickle"):
        write_described(path, {"a": np.array([{}], dtype=object)}, {})
    assert not path.exists()
