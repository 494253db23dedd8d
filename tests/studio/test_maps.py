from pathlib import Path

import numpy as np

from diffresnet.studio.engine import Studio
from diffresnet.studio.opening import Source
from tests.studio.studios import label_all_classes, open_clusters, write_links


def test_maps_settle_once_and_do_not_move_with_labels(tmp_path: Path) -> None:
    studio = open_clusters(tmp_path)
    assert list(studio.maps.places) == ["after", "before"]
    first = studio.maps.places["after"]
    told = list(studio.settle(every=100))
    n_done, n_all = told[-1]
    assert n_done == n_all
    assert [n for n, _ in told] == sorted(n for n, _ in told)
    settled = dict(studio.maps.places)
    assert not np.array_equal(settled["after"], first)
    label_all_classes(studio)
    assert all(studio.maps.places[name] is places for name, places in settled.items())
    studio.close()


def test_a_graph_alone_has_one_map(tmp_path: Path) -> None:
    studio = Studio.open(Source(write_links(tmp_path)))
    assert list(studio.maps.places) == ["after"]
    studio.close()
