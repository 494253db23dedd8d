from dataclasses import replace
from pathlib import Path

import numpy as np

from tests.studio.studios import label_all_classes, open_clusters


def test_a_snapshot_stays_as_it_is_while_gestures_go_on(tmp_path: Path) -> None:
    studio = open_clusters(tmp_path)
    label_all_classes(studio)
    before = studio.now
    kept = before.predictions.classes.copy(), before.state.answers.copy(), before.undo
    done = studio.do({"kind": "label", "class": 0, "selection": {"rows": [40]}})
    assert done.before is before
    assert done.after is studio.now
    assert done.after.version == before.version + 1
    assert np.array_equal(before.predictions.classes, kept[0])
    assert np.array_equal(before.state.answers, kept[1])
    assert before.undo == kept[2] != studio.now.undo
    studio.close()


def test_it_has_learned_unless_answers_are_pending(tmp_path: Path) -> None:
    studio = open_clusters(tmp_path)
    assert studio.now.is_learned
    assert not replace(studio.now, pending=np.array([2])).is_learned
    studio.close()
