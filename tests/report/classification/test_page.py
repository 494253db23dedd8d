import json
import re
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from diffresnet.estimators import DiffResNetClassifier, UnreachedWarning
from diffresnet.report.classification.page import make_report, write_report
from tests.report.fitted import ATTACK, fit_blobs, numbered


def data_of(page: str) -> dict[str, list[object]]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_the_page_tells_it_all_and_needs_nothing_else() -> None:
    model = fit_blobs(["cat", "dog", "eel"])
    page = make_report(model, numbered(model), "Three & more").decode()
    for text in (
        "<h1>Three &amp; more</h1>",
        "36 points and 6 labels, in 3 classes.",
        "default-src 'none'; style-src 'unsafe-inline'",
        "Before diffusion",
        "How sure",
        "The graph&#x27;s health",
        "6 of 36 points have a label.",
        "Least certain points",
        "Label these next",
        "All points of a class: those with its label, and those predicted.",
        'role="img"',
        "prefers-color-scheme: dark",
    ):
        assert text in page
    assert "http://" not in page
    assert "https://" not in page
    assert not re.search(r"\b(src|href)=", page)
    assert page.count('class="point ') == 36
    assert len(data_of(page)["before"]) == 36


def test_copies_stand_where_their_point_does() -> None:
    once = np.random.default_rng(0).normal(size=(20, 3)) + 9 * (np.arange(20) % 2)[:, None]
    labels = np.where(np.arange(40) < 4, np.arange(40) % 2, -1)
    model = DiffResNetClassifier().fit(np.concatenate([once, once]), labels)
    places = np.array(data_of(make_report(model, numbered(model), "Twice").decode())["before"])
    apart = np.linalg.norm(places[:20] - places[20:], axis=1)  # t-SNE keeps copies side by side
    assert apart.max() < np.linalg.norm(places[:, None] - places, axis=2).mean()


def test_a_learning_curve_is_shown() -> None:
    model = fit_blobs(["cat", "dog", "eel"], n_labels=4)
    plain = make_report(model, numbered(model), "Three").decode()
    assert "More labels?" not in plain
    expected = re.search(r"<h2>How accurate</h2>\n<ul><li>(.*?)</li></ul>", plain)
    assert expected is not None
    assert expected[1] == model.diagnose().accuracy_sentence
    assert plain.count("of the points without a label are right") == 1
    page = make_report(model, numbered(model), "Three", curve=model.learning_curve()).decode()
    assert "More labels?" in page
    assert '<p class="note">Twice the labels would' in page


def test_markup_in_names_is_shown_and_never_run() -> None:
    model = fit_blobs([ATTACK, "dog"])
    ids = [ATTACK, *numbered(model)[1:]]
    page = make_report(model, ids, ATTACK).decode()
    assert ATTACK not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert page.count("<script") == 2
    assert data_of(page)["names"][0] == ATTACK


def test_many_classes_share_gray() -> None:
    model = fit_blobs([f"class {which}" for which in range(30)], n_each=5, n_labels=3)
    page = make_report(model, numbered(model), "Many").decode()
    assert "19 other classes" in page
    assert "6 smaller classes" in page
    assert set(data_of(page)["kinds"]) <= {*map(str, range(11)), "other"}


def test_a_graph_alone_has_one_map() -> None:
    graph = np.kron(np.eye(2), np.ones((8, 8)))
    graph[7, 8] = graph[8, 7] = 0.1
    labels = np.full(16, -1)
    labels[[0, 15]] = 0, 1
    model = DiffResNetClassifier(graph="precomputed").fit(graph, labels)
    page = make_report(model, numbered(model), "Graph").decode()
    assert "Before diffusion" not in page
    assert data_of(page)["before"] is None


def test_points_out_of_reach_have_no_class() -> None:
    graph = np.kron(np.eye(3), np.ones((6, 6)))
    labels = np.full(18, -1)
    labels[[0, 6]] = 0, 1
    with pytest.warns(UnreachedWarning):
        model = DiffResNetClassifier(graph="precomputed").fit(graph, labels)
    page = make_report(model, numbered(model), "Parts").decode()
    assert "No label reaches 6 points." in page
    assert data_of(page)["kinds"].count("unreached") == 6


def test_every_label_is_a_report_too() -> None:
    model = fit_blobs(["cat", "dog"], n_each=4, n_labels=4)
    assert b"None: every point has a label." in make_report(model, numbered(model), "All")


def test_ids_are_counted() -> None:
    model = fit_blobs(["cat", "dog"])
    message = "make_report: `ids` must be 24 names, got 1. Give one id for each fitted point."
    with pytest.raises(ValueError, match=re.escape(message)):
        make_report(model, ["p0"], "Few")


def test_style_and_script_come_with_the_package() -> None:
    folder = files("diffresnet.report.classification")
    script = folder.joinpath("page.js").read_text("utf-8")
    assert "innerHTML" not in script
    assert folder.joinpath("page.css").is_file()


def test_the_map_shows_texts_and_pictures() -> None:
    model = fit_blobs(["a", "b"])
    n_points = len(model.transduction_)
    texts = [f"{ATTACK} {row}" for row in range(n_points)]
    page = make_report(model, numbered(model), "Texts", texts).decode()
    looks = data_of(page)["previews"]
    assert looks[5] == {"text": texts[5]}
    assert ATTACK not in page
    pictures = data_of(make_report(model, numbered(model), "Pictures", [b"x"] * n_points).decode())
    assert pictures["previews"][0] == {"picture": "eA=="}
    assert data_of(make_report(model, numbered(model), "None").decode())["previews"] == []


def test_what_was_asked_for_is_what_it_shows() -> None:
    model = fit_blobs(["a", "b"])
    page = make_report(model, numbered(model), "Two", suggested=np.array([7, 9])).decode()
    assert page.count('class="ring"') == 2
    assert 'class="ring" r="9" data-point="7"' in page


def test_write_report_from_python(tmp_path: Path) -> None:
    model = fit_blobs(["a", "b"])
    path = write_report(model, tmp_path / "page.html", title="Mine")
    assert "<title>Mine</title>" in path.read_text()
    with pytest.raises(ValueError, match="`model` must be one with labels of two classes or more"):
        write_report(DiffResNetClassifier().prepare(np.eye(5)), tmp_path / "none.html")
    assert not (tmp_path / "none.html").exists()
