"""The Python of the README and the docs runs and gives what it says."""

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_ten_lines_of_python() -> None:
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.DOTALL)
    assert len(blocks) == 1
    done = subprocess.run(  # noqa: S603  (our own script)
        [sys.executable, "-W", "error", "-c", blocks[0]], capture_output=True, text=True, check=True
    )
    accuracy = re.fullmatch(r"([\d.]+)% right from 6 labels\n", done.stdout)
    assert accuracy is not None
    assert float(accuracy[1]) > 95


def test_the_python_of_the_docs_runs() -> None:
    blocks = re.findall(
        r"```python\n(.*?)```", (README.parent / "docs/layers.md").read_text(), flags=re.DOTALL
    )
    assert len(blocks) == 2
    script = "\n".join(blocks)
    subprocess.run([sys.executable, "-W", "error", "-c", script], check=True)  # noqa: S603


def test_links_lead_somewhere() -> None:
    for page in [README, *README.parent.glob("docs/*.md"), README.parent / "CONTRIBUTING.md"]:
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / link).exists(), f"{page.name}: {link}"
