import json
from typing import Any

import pytest

from diffresnet.files.label_studio import decode_tasks, encode_tasks

IDS = ["a", "b", "c"]


def task(name: str, *labels: str, **more: Any) -> dict[str, Any]:
    annotations = [
        {"result": [{"type": "choices", "value": {"choices": [label]}}]} for label in labels
    ]
    return {"id": 7, "data": {"id": name}, "annotations": annotations, **more}


def test_what_was_written_is_read_again() -> None:
    labels = ["cat", "", "<b>dog</b>"]
    content = encode_tasks(IDS, labels, [("cat", 1.0), None, ("dog", 0.25)], ["x", "y", "z"])
    assert decode_tasks(content.decode(), IDS) == labels
    tasks = json.loads(content)
    assert tasks[0]["data"] == {"id": "a", "text": "x"}
    assert tasks[1]["annotations"] == tasks[1]["predictions"] == []
    assert tasks[2]["predictions"][0]["score"] == 0.25
    assert tasks[2]["predictions"][0]["result"][0]["value"] == {"choices": ["dog"]}


def test_images_have_their_path() -> None:
    tasks = json.loads(encode_tasks(["a/1.jpg"], [""], [None], is_image=True))
    assert tasks[0]["data"] == {"id": "a/1.jpg", "image": "a/1.jpg"}


def test_files_of_label_studio_are_read() -> None:
    exported = [
        task("a", "cat", "dog"),  # the last annotation counts
        {"id": 2, "data": {"text": "b"}, "annotations": [task("b", "owl")["annotations"][0]]},
        {"id": 3, "data": {"id": "c"}, "annotations": [{"was_cancelled": True, "result": [1]}]},
    ]
    assert decode_tasks(json.dumps(exported), IDS) == ["dog", "owl", ""]
    assert decode_tasks("[]", IDS) == ["", "", ""]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "The file of Label Studio must be a list of tasks in JSON, got something else."),
        ("{}", "must be a list of tasks in JSON"),
        ("[1]", "must be a list of tasks in JSON"),
        ("[" * 100_000, "must be a list of tasks in JSON"),
        (
            json.dumps([task("z", "cat")]),
            "must be tasks with the ids of these points, got tasks of",
        ),
        (json.dumps([{"annotations": task("a", "cat")["annotations"]}]), "must be tasks with the"),
    ],
)
def test_other_files_are_refused(text: str, sentence: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        decode_tasks(text, IDS)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    "data",
    [
        {"id": "strange", "stars": "b"},
        {"id": "strange", "text": "b"},
        {"stars": "b"},
        {"id": None, "text": "b"},
    ],
)
def test_other_data_of_a_task_do_not_say_which_point_it_is(data: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="tasks with the ids of these points, got tasks of other"):
        decode_tasks(json.dumps([task("a", "cat", data=data)]), IDS)


@pytest.mark.parametrize("key", ["image", "text", "path"])
def test_without_an_id_a_task_is_known_by_what_it_shows(key: str) -> None:
    tasks = json.dumps([task("", "cat", data={"stars": "a", key: "b"})])
    assert decode_tasks(tasks, IDS) == ["", "cat", ""]


def test_two_tasks_for_a_point() -> None:
    twice = [task("b", "cat"), task("b"), task("b", "cat")]
    assert decode_tasks(json.dumps(twice), IDS) == ["", "cat", ""]
    with pytest.raises(ValueError, match="one label for an id, got different ones for 'b'"):
        decode_tasks(json.dumps([*twice, task("b", "dog")]), IDS)


@pytest.mark.parametrize("strange", [None, 3, "x", [], [3], [{"result": 3}], [{"result": [{}]}]])
def test_strange_annotations_are_none(strange: Any) -> None:
    tasks = [{"data": {"id": "a"}, "annotations": strange}]
    assert decode_tasks(json.dumps(tasks), IDS) == ["", "", ""]
