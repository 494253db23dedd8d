"""The studio without a page: open, label, undo, ask, explain, export; plain Python.

Everything that changes goes through `Studio.do`, one gesture after the other. A gesture counts once
it is on the disk: then the state, the model and the predictions are replaced, all at once, so that
whoever reads meanwhile sees either the old or the new.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from diffresnet._support.checks import refuse
from diffresnet._support.stages import stage
from diffresnet._support.words import plain, shortened
from diffresnet.estimators import DiffResNetClassifier
from diffresnet.studio import history
from diffresnet.studio.first_look import look, rows_in_view
from diffresnet.studio.history import NOT_ANSWERED, Answers, Gesture, Rows, State
from diffresnet.studio.maps import Maps
from diffresnet.studio.opening import Opened, Source, find_source, open_source
from diffresnet.studio.predictions import Predictions, labels_of, learn, to_labels
from diffresnet.studio.progress import FEWEST_CLASSES, Outlook, expect
from diffresnet.studio.row_digests import digest_of
from diffresnet.studio.searching import Search
from diffresnet.studio.selection import find_rows
from diffresnet.studio.snapshot import Done, Snapshot, no_rows
from diffresnet.studio.storage import Storage

LARGEST_PROMPT = 200_000
"""Up to this number of points, the expected accuracy is part of a gesture's answer."""

N_INFORMATIVE = 10
"""Points of a selection that say most."""

LONGEST_WHO = 100


Seen: TypeAlias = Callable[[], Rows | None] | None
"""Finds the rows to look at first; None where all is to be learned at once."""


class Studio:
    """Points, answers, and what follows from them.

    Args:
        opened: the points.
        storage: where answers are kept.
        model: prepared with these points.

    Attributes:
        now: the snapshot.
        maps: where the points are.
    """

    def __init__(self, opened: Opened, storage: Storage, model: DiffResNetClassifier) -> None:
        self.opened, self.storage = opened, storage
        state = storage.read_state()
        pending = np.flatnonzero(to_labels(state.answers) >= 0)
        undo, redo = storage.said()
        begin = Snapshot(storage.version, state, model, Predictions.of(model))
        self.now = self.finish(replace(begin, undo=undo, redo=redo, pending=pending))
        self.maps = Maps(model)
        self._search: Search | None = None

    @classmethod
    def open(cls, source: Source, file: Path | None = None) -> "Studio":
        """Open data, and the answers that were given before.

        Args:
            source: of the data; or a studio file, which names them.
            file: for the answers; by default beside the data.

        Raises:
            ValueError: if something cannot be read, or the answers are for other data.
        """
        source, file = find_source(source, file)
        opened = open_source(source)
        storage = Storage(file, opened.ids, source.to_json(file), digest_of(opened))
        try:
            model = DiffResNetClassifier(source.n_top).prepare(opened.features, graph=opened.links)
            with stage("labels"):
                studio = cls(opened, storage, model)
        except BaseException:
            storage.close()
            raise
        if studio.now.version == 0 and any(opened.labels):
            studio.take(opened.labels, "the data")
        return studio

    @property
    def n_points(self) -> int:
        """The number of points."""
        return len(self.opened.ids)

    def settle(self, every: int = 10) -> Iterator[tuple[int, int]]:
        """Settle the maps, and yield how many rounds of all are done."""
        return self.maps.settle(self.now.model, every)

    def select(self, given: Any) -> Rows:
        """Return the rows of a selection; see `selection.find_rows`."""
        return find_rows(given, self.n_points)

    def search(self, text: Any) -> Rows:
        """Return the rows whose text or id has this text in it."""
        if self._search is None:
            self._search = Search(self.opened.ids, self.opened.texts)
        return self._search.find(text)

    def do(self, command: Mapping[str, Any], *, is_hasty: bool = False) -> Done:
        """Do what a person asks for: label, unlabel, none, skip, classes, undo, redo.

        Args:
            command: ``{"kind": ..., ...}``, as the page sends it.
            is_hasty: whether a first look at what follows is enough for now, of what is in
                ``command["view"]`` if there are very many points. `finish` does the rest.

        Raises:
            ValueError: if that is not possible; nothing has changed then.
        """
        kind = command.get("kind")
        who = str(command.get("tab", ""))[:LONGEST_WHO]
        seen = self._seen(command.get("view")) if is_hasty else None
        if kind in ("undo", "redo"):
            return self._go_back(is_undo=kind == "undo", seen=seen)
        return self._apply(self._plan(command, self.now.state), who, seen)

    def take(self, labels: Sequence[str], origin: str, answers: Answers | None = None) -> Done:
        """Take labels of all points, "" where there is none, as one gesture.

        Args:
            labels: (N) names of classes.
            origin: where they come from, in words.
            answers: (N,) answers that are no class, or None.
        """
        return self._apply(history.take_labels(self.now.state, labels, origin, answers), origin)

    def improve(self, outlook: Outlook) -> None:
        """Keep what was found out about the accuracy, if the answers are still the same."""
        if outlook.version == self.now.version:
            self.now = replace(self.now, outlook=outlook)

    def close(self) -> None:
        """Close the file."""
        self.storage.close()

    def _plan(self, command: Mapping[str, Any], state: State) -> Gesture:
        plans: dict[str, Callable[[], Gesture]] = {
            "label": lambda: history.label(state, self._choose(command), command.get("class")),
            "add_class": lambda: history.add_class(
                state, command.get("name"), self._rows_of(command)
            ),
            "rename_class": lambda: history.rename_class(
                state, command.get("class"), command.get("name")
            ),
            "mark_class": lambda: history.mark_class(
                state, command.get("class"), command.get("color"), command.get("key")
            ),
            "merge_classes": lambda: history.merge_classes(
                state, command.get("from"), command.get("into")
            ),
            "delete_class": lambda: history.delete_class(state, command.get("class")),
        }
        kind = command.get("kind")
        if not isinstance(kind, str) or kind not in {*plans, *history.WORDS}:
            must = f"one of {', '.join([*plans, *history.WORDS, 'undo', 'redo'])}"
            got = shortened(plain(kind)) if isinstance(kind, str) else type(kind).__name__
            refuse("`kind`", must, got, "Reload the page.")
        if kind in history.WORDS:
            return history.answer(state, self.select(command.get("selection")), kind)
        return plans[kind]()

    def _seen(self, view: Any) -> Callable[[], Rows | None]:
        return lambda: rows_in_view(view, self.maps.places, self.n_points)

    def _rows_of(self, command: Mapping[str, Any]) -> Rows:
        given = command.get("selection")
        return np.empty(0, dtype=np.int64) if given is None else self.select(given)

    def _choose(self, command: Mapping[str, Any]) -> Rows:
        """Return the rows to label: all that are selected, those that agree, or that say most."""
        rows, which = self.select(command.get("selection")), command.get("which", "all")
        if which not in ("all", "agreeing", "informative"):
            must = "all, agreeing or informative"
            refuse("`which`", must, type(which).__name__, "Reload the page.")
        if which != "all" and not self.now.is_learned:
            self.keep(self.finish(self.now))
        if which == "agreeing":
            return rows[self.now.predictions.classes[rows] == command.get("class")]
        return rows if which == "all" else self.most_informative(rows)

    def most_informative(self, rows: Rows, n: int = N_INFORMATIVE) -> Rows:
        """Return the points of a selection that say most: unanswered, unsure and far apart."""
        free = rows[self.now.state.answers[rows] == NOT_ANSWERED]
        if len(free) <= n:
            return free
        places = self.maps.places["after"][free].astype(np.float64)
        doubt = 1.05 - self.now.predictions.probabilities[free]
        chosen = [int(doubt.argmax())]
        far = np.square(places - places[chosen[0]]).sum(axis=1)
        while len(chosen) < n:
            chosen.append(int((far * doubt).argmax()))
            far = np.minimum(far, np.square(places - places[chosen[-1]]).sum(axis=1))
        return np.sort(free[chosen])

    def _apply(self, gesture: Gesture, who: str, seen: Seen = None) -> Done:
        before = self.now
        if gesture.is_empty:
            return Done("Nothing has changed.", before, before)
        after = self._try(gesture, before, seen)
        version = self.storage.record(gesture, who, after.state.next_class)
        return self._done(history.report(gesture), before, after, version)

    def _go_back(self, *, is_undo: bool, seen: Seen) -> Done:
        before = self.now
        found = self.storage.last_done() if is_undo else self.storage.first_undone()
        if found is None:
            said = "There is nothing to undo." if is_undo else "There is nothing to redo."
            return Done(said, before, before)
        number, gesture = found
        after = self._try(gesture.reversed() if is_undo else gesture, before, seen)
        version = self.storage.mark(number, is_undone=is_undo)
        word = "Undone" if is_undo else "Redone"
        return self._done(f"{word}: {gesture.said}.", before, after, version)

    def _done(self, said: str, before: Snapshot, after: Snapshot, version: int) -> Done:
        """Let what is on the disk count."""
        is_measured = before.outlook.version == before.version
        if is_measured and after.predictions is before.predictions:
            after = replace(after, outlook=replace(after.outlook, version=version))
        undo, redo = self.storage.said()
        self.now = replace(after, version=version, undo=undo, redo=redo)
        return Done(said, before, self.now)

    def _try(self, gesture: Gesture, before: Snapshot, seen: Seen) -> Snapshot:
        """Return what a gesture would lead to, or raise."""
        state = gesture.applied(before.state)
        rows = np.union1d(before.pending, gesture.rows)
        labels = to_labels(state.answers[rows])
        is_new = labels != labels_of(before.model, rows)
        after = replace(before, state=state, pending=rows[is_new])
        if after.is_learned:
            return after if before.is_learned else self.finish(after)
        if seen is not None:
            given = after.pending, labels[is_new], before.predictions, seen()
            found = look(before.model, *given)
            if found is not None:
                return replace(after, predictions=found)
        return self.finish(after)

    def finish(self, now: Snapshot) -> Snapshot:
        """Return a snapshot whose model has learned from all answers; nothing changes here."""
        model = now.model
        if not now.is_learned:
            model = learn(model, now.pending, to_labels(now.state.answers[now.pending]))
        outlook = now.outlook if len(model.classes_) >= FEWEST_CLASSES else Outlook()
        if len(now.state.answers) <= LARGEST_PROMPT:
            expected = expect(model)
            kept = Outlook() if expected is None else outlook
            outlook = Outlook(expected=expected, curve=kept.curve, enough=kept.enough)
        predictions = Predictions.of(model)
        return replace(
            now, model=model, predictions=predictions, outlook=outlook, pending=no_rows()
        )

    def keep(self, learned: Snapshot) -> None:
        """Take over what `finish` returned, if the answers are still the same."""
        if learned.version == self.now.version:
            self.now = learned
