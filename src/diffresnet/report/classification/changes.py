"""What has changed since an earlier run: points that have another class now."""

from collections import Counter
from collections.abc import Mapping
from html import escape

import numpy as np

from diffresnet._support.words import count, shortened
from diffresnet.report.classification.outcome import Outcome
from diffresnet.report.classification.parts import say_probability, table
from diffresnet.report.layout import Rows

N_PAIRS, N_POINTS = 8, 10
"""Changes, and points, that are listed."""


def changed_rows(outcome: Outcome, since: Mapping[str, str]) -> Rows:
    """Return the reached points that had another class, the surest now first.

    Args:
        outcome: what was found.
        since: the classes of an earlier run, by the ids of the points.
    """
    answers = outcome.probabilities.argmax(axis=1)
    rows = [
        row
        for row, name in enumerate(outcome.ids)
        if outcome.reached[row]
        and since.get(name, "")
        and since[name] != outcome.class_names[answers[row]]
    ]
    found = np.array(rows, dtype=np.int64)
    return found[np.argsort(-outcome.probabilities[found].max(axis=1), kind="stable")]


def show_changes(outcome: Outcome, since: Mapping[str, str]) -> str:
    """Return how many points have another class, from which to which, and the surest of them."""
    changed = changed_rows(outcome, since)
    n_known = sum(bool(since.get(name, "")) for name in outcome.ids)
    n_new = len(outcome.ids) - sum(name in since for name in outcome.ids)
    n_gone = len(set(since) - set(outcome.ids))
    words = f"{len(changed):,} of {count(n_known, 'point')} have another class now."
    words += f" {count(n_new, 'point')} came." if n_new else ""
    words += f" {count(n_gone, 'point')} went." if n_gone else ""
    note = f'<p class="note">{escape(words)}</p>'
    if len(changed) == 0:
        return note
    answers = outcome.probabilities.argmax(axis=1)
    pairs = Counter((since[outcome.ids[int(row)]], int(answers[row])) for row in changed)
    common = sorted(pairs.items(), key=lambda one: (-one[1], one[0]))[:N_PAIRS]
    kinds = [
        f"<tr><td>{escape(shortened(old))}</td>"
        f"<td>{outcome.marks[new].to_html(outcome.class_names[new])}</td><td>{n:,}</td></tr>"
        for (old, new), n in common
    ]
    points = [_point(outcome, row, since) for row in changed[:N_POINTS].tolist()]
    return (
        note
        + table("pairs", ("Before", "Now", "Points"), kinds)
        + table("points", ("Point", "Before", "Now", "Probability"), points)
    )


def _point(outcome: Outcome, row: int, since: Mapping[str, str]) -> str:
    name, best = outcome.ids[row], int(outcome.probabilities[row].argmax())
    sure = "label" if outcome.is_labeled[row] else say_probability(outcome.probabilities[row, best])
    return (
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(shortened(since[name]))}</td>'
        f"<td>{outcome.marks[best].to_html(outcome.class_names[best])}</td><td>{sure}</td></tr>"
    )
