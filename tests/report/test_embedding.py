from dataclasses import replace

import pytest
import torch

from diffresnet.report.embedding import Embedding, draw_embeddings
from diffresnet.report.panels import PictureFormat

LABELS = torch.tensor([0, 1, 0, 1, 1])
POINTS = torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.1, 0.2], [1.0, 0.3], [0.8, 0.8]])
EMBEDDING = Embedding("before", POINTS, LABELS, 2, ("robin", "wren"))


@pytest.mark.parametrize(("kind", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml version")])
def test_draws_a_picture(kind: PictureFormat, start: bytes) -> None:
    pytest.importorskip("matplotlib")
    rows = [[EMBEDDING, replace(EMBEDDING, title="after")]] * 2
    assert draw_embeddings(rows, kind).startswith(start)


def test_labeled_points_and_names_are_seen() -> None:
    pytest.importorskip("matplotlib")
    pictures = [
        draw_embeddings([[embedding]])
        for embedding in (
            EMBEDDING,
            replace(EMBEDDING, n_support=4),
            replace(EMBEDDING, class_names=("robin", "crow")),
        )
    ]
    assert len(set(pictures)) == 3
