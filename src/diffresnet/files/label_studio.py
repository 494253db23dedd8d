"""Tasks of Label Studio: answers of one choice each, as its JSON has them, to and from.

A task is ``{"data": {"id": ..., "text": ...}, "annotations": [{"result": [...]}], "predictions":
[...]}``; a result of type `choices` has the label. Its labeling interface for them is

    <View><Text name="text" value="$text"/><Choices name="label" toName="text">...</Choices></View>

with `Image` in place of `Text` for photographs.
"""

import json
from collections.abc import Sequence
from typing import Any, cast

from diffresnet._support.checks import refuse
from diffresnet._support.words import some
from diffresnet.files.frames import check_names
from diffresnet.files.labels import place_labels

WHAT = "The file of Label Studio"
FROM = "label"
SHOWN = ("image", "text", "path")
"""What else in the data of a task says which point it is, where there is no `id`."""


def encode_tasks(
    ids: Sequence[str],
    labels: Sequence[str],
    predicted: Sequence[tuple[str, float] | None],
    texts: Sequence[str] = (),
    *,
    is_image: bool = False,
) -> bytes:
    """Return tasks as JSON: one a point, with its label and what is predicted.

    Args:
        ids: of the points.
        labels: of the points, "" where there is none.
        predicted: a label and its probability for each point, or None.
        texts: of the points, if they have any.
        is_image: whether ids are paths of images.

    Examples:
        >>> tasks = encode_tasks(["a"], ["cat"], [("cat", 1.0)], ["Meow"])
        >>> decode_tasks(tasks.decode(), ["a"])
        ['cat']
    """
    to = "image" if is_image else "text"
    tasks: list[dict[str, Any]] = []
    for row, (name, label, found) in enumerate(zip(ids, labels, predicted, strict=True)):
        shown = name if is_image or not len(texts) else texts[row]
        task: dict[str, Any] = {"id": row + 1, "data": {"id": name, to: shown}}
        task["annotations"] = [{"result": [_choice(to, label)]}] if label else []
        task["predictions"] = []
        if found is not None:
            score = {"score": round(found[1], 6), "model_version": "diffresnet"}
            task["predictions"] = [{**score, "result": [_choice(to, found[0])]}]
        tasks.append(task)
    return json.dumps(tasks, ensure_ascii=False, indent=1).encode()


def decode_tasks(text: str, ids: Sequence[str]) -> list[str]:
    """Return the label of each point, "" where there is none, of tasks in JSON.

    The first choice of the last annotation that was not canceled is taken. A task is known by the
    `id` in its data; only where there is none, by its image, text or path.

    Args:
        text: the file.
        ids: of the points.

    Raises:
        ValueError: if it is something else, has tasks that are no points, or different labels for
            a point.
    """
    try:
        tasks = json.loads(text)
    except (ValueError, RecursionError):
        tasks = None
    if not isinstance(tasks, list) or not all(isinstance(one, dict) for one in tasks):
        refuse(WHAT, "a list of tasks in JSON", "something else", "Export it as JSON.")
    known = set(ids)
    names: list[str] = []
    labels: list[str] = []
    strange: list[str] = []
    for task in cast("list[dict[str, Any]]", tasks):
        label = _label_of(task)
        if label:
            name = _name_of(task, known)
            (strange if name is None else names).append(
                str(task.get("id")) if name is None else name
            )
            if name is not None:
                labels.append(label)
    if strange:
        got = f"tasks of others: {some(strange)}"
        refuse(WHAT, "tasks with the ids of these points", got, "Put an `id` into their data.")
    check_names(labels, WHAT, "labels")
    otherwise = "choose a file that was exported from these data"
    return place_labels(names, labels, ids, WHAT, "the data", parts="tasks", otherwise=otherwise)


def _choice(to: str, label: str) -> dict[str, Any]:
    value = {"choices": [label]}
    return {"from_name": FROM, "to_name": to, "type": "choices", "value": value}


def _name_of(task: dict[str, Any], known: set[str]) -> str | None:
    data = task.get("data")
    if not isinstance(data, dict):
        return None
    values = cast("dict[str, Any]", data)
    found = [values[key] for key in (["id"] if "id" in values else SHOWN) if key in values]
    texts = [str(one) for one in found if isinstance(one, str | int)]
    return next((one for one in texts if one in known), None)


def _label_of(task: dict[str, Any]) -> str:
    found = ""
    annotations = task.get("annotations", task.get("completions", []))
    for one in annotations if isinstance(annotations, list) else []:
        results = one.get("result") if isinstance(one, dict) else None
        if not isinstance(results, list) or one.get("was_cancelled"):
            continue
        for result in cast("list[Any]", results):
            value = result.get("value") if isinstance(result, dict) else None
            choices = value.get("choices") if isinstance(value, dict) else None
            if isinstance(choices, list) and choices and isinstance(choices[0], str):
                found = choices[0].strip()
    return found
