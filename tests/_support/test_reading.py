import os
from pathlib import Path

import pytest

from diffresnet._support.reading import open_regular


def test_regular_files_of_some_size(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"three")
    with open_regular(path, 5) as stream:
        assert stream.read() == b"three"
    with pytest.raises(OSError, match="it has 5 bytes, more than 4"):
        open_regular(path, 4)
    with pytest.raises(OSError, match="it is no regular file"):
        open_regular(tmp_path)
    with pytest.raises(FileNotFoundError):
        open_regular(tmp_path / "b")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_pipes_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="it is no regular file"):
        open_regular(tmp_path / "pipe")
