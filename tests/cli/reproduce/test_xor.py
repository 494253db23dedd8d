import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from diffresnet import __version__
from diffresnet.cli import app


def test_prints_the_table_and_writes_the_files(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["reproduce", "xor", "--out", str(tmp_path / "demo")])
    assert result.exit_code == 0, result.output
    rows = [line.split() for line in result.output.splitlines() if line.startswith("│")]
    assert [row[1] for row in rows] == ["0", "1", "10", "20", "200"]
    numbers = json.loads((tmp_path / "demo" / "xor.json").read_text())
    assert f"{numbers['min_distance'][10]:.3f}" == rows[2][3]
    assert (tmp_path / "demo" / "xor.png").read_bytes().startswith(b"\x89PNG")


def test_a_seed_repeats(tmp_path: Path) -> None:
    for name, seed in (("a", "3"), ("b", "3"), ("c", "4")):
        CliRunner().invoke(app, ["reproduce", "xor", "--out", str(tmp_path / name), "--seed", seed])
    a, b, c = ((tmp_path / name / "xor.json").read_bytes() for name in "abc")
    assert a == b != c


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = CliRunner().invoke(app, ["reproduce", "xor", "--out", str(tmp_path / "file")])
    assert result.exit_code == 2
    assert "cannot write" in result.output


@pytest.mark.parametrize("arguments", [["--help"], ["reproduce", "xor", "--help"], ["--version"]])
def test_help_and_version(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0
    if arguments == ["--version"]:
        assert result.output == f"diffresnet {__version__}\n"
