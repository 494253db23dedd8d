import pytest
import torch

from diffresnet.datasets import make_xor
from diffresnet.report.shell import POLICY
from diffresnet.report.theory import page as theory_page
from diffresnet.report.theory.page import draw_growth, make_theory_page
from diffresnet.theory import analyze


def test_the_page_shows_everything(generator: torch.Generator) -> None:
    data = make_xor(generator, n_points=80)
    found = analyze(data.points, data.labels, n_top=5, n_steps=30)
    page = make_theory_page(found, "<xor>").decode()
    assert "<title>Theory: &lt;xor&gt;</title>" in page
    for heading in ("structured?", "stable?", "separate the classes?"):
        assert f"{heading}</h2>" in page
    assert page.count("data:image/png;base64,") == 1
    assert page.count("<tr>") == 1 + 4
    assert POLICY in page
    assert "script" not in page


def test_a_picture_without_finite_ratios() -> None:
    points = torch.tensor([[0.0, 0.0], [5.0, 0.0]])
    found = analyze(points, torch.tensor([0, 1]), n_top=1, n_steps=2)
    assert draw_growth(found).startswith(b"\x89PNG")


def test_classes_have_their_names_and_long_tables_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    points = torch.arange(6).reshape(3, 2).double()
    found = analyze(points, torch.tensor([0, 1, 0]), n_top=1, n_steps=1)
    monkeypatch.setattr(theory_page, "MOST_ROWS", 2)
    page = make_theory_page(found, "names", ["cat", "dog"]).decode()
    assert "<td>cat</td>" in page
    assert "And 1 more." in page
