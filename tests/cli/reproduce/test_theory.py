import json
from pathlib import Path

from typer.testing import CliRunner

from diffresnet.cli import app


def test_prints_the_numbers_and_writes_the_files(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["reproduce", "theory", "--out", str(tmp_path / "new")])
    assert result.exit_code == 0, result.output
    written = {path.name: path.read_bytes() for path in (tmp_path / "new").iterdir()}
    pictures = {f"theory_{name}.png" for name in ("growth", "directed", "hinges")}
    assert set(written) == {"theory.json", *pictures}
    assert all(written[name].startswith(b"\x89PNG") for name in pictures)
    printed = result.output[: result.output.index("wrote")]
    assert json.loads(printed) == json.loads(written["theory.json"])
