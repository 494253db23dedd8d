"""The gallery's programs are short, run, and draw something."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import ROOT

SCRIPTS = sorted((ROOT / "examples/gallery").glob("plot_*.py"))
QUICK = ("plot_moons", "plot_graph", "plot_values")
MOST_LINES = 60
PROGRAM = """
import runpy, sys, warnings
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
warnings.filterwarnings("ignore", message=".*non-interactive.*")
runpy.run_path(sys.argv[1], run_name="__main__")
drawn = [axes for number in plt.get_fignums() for axes in plt.figure(number).axes]
assert sum(bool(axes.has_data()) for axes in drawn) >= 1
"""


def test_there_are_enough_and_they_are_short() -> None:
    assert len(SCRIPTS) >= 15
    lengths = {path.name: len(path.read_text().splitlines()) for path in SCRIPTS}
    assert {name: length for name, length in lengths.items() if length > MOST_LINES} == {}


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=() if path.stem in QUICK else pytest.mark.slow)
        for path in SCRIPTS
    ],
)
def test_a_program_runs_and_draws(path: Path, tmp_path: Path) -> None:
    for library in ("matplotlib", "networkx"):
        pytest.importorskip(library)
    command = [sys.executable, "-c", PROGRAM, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)  # noqa: PLW1510, S603
    if "needs `" in done.stderr or "No module named" in done.stderr:
        pytest.skip(done.stderr.splitlines()[-1])
    assert done.returncode == 0, done.stderr
