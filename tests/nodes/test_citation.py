import hashlib
from pathlib import Path

import pytest

from diffresnet.nodes import citation
from diffresnet.nodes.citation import CHECKSUMS, find_citation_graph, recognize
from tests.nodes.examples import citation_graph, clusters


@pytest.mark.parametrize("name", list(CHECKSUMS))
def test_recognized(name: str) -> None:
    assert recognize(citation_graph(name)) == name
    content = find_citation_graph(name).read_bytes()
    assert hashlib.sha256(content).hexdigest() == CHECKSUMS[name]


def test_another_graph() -> None:
    assert recognize(clusters()) is None
    with pytest.raises(ValueError, match="`name` must be one of 'cora', 'citeseer', 'pubmed'"):
        find_citation_graph("arxiv")


def test_downloaded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DIFFRESNET_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    source = tmp_path / "cora.npz"
    source.write_bytes(b"graph")
    monkeypatch.setattr(citation, "SOURCE", f"{tmp_path.as_uri()}/")
    with pytest.raises(OSError, match="is not the file we know"):
        find_citation_graph("cora")
    monkeypatch.setitem(CHECKSUMS, "cora", hashlib.sha256(b"graph").hexdigest())
    assert find_citation_graph("cora") == tmp_path / "diffresnet" / "graphs" / "cora.npz"
