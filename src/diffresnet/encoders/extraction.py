"""Features of many items: what is known is not computed again, and a break loses little."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from diffresnet._support.checks import check_count, fail
from diffresnet._support.progress import progress_bar
from diffresnet.encoders.encoder import Encoder, Features
from diffresnet.encoders.feature_cache import FeatureCache, content_key
from diffresnet.encoders.items import (
    Items,
    UnreadableError,
    WhenUnreadable,
    find_troubles,
    readable_rows,
)

SECONDS_BETWEEN_SAVES = 10.0


@dataclass(frozen=True)
class Extraction:
    """Features of items.

    Attributes:
        rows: of the items that could be read.
        features: (n, d) of these.
        n_computed: items that were computed, not found in the cache.
    """

    rows: Sequence[int]
    features: Features
    n_computed: int


def extract(
    encoder: Encoder,
    items: Items,
    *,
    cache: Path | None = None,
    when_unreadable: WhenUnreadable = "refuse",
    report: Callable[[str], None] = print,
    batch_size: int = 32,
) -> Extraction:
    """Encode items, in batches.

    Items of the same content are encoded once. With a cache, a call that was interrupted goes on
    where it was, to within ten seconds.

    Args:
        encoder: from `make_encoder`.
        items: images or texts.
        cache: a folder for features of all encoders; None keeps none.
        when_unreadable: refuse, or report and leave out. Whatever can be read is kept in the cache
            in both cases.
        report: is called with a sentence for each item that is left out, for each damaged file in
            the cache, and if the cache cannot be written.
        batch_size: items of a batch.

    Raises:
        ValueError: if items cannot be read and are refused, or features are not finite.
    """
    check_count("extract", "batch_size", batch_size, low=1)
    keys = [b""] * len(items.ids)

    def read(row: int) -> None:
        keys[row] = content_key(items.content(row))

    troubles = find_troubles(read, len(keys), "reading")
    kept = None if cache is None else FeatureCache(cache / encoder.fingerprint)
    found = {} if kept is None else kept.find(keys)
    for path in [] if kept is None else kept.damaged:
        report(f"left aside {path}, which is damaged: its features are computed again.")
    first = {key: row for row, key in reversed(list(enumerate(keys))) if not troubles[row]}
    missing = sorted(row for key, row in first.items() if key not in found)
    fresh: dict[bytes, Features] = {}
    saved = time.monotonic()
    with progress_bar(f"encoding by {encoder.name}", len(missing)) as advance:
        for begin in range(0, len(missing), batch_size):
            rows = missing[begin : begin + batch_size]
            fresh |= _encode(encoder, items, rows, keys, troubles)
            advance(begin + len(rows), "")
            if time.monotonic() - saved > SECONDS_BETWEEN_SAVES:
                kept = _keep(kept, fresh, report)
                found, fresh, saved = found | fresh, {}, time.monotonic()
    _keep(kept, fresh, report, last=True)
    found |= fresh
    for row, key in enumerate(keys):
        if not troubles[row] and key not in found:
            troubles[row] = troubles[first[key]]
    good = readable_rows(items.ids, troubles, when_unreadable, report)
    widths = sorted({len(found[keys[row]]) for row in good})
    if len(widths) > 1:
        got, remedy = f"{widths[0]} and {widths[-1]}", "Choose another cache, or remove it."
        fail("extract", "encoder", "one of as many features for every item", got, remedy)
    n_computed = sum(keys[row] in found for row in missing)
    return Extraction(good, np.stack([found[keys[row]] for row in good]), n_computed)


def _keep(
    cache: FeatureCache | None,
    fresh: Mapping[bytes, Features],
    report: Callable[[str], None],
    *,
    last: bool = False,
) -> FeatureCache | None:
    """Add features to a cache; one that cannot be written is reported and used no more."""
    if cache is None:
        return None
    try:
        cache.add(fresh)
        if last:
            cache.merge()
    except OSError as error:
        report(f"features are not kept for another time: {error}")
        return None
    return cache


def _encode(
    encoder: Encoder,
    items: Items,
    rows: Sequence[int],
    keys: Sequence[bytes],
    troubles: list[str],
) -> dict[bytes, Features]:
    """Return the features of some items by key, and note those that cannot be read."""
    loaded: dict[bytes, object] = {}
    for row in rows:
        try:
            loaded[keys[row]] = items.load(row)
        except UnreadableError as error:
            troubles[row] = str(error)
    if not loaded:
        return {}
    features = encoder.encode(list(loaded.values()))
    fits = features.ndim == 2 and len(features) == len(loaded)
    if not fits or not np.isfinite(features).all():
        found = "NaN or infinity" if fits else f"the shape {features.shape}"
        got = f"{found} by {encoder.name}"
        must = f"one that makes a row of finite features of each of {len(loaded)} items"
        fail("extract", "encoder", must, got, "Load or train it again.")
    return dict(zip(loaded, features, strict=True))
