"""Gestures: what each one changes, and what undoes it.

A gesture is a set of answers that change, and of classes that come, change or go. It is made here
from what a person asked for, and knows nothing of models, files or pages.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from diffresnet._support.words import count, plain, shortened
from diffresnet.studio.classes import (
    LONGEST_NAME,
    NONE_NAME,
    SKIPPED_NAME,
    StudioClass,
    check_class,
    check_color,
    check_key,
    check_name,
    check_room,
    make_class,
)

NOT_ANSWERED, NONE_OF_THESE, SKIPPED = -1, -2, -3
"""Answers that are no class; classes are 0, 1, 2, ..."""

NO_CLASSES = {NONE_NAME: NONE_OF_THESE, SKIPPED_NAME: SKIPPED}
"""What some of these answers are called in a file."""

Answers = npt.NDArray[np.int32]
Rows = npt.NDArray[np.int64]
Classes = Mapping[int, StudioClass]
ClassChange = tuple[StudioClass | None, StudioClass | None]
"""A class before and after; None where it is not there."""

ANSWERS = {"none": NONE_OF_THESE, "skip": SKIPPED, "unlabel": NOT_ANSWERED}
WORDS = {
    "none": ("say none of these of", ""),
    "skip": ("skip", ""),
    "unlabel": ("take the label of", " away"),
}
"""Around the number of points."""

PAST = {
    "label": "labeled",
    "say": "said",
    "skip": "skipped",
    "take": "took",
    "add": "added",
    "rename": "renamed",
    "change": "changed",
    "merge": "merged",
    "delete": "deleted",
}
"""Of the verbs with which gestures begin."""


@dataclass(frozen=True)
class State:
    """What was answered so far.

    Attributes:
        answers: (N,) the class of each point, or one of the answers above.
        classes: by number.
        next_class: the number of the next one.
    """

    answers: Answers
    classes: Classes = field(default_factory=dict[int, StudioClass])
    next_class: int = 0


@dataclass(frozen=True)
class Gesture:
    """What a person did at once.

    Attributes:
        kind: such as "label".
        said: what it was, in words: "label 12 points cat".
        rows: (n,) points whose answers change.
        before: (n,) their answers before.
        after: (n,) their answers after.
        classes: that change, by number.
    """

    kind: str
    said: str
    rows: Rows
    before: Answers
    after: Answers
    classes: Mapping[int, ClassChange] = field(default_factory=dict[int, ClassChange])

    @property
    def is_empty(self) -> bool:
        """Whether nothing would change."""
        return len(self.rows) == 0 and not self.classes

    def reversed(self) -> "Gesture":
        """Return what undoes it."""
        back = {number: (after, before) for number, (before, after) in self.classes.items()}
        return replace(self, before=self.after, after=self.before, classes=back)

    def applied(self, state: State) -> State:
        """Return the state after it."""
        answers, classes = state.answers.copy(), dict(state.classes)
        answers[self.rows] = self.after
        for number, (_, after) in self.classes.items():
            classes.pop(number, None)
            if after is not None:
                classes[number] = after
        ordered = {number: classes[number] for number in sorted(classes)}
        used = max([*self.classes, state.next_class - 1], default=-1)
        return State(answers, ordered, used + 1)


def give_each(
    state: State, rows: Rows, answers: Answers, kind: str, say: Callable[[str], str]
) -> Gesture:
    """Return the gesture that gives each point an answer of its own; `say` gets their count."""
    before = state.answers[rows]
    changed = before != answers
    rows, before, answers = rows[changed], before[changed], answers[changed]
    return Gesture(kind, say(count(len(rows), "point")), rows, before, answers)


def label(state: State, rows: Rows, given: Any) -> Gesture:
    """Label points with a class that is there."""
    number = check_class(given, state.classes)
    name = shortened(state.classes[number].name)
    answers = np.full(len(rows), number, dtype=np.int32)
    return give_each(state, rows, answers, "label", lambda n: f"label {n} {name}")


def answer(state: State, rows: Rows, kind: str) -> Gesture:
    """Say of points that they are of none of the classes, skip them, or take their answer away."""
    answers = np.full(len(rows), ANSWERS[kind], dtype=np.int32)
    begin, end = WORDS[kind]
    return give_each(state, rows, answers, kind, lambda n: f"{begin} {n}{end}")


def add_class(state: State, given: Any, rows: Rows) -> Gesture:
    """Add a class, and label points with it."""
    name = check_name(given, state.classes)
    check_room(state.next_class + 1)
    new = make_class(state.next_class, name, state.classes.values())
    answers = np.full(len(rows), new.id, dtype=np.int32)
    said = f"add the class {shortened(name)}"
    gesture = give_each(
        state, rows, answers, "add_class", lambda n: f"{said} and label {n} with it"
    )
    gesture = gesture if len(rows) else replace(gesture, said=said)
    return replace(gesture, classes={new.id: (None, new)})


def rename_class(state: State, given: Any, name: Any) -> Gesture:
    """Give a class another name."""
    number = check_class(given, state.classes)
    old = state.classes[number]
    new = replace(old, name=check_name(name, state.classes, number))
    said = f"rename {shortened(old.name)} to {shortened(new.name)}"
    changes = {} if new == old else {number: (old, new)}
    return replace(_no_points("rename_class", said), classes=changes)


def mark_class(state: State, given: Any, color: Any, key: Any) -> Gesture:
    """Give a class another color and key; who had the key gets the one that it leaves."""
    number = check_class(given, state.classes)
    old = state.classes[number]
    new = replace(old, color=check_color(color), key=check_key(key))
    changes: dict[int, ClassChange] = {} if new == old else {number: (old, new)}
    for other in state.classes.values():
        if other.id != number and new.key is not None and other.key == new.key:
            changes[other.id] = other, replace(other, key=old.key)
    said = f"change the color or key of {shortened(old.name)}"
    return replace(_no_points("mark_class", said), classes=changes)


def merge_classes(state: State, given: Any, into: Any) -> Gesture:
    """Let the points of a class have another one, and remove the first."""
    number = check_class(given, state.classes, "from")
    other = check_class(into, state.classes, "into")
    old, new = (shortened(state.classes[one].name) for one in (number, other))
    if number == other:
        return _no_points("merge_classes", f"merge {old} into itself")
    rows = np.flatnonzero(state.answers == number)
    answers = np.full(len(rows), other, dtype=np.int32)
    gesture = give_each(state, rows, answers, "merge_classes", lambda _: f"merge {old} into {new}")
    return replace(gesture, classes={number: (state.classes[number], None)})


def delete_class(state: State, given: Any) -> Gesture:
    """Remove a class, and take its labels away."""
    number = check_class(given, state.classes)
    name = shortened(state.classes[number].name)
    rows = np.flatnonzero(state.answers == number)
    answers = np.full(len(rows), NOT_ANSWERED, dtype=np.int32)
    gesture = give_each(
        state, rows, answers, "delete_class", lambda n: f"delete the class {name} of {n}"
    )
    return replace(gesture, classes={number: (state.classes[number], None)})


def take_labels(
    state: State, labels: Sequence[str], origin: str, answers: Answers | None = None
) -> Gesture:
    """Take labels of all points, "" where there is none, as one gesture; classes come with them.

    A label "none of these" or "skipped" is that answer, and no class.

    Args:
        state: before it.
        labels: (N) names of classes.
        origin: where they come from, in words.
        answers: (N,) answers that are no class, or None.
    """
    check_room(state.next_class + len(set(labels)))
    added: dict[int, ClassChange] = {}
    classes, numbers = dict(state.classes), {one.name: one.id for one in state.classes.values()}
    for raw in sorted(set(labels) - {""}):
        name = plain(" ".join(raw.split()))[:LONGEST_NAME]
        if name.lower() in NO_CLASSES:
            numbers[raw] = NO_CLASSES[name.lower()]
            continue
        if name not in numbers:
            new = make_class(state.next_class + len(added), name, classes.values())
            added[new.id], classes[new.id], numbers[name] = (None, new), new, new.id
        numbers[raw] = numbers[name]
    found = np.full(len(state.answers), NOT_ANSWERED, dtype=np.int32)
    if answers is not None:
        found[:] = answers
    named = [row for row, name in enumerate(labels) if name]
    found[named] = [numbers[labels[row]] for row in named]
    rows = np.flatnonzero(found != NOT_ANSWERED)
    gesture = give_each(
        state, rows, found[rows], "import", lambda n: f"take the answers of {n} from {origin}"
    )
    return replace(gesture, classes=added)


def report(gesture: Gesture) -> str:
    """Return the sentence that says that a gesture is done: "Labeled 12 points cat."."""
    said = gesture.said
    if gesture.kind == "add_class" and len(gesture.rows):
        name, _, rest = said.rpartition(" and label ")
        said = f"{name} and labeled {rest}"
    verb, _, rest = said.partition(" ")
    return f"{PAST.get(verb, verb).capitalize()} {rest}."


def _no_points(kind: str, said: str) -> Gesture:
    none = np.empty(0, dtype=np.int32)
    return Gesture(kind, said, np.empty(0, dtype=np.int64), none, none)
