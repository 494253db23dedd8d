import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "kills.py"


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_a_few_kills() -> None:
    pytest.importorskip("PIL")
    names = ["classify", "classify without labels", "fewshot"]
    words = ["--trial", "--each", "2", *(f"--only={name}" for name in names)]
    done = subprocess.run(  # noqa: S603
        [sys.executable, str(SCRIPT), *words], capture_output=True, text=True, check=True
    )
    rows = json.loads(done.stdout)
    assert [row["question"] for row in rows] == names
    assert [row["faults"] for row in rows] == [[], [], []]
    assert sum(row["kills"] for row in rows) >= 6
