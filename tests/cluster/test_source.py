import os
from pathlib import Path

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from diffresnet.cluster.source import Source, place_of
from tests.cluster.examples import FEATURES, write_points


@pytest.mark.parametrize("where", ["here", "file", "memory"])
def test_files_that_were_written_again_have_another_state(tmp_path: Path, where: str) -> None:
    """Also where their size is the same."""
    points, memory = write_points(tmp_path / "points", 2, FEATURES[:20]), "memory://changing"
    fsspec.filesystem("memory").put(f"{points}/", "/changing/", recursive=True)
    address = {"here": str(points), "file": f"file://{points}", "memory": memory}[where]
    before = Source.of(address, None, None).states()
    assert all(before)
    assert Source.of(address, None, None).states() == before
    os.utime(points / "1.parquet", (1, 1))
    fsspec.filesystem("memory").put(str(points / "1.parquet"), "/changing/1.parquet")
    after = Source.of(address, None, None).states()
    assert after[0] == before[0]
    assert after[1] != before[1]


def test_what_a_store_tells_of_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """As S3 does."""
    fsspec.filesystem("memory").pipe("/told/0.parquet", b"")
    about: dict[str, object] = {
        "ETag": "x",
        "LastModified": 1,
        "size": 2,
        "type": "file",
        "StorageClass": "warm",
    }

    def tell(*_: object) -> dict[str, object]:
        return about

    monkeypatch.setattr(MemoryFileSystem, "info", tell)
    states = Source(("memory://told/0.parquet",), "id", "label").states()
    assert states == [{"ETag": "x", "LastModified": "1", "size": "2"}]


def test_places(tmp_path: Path) -> None:
    here = place_of(str(tmp_path))
    assert place_of(f"file://{tmp_path}") == here
    assert here[1] == tmp_path
    system, place = place_of("memory://bucket/points")
    assert system != here[0]
    assert str(place) == "/bucket/points"
