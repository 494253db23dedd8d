from pathlib import Path

import numpy as np
import pytest

from diffresnet.cluster.engine import InProcess
from diffresnet.cluster.recall import measure_recall
from diffresnet.cluster.shards import Numbering
from diffresnet.cluster.work import Work

POINTS = np.arange(12, dtype=np.float32)[:, None] ** 1.1
NUMBERING = Numbering(np.array([[7, 5]]), np.array([[0, 0]]))


def write_graph(work: Work, n_near: int) -> None:
    """Write points on a line, and links of each to its nearest ones."""
    apart = np.abs(POINTS - POINTS.T)
    near = np.sort(np.argsort(apart, axis=1)[:, : n_near + 1], axis=1)
    for shard, rows in enumerate((slice(0, 7), slice(7, 12))):
        work.save(f"shards/{shard}/points.npy", POINTS[rows])
        work.save(f"rows/{shard}/columns.npy", near[rows].ravel().astype(np.int64))
        n_rows = rows.stop - rows.start
        work.save(f"rows/{shard}/starts.npy", (n_near + 1) * np.arange(n_rows + 1))


@pytest.mark.parametrize(("n_linked", "part"), [(4, 1.0), (2, 0.5)])
def test_recall_is_the_part_of_neighbors_that_is_linked(
    tmp_path: Path, n_linked: int, part: float
) -> None:
    work = Work(tmp_path)
    write_graph(work, n_linked)
    found = measure_recall(InProcess(), work, NUMBERING, np.array([0, 3, 6, 7, 11]), 4)
    assert found == part
