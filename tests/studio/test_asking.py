from pathlib import Path

import numpy as np

from diffresnet._support.words import shortened
from diffresnet.studio.asking import ask
from diffresnet.studio.engine import Studio
from diffresnet.studio.opening import Source
from tests.studio.studios import N_EACH, TRUTH, label_all_classes, open_clusters, write_links


def questions(studio: Studio, n: int = 3) -> list[tuple[int, str]]:
    now = studio.now
    return [(one.row, one.reason) for one in ask(now.model, now.state, now.predictions, n)]


def test_first_come_typical_points_of_every_group(tmp_path: Path) -> None:
    studio = open_clusters(tmp_path)
    found = questions(studio)
    assert {int(TRUTH[row]) for row, _ in found} == {0, 1, 2}
    assert {reason for _, reason in found} == {"typical of many points like it"}
    studio.close()


def test_nothing_that_was_answered_is_asked_again(tmp_path: Path) -> None:
    studio = open_clusters(tmp_path)
    asked: set[int] = set()
    for kind in ("skip", "none", "skip"):
        rows = [row for row, _ in questions(studio)]
        assert len(rows) == 3
        assert not asked & set(rows)
        asked |= set(rows)
        studio.do({"kind": kind, "selection": {"rows": rows}})
    label_all_classes(studio)
    assert not asked & {row for row, _ in questions(studio, 50)}
    studio.do({"kind": "skip", "selection": {"rows": list(range(3 * N_EACH))}})
    assert questions(studio) == []
    studio.close()


def test_islands_come_first_and_doubt_has_names(tmp_path: Path) -> None:
    studio = Studio.open(Source(write_links(tmp_path)))
    studio.do({"kind": "add_class", "name": "one", "selection": {"rows": [0]}})
    row, reason = questions(studio, 1)[0]
    assert row in (3, 4, 5)
    assert reason == "no label reaches it, nor the 2 points it is linked with"
    studio.close()


def test_points_between_two_classes_say_so(tmp_path: Path) -> None:
    path = tmp_path / "line.npy"
    rng = np.random.default_rng(0)
    np.save(path, np.stack([np.linspace(-3, 3, 80), 0.1 * rng.normal(size=80)], axis=1))
    studio = Studio.open(Source(path))
    for name, row in (("left", 0), ("right" * 30, 79)):
        studio.do({"kind": "add_class", "name": name, "selection": {"rows": [row]}})
    reasons = {reason for _, reason in questions(studio, 40)}
    long = shortened("right" * 30)
    assert reasons & {f"between left and {long}", f"between {long} and left"}
    studio.close()
