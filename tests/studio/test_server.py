import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from diffresnet import DiffResNetClassifier
from diffresnet.studio.answering import EXPORTS
from tests.studio.clients import Page, serving
from tests.studio.studios import N_EACH, NAMES, TRUTH, write_clusters

EVERYTHING = {"rows": list(range(90))}


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    with serving(write_clusters(tmp_path)) as page:
        yield page


@pytest.fixture
def labeled(page: Page) -> Page:
    for one, name in enumerate(NAMES):
        rows = [one * N_EACH, one * N_EACH + 1]
        page.do(kind="add_class", name=name, selection={"rows": rows})
    return page


def test_the_project_says_all_but_the_points(page: Page) -> None:
    project = page.get("/api/project")
    assert set(project) == {
        *("title", "kind", "stage", "doing", "done", "error", "n_points", "version", "has_texts"),
        *("has_images", "has_before_map", "undo", "redo", "classes", "progress", "strength"),
        *("exports", "colors"),
    }
    assert project["title"] == "points.npz"
    assert project["n_points"] == 3 * N_EACH
    assert project["exports"] == list(EXPORTS)
    assert project["strength"] is None
    assert set(project["progress"]) == {
        *("n_labels", "n_points", "n_reached", "n_none", "n_skipped", "expected", "curve"),
        *("needs", "lacking", "enough", "sentences"),
    }


def test_points_come_as_one_frame(labeled: Page) -> None:
    header, arrays = labeled.frame("/api/points")
    assert header["n"] == 3 * N_EACH
    assert arrays["xy"].shape == arrays["before"].shape == (3 * N_EACH, 2)
    assert (arrays["predicted"] == TRUTH).mean() > 0.95
    assert (arrays["certainty"] > 0).all()
    assert arrays["labeled"].tolist() == [0, 1, 30, 31, 60, 61]
    assert arrays["given"].tolist() == [0, 0, 1, 1, 2, 2]
    assert set(labeled.frame("/api/map")[1]) == {"xy", "before"}
    state = labeled.frame("/api/state")[1]
    assert set(state) == {"predicted", "certainty", "labeled", "given", "skipped"}


def test_a_label_is_answered_by_a_first_look_and_then_learned_from(labeled: Page) -> None:
    command = {"kind": "label", "class": 0, "selection": {"rows": [5]}}
    header, arrays = labeled.do(**command, view={"map": "after", "box": [-1, -1, 1, 1]})
    assert header["is_first"] is True
    assert 5 in arrays["labeled"]
    whole, learned = labeled.frame("/api/learned")
    assert whole["is_first"] is False
    assert whole["version"] == whole["project"]["version"] == header["version"]
    assert (learned["predicted"] == TRUTH).mean() > 0.95
    assert labeled.frame("/api/state")[0]["is_first"] is False
    assert len(labeled.get("/api/queue?n=3")) == 3


def test_a_gesture_answers_with_what_has_changed(labeled: Page) -> None:
    _, before = labeled.frame("/api/state")
    header, arrays = labeled.do(kind="label", **{"class": 1}, selection={"rows": [5]})
    assert header["said"] == "Labeled 1 point green."
    assert header["project"]["version"] == header["version"] == 4
    _, after = labeled.frame("/api/state")
    if "rows" in arrays:
        for name in ("predicted", "certainty"):
            patched = before[name].copy()
            patched[arrays["rows"]] = arrays[name]
            assert (patched == after[name]).all()
    else:
        assert (arrays["predicted"] == after["predicted"]).all()
    header, _ = labeled.do(kind="undo")
    assert header["said"] == "Undone: label 1 point green."
    assert (labeled.frame("/api/state")[1]["predicted"] == before["predicted"]).all()
    header, arrays = labeled.do(kind="unlabel", selection={"rows": [7]})
    assert header["said"] == "Nothing has changed."
    assert len(arrays["rows"]) == 0


def test_none_and_skip_are_answers(labeled: Page) -> None:
    labeled.do(kind="none", selection={"rows": [3]})
    _, arrays = labeled.do(kind="skip", selection={"rows": [4]})
    assert arrays["skipped"].tolist() == [4]
    assert arrays["given"].tolist() == [0, 0, 65535, 1, 1, 2, 2]
    progress = labeled.get("/api/project")["progress"]
    assert (progress["n_labels"], progress["n_none"], progress["n_skipped"]) == (6, 1, 1)
    items = labeled.get("/api/items?rows=3,4,0")
    assert [one["is_none"] for one in items] == [True, False, False]
    assert [one["given"] for one in items] == [None, None, 0]


def test_what_the_graph_thinks_of_a_selection(labeled: Page) -> None:
    found = labeled.client.post("/api/selection", json={"selection": EVERYTHING}).json()
    assert found["n"] == 3 * N_EACH
    assert sum(one["n"] for one in found["by_class"]) == 3 * N_EACH
    assert found["n_labeled"] == 6
    assert found["n_unreached"] == found["n_none_predicted"] == 0
    assert found["said"].startswith("90 points: ")
    assert "30 red" in found["said"] or "red" in found["said"]


def test_items_questions_explanations_and_search(labeled: Page) -> None:
    item = labeled.get("/api/items?rows=7")[0]
    assert (item["id"], item["row"], item["text"], item["image"]) == ("p7", 7, None, False)
    assert item["predicted"] == 0
    assert 0 < item["second_probability"] < item["probability"] <= 1
    questions = labeled.get("/api/queue?n=5")
    assert len(questions) == 5
    assert all(one["reason"] and 0 <= one["row"] < 90 for one in questions)
    found = labeled.get("/api/explain/7")
    assert found["sources"][0]["class"] == 0
    path = found["sources"][0]["path"]
    assert (path[0], path[-1]) == (found["sources"][0]["row"], 7)
    assert found["sentence"].startswith("red: ")
    assert labeled.get("/api/search?q=P1") == {"n": 11, "rows": [1, *range(10, 20)]}
    assert labeled.get("/api/search?q=") == {"n": 0, "rows": []}


def test_labels_that_disagree_are_listed(labeled: Page) -> None:
    assert labeled.get("/api/audit") == []
    labeled.do(kind="label", **{"class": 2}, selection={"rows": [9]})
    found = labeled.get("/api/audit")
    assert [one["row"] for one in found] == [9]
    assert (found[0]["given"], found[0]["proposed"]) == (2, 0)
    assert found[0]["sentence"] == "Labeled blue; the other labels speak for red."


def test_strength_shows_and_keeps_nothing(labeled: Page) -> None:
    offered = labeled.get("/api/project")["strength"]
    before = labeled.frame("/api/state")
    reached = [
        int((labeled.post("/api/strength", {"value": value})[1]["certainty"] > 0).sum())
        for value in (offered["least"], offered["value"], offered["most"])
    ]
    assert 6 <= reached[0] < reached[1] <= reached[2] == 90
    after = labeled.frame("/api/state")
    assert after[0]["version"] == before[0]["version"]
    answer = labeled.client.post("/api/strength", json={"value": 1e8})
    assert answer.status_code == 400
    assert "must be between" in answer.json()["error"]


@pytest.mark.parametrize("name", EXPORTS)
def test_every_export_is_a_download(labeled: Page, name: str, tmp_path: Path) -> None:
    answer = labeled.client.post("/api/export", json={"name": name})
    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
    path = tmp_path / name
    path.write_bytes(answer.content)
    if name == "model.npz":
        model = DiffResNetClassifier.load(path)
        assert model.classes_.tolist() == sorted(NAMES)
    if name == "labels.csv":
        assert answer.text.splitlines()[:2] == ["id,label,answer", "p0,red,label"]


@pytest.mark.parametrize("name", ["labels.csv", "label_studio.json"])
def test_what_was_exported_can_be_imported(labeled: Page, name: str) -> None:
    labeled.do(kind="none", selection={"rows": [40]})
    labeled.do(kind="skip", selection={"rows": [50]})
    before = labeled.frame("/api/state")[1]
    text = labeled.client.post("/api/export", json={"name": name}).text
    while labeled.get("/api/project")["undo"] is not None:
        labeled.do(kind="undo")
    header, _ = labeled.post("/api/import", {"name": name, "text": text, "tab": "t"})
    assert header["said"] == "Took the answers of 8 points from a file."
    after = labeled.frame("/api/state")[1]
    assert after["labeled"].tolist() == before["labeled"].tolist()
    assert after["skipped"].tolist() == before["skipped"].tolist()
    names = {one["id"]: one["name"] for one in header["project"]["classes"]}
    given = [names.get(int(one), "none") for one in after["given"]]
    assert given == ["red", "red", "green", "green", "none", "blue", "blue"]
    assert labeled.get("/api/project")["undo"] == "take the answers of 8 points from a file"


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("labels.csv", "id,label\nnobody,cat\n", "1 that the studio does not have: 'nobody'"),
        ("labels.csv", "id,label\nnobody,cat\n", "or choose a file that was exported from these"),
        (
            "labels.csv",
            "a,b\n1,2\n",
            "with the columns id and label, got one without id and label.",
        ),
        ("labels.csv", "id,b\n1,2\n", "got one without label. Name them so in its first row."),
        ("labels.csv", "", "The file must be"),
        ("a.json", "{", "must be a list of tasks in JSON"),
        ("a.exe", "", "must be labels in .csv or Label Studio's .json"),
        (3, "", "must be a name and a text"),
    ],
)
def test_other_files_are_refused(page: Page, name: Any, text: str, sentence: str) -> None:
    answer = page.client.post("/api/import", json={"name": name, "text": text})
    assert answer.status_code == 400
    assert sentence in answer.json()["error"]
    assert page.get("/api/project")["version"] == 0


def test_static_files_have_digests(page: Page) -> None:
    answer = page.client.get("/static/frame.js")
    assert answer.headers["content-type"].startswith("text/javascript")
    digest = answer.headers["etag"]
    again = page.client.get("/static/frame.js", headers={"If-None-Match": digest})
    assert again.status_code == 304
    assert page.client.get("/static/nothing.js").status_code == 404
    for path in ("/static/../server.py", "/static/%2e%2e/server.py", "/static/..%2fserver.py"):
        assert page.client.get(path).status_code == 404


def test_events_begin_with_the_project_and_tell_of_other_tabs(tmp_path: Path) -> None:
    with serving(write_clusters(tmp_path)) as page:
        seen: list[str] = []

        async def listen() -> None:
            async for event in page.host.events():
                seen.append(event)
                if len(seen) == 1:
                    page.host._tell("version", {"version": 1, "tab": "other"})  # pyright: ignore[reportPrivateUsage]
                if '"other"' in event:
                    return

        portal = page.client.portal
        assert portal is not None
        portal.call(listen)
    assert json.loads(seen[0].split("data: ")[1])["stage"] == "ready"
    assert seen[-1] == 'event: version\ndata: {"version": 1, "tab": "other"}\n\n'


def test_data_that_cannot_be_opened_are_told(tmp_path: Path) -> None:
    path = tmp_path / "bad.npz"
    path.write_bytes(b"nothing")
    with serving(path) as page:
        project = page.get("/api/project")
        assert project["stage"] == "failed"
        assert "bad.npz" in project["error"]
        answer = page.client.get("/api/points")
        assert answer.status_code == 400
        assert answer.json()["error"] == project["error"]


def test_the_same_answers_after_a_restart(tmp_path: Path) -> None:
    path = write_clusters(tmp_path)
    with serving(path) as page:
        page.do(kind="add_class", name="red", selection={"rows": [0]})
        before = page.frame("/api/state")
    with serving(path) as page:
        after = page.frame("/api/state")
        assert before[0]["version"] == after[0]["version"]
        assert all((before[1][name] == after[1][name]).all() for name in before[1])
        assert page.get("/api/project")["undo"] == "add the class red and label 1 point with it"


def test_markup_in_names_stays_text(page: Page) -> None:
    name = "<script>alert('1')</script>&amp;"
    header, _ = page.do(kind="add_class", name=name, selection={"rows": [0]})
    assert header["project"]["classes"][0]["name"] == name
    page.do(kind="add_class", name="b", selection={"rows": [31, 61]})
    report = page.client.post("/api/export", json={"name": "report.html"}).text
    assert "<script>alert" not in report


def test_one_tab_too_many_is_refused_before_the_stream(
    labeled: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("diffresnet.studio.hosting.MOST_TABS", 0)
    answer = labeled.client.get("/api/events")
    assert answer.status_code == 400
    assert "open in up to 0 tabs" in answer.json()["error"]
