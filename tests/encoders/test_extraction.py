import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diffresnet.encoders import extraction
from diffresnet.encoders.encoder import Features, Kind
from diffresnet.encoders.extraction import extract
from diffresnet.encoders.text_set import TextSet


@dataclass
class Lengths:
    """An encoder of texts: how long each is, and how many blanks it has."""

    fingerprint: str = "lengths"
    name: str = "lengths"
    kind: Kind = "texts"
    seen: list[str] = field(default_factory=list[str])

    def encode(self, items: Sequence[Any]) -> Features:
        self.seen += items
        return np.array([[len(text), text.count(" ")] for text in items], dtype=np.float32)


def _texts(*texts: str) -> TextSet:
    return TextSet(texts, tuple(f"t{row}" for row in range(len(texts))))


TEXTS = _texts("a", "a b", "ccc", "a", "d d d")
FOUND = [[1, 0], [3, 1], [3, 0], [1, 0], [5, 2]]


@pytest.mark.parametrize("batch_size", [1, 2, 32])
def test_features_come_in_the_order_of_items_and_twins_are_encoded_once(batch_size: int) -> None:
    encoder = Lengths()
    found = extract(encoder, TEXTS, batch_size=batch_size)
    assert found.features.tolist() == FOUND
    assert found.n_computed == 4
    assert encoder.seen == ["a", "a b", "ccc", "d d d"]


def test_what_is_known_is_not_computed_again(tmp_path: Path) -> None:
    extract(Lengths(), TEXTS, cache=tmp_path)
    encoder = Lengths()
    more = _texts("new", "ccc", "a")
    found = extract(encoder, more, cache=tmp_path)
    assert encoder.seen == ["new"]
    assert found.features.tolist() == [[3, 0], [3, 0], [1, 0]]
    other = Lengths(fingerprint="other")
    extract(other, TEXTS, cache=tmp_path)
    assert len(other.seen) == 4


def test_unreadable_items_are_left_out_or_refused_and_others_kept(tmp_path: Path) -> None:
    texts = _texts("a", "", "b b")
    with pytest.raises(ValueError, match=r"got 't1' \(the text is empty\)"):
        extract(Lengths(), texts, cache=tmp_path)
    encoder, said = Lengths(), list[str]()
    found = extract(encoder, texts, cache=tmp_path, when_unreadable="skip", report=said.append)
    assert encoder.seen == []
    assert said == ["left out t1: the text is empty"]
    assert found.rows == [0, 2]
    assert found.features.tolist() == [[1, 0], [3, 1]]


def test_a_break_loses_little(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extraction, "SECONDS_BETWEEN_SAVES", 0.0)

    class Breaking(Lengths):
        def encode(self, items: Sequence[Any]) -> Features:
            if len(self.seen) == 3:
                raise KeyboardInterrupt
            return super().encode(items)

    with pytest.raises(KeyboardInterrupt):
        extract(Breaking(), TEXTS, cache=tmp_path, batch_size=1)
    encoder = Lengths()
    assert extract(encoder, TEXTS, cache=tmp_path).features.tolist() == FOUND
    assert encoder.seen == ["d d d"]


PROGRAM = """
import sys, time
from pathlib import Path
from diffresnet.encoders import extraction
from tests.encoders.test_extraction import Lengths, TextSet
extraction.SECONDS_BETWEEN_SAVES = 0.0
class Slow(Lengths):
    def encode(self, items):
        time.sleep(0.02)
        print("encoded", flush=True)
        return super().encode(items)
texts = tuple("x" * n for n in range(1, 201))
extraction.extract(Slow(), TextSet(texts, texts), cache=Path(sys.argv[1]), batch_size=1)
"""


def test_a_killed_process_goes_on(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stdout is not None
        for _ in range(20):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    time.sleep(0.1)
    texts = tuple("x" * n for n in range(1, 201))
    encoder = Lengths()
    found = extract(encoder, TextSet(texts, texts), cache=tmp_path)
    assert found.features[:, 0].tolist() == list(range(1, 201))
    assert 0 < len(encoder.seen) <= 181


def test_a_cache_that_cannot_be_written_loses_nothing(tmp_path: Path) -> None:
    said: list[str] = []
    (tmp_path / "file").write_text("")
    found = extract(Lengths(), TEXTS, cache=tmp_path / "file", report=said.append)
    assert found.features.tolist() == FOUND
    assert len(said) == 1
    assert said[0].startswith("features are not kept for another time: ")


def test_a_damaged_cache_is_told_and_computed_again(tmp_path: Path) -> None:
    extract(Lengths(), TEXTS, cache=tmp_path)
    (path,) = tmp_path.rglob("*.npz")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    said: list[str] = []
    found = extract(Lengths(), TEXTS, cache=tmp_path, report=said.append)
    assert found.features.tolist() == FOUND
    assert said == [f"left aside {path}, which is damaged: its features are computed again."]


@dataclass
class Constant(Lengths):
    """An encoder whose weights are damaged."""

    features: Features = field(default_factory=lambda: np.zeros((4, 2), dtype=np.float32))

    def encode(self, items: Sequence[Any]) -> Features:
        self.seen += items
        return self.features


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (np.full((4, 2), np.nan), "each of 4 items, got NaN or infinity by lengths. Load or train"),
        (np.zeros((3, 2)), r"got the shape \(3, 2\) by lengths"),
        (np.zeros(4), r"got the shape \(4,\) by lengths"),
    ],
)
def test_features_that_are_none(features: Features, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        extract(Constant(features=features), TEXTS, cache=tmp_path)
    assert list(tmp_path.rglob("*.npz")) == []


def test_an_encoder_that_changed_without_a_new_fingerprint(tmp_path: Path) -> None:
    extract(Constant(features=np.zeros((1, 3), dtype=np.float32)), _texts("a"), cache=tmp_path)
    with pytest.raises(ValueError, match=r"as many features for every item, got 2 and 3. Choose"):
        extract(Lengths(), TEXTS, cache=tmp_path)
