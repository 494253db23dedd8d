import numpy as np
import pytest

from diffresnet import DiffResNetClassifier
from diffresnet.cli import summary
from diffresnet.cli.summary import print_summary


def test_a_line_for_each_class(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    points = np.random.default_rng(0).normal(size=(30, 3)) + 9 * (np.arange(30) % 3)[:, None]
    labels = [f"class {row % 3}" if row < 7 else "" for row in range(30)]
    model = DiffResNetClassifier(n_top=5).fit(points, labels)
    print_summary(model, None)
    said = capsys.readouterr().out
    assert "30 points, 7 with a label" in said
    assert "predicted: points without a label" in said
    new = np.arange(30) >= 7
    for place, n_given in enumerate((3, 2, 2)):
        mine = new & (model.transduction_ == f"class {place}")
        mean = model.label_distributions_[mine].max(axis=1).mean()
        cells = f"class {place}", str(n_given), str(mine.sum()), f"{mean:.2f}"
        line = next(line for line in said.splitlines() if cells[0] in line)
        assert [cell.strip() for cell in line.split("│")[1:-1]] == list(cells)
    monkeypatch.setattr(summary, "N_ROWS", 2)
    print_summary(model, None)
    said = capsys.readouterr().out
    assert "The file has 1 class more." in said
    assert "class 2 │" not in said


def test_a_class_that_is_not_predicted(capsys: pytest.CaptureFixture[str]) -> None:
    model = DiffResNetClassifier(n_top=3).fit(np.eye(4), ["a", "a", "b", "b"])
    print_summary(model, None)
    assert "│ a     │       2 │         0 │                  │" in capsys.readouterr().out
