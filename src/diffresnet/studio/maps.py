"""The maps of a studio: they settle once, and do not move when labels change."""

from collections.abc import Iterator

from diffresnet.estimators import DiffResNetClassifier
from diffresnet.report.layout import MapName, Places, first_places, map_names, settle_map


class Maps:
    """Places of the points by the name of the map.

    Args:
        model: prepared with the points.

    Attributes:
        places: (N, 2) of the points as they are now, by name; each is replaced, never changed.
    """

    def __init__(self, model: DiffResNetClassifier) -> None:
        self.places: dict[MapName, Places] = {
            name: first_places(model, name) for name in map_names(model)
        }

    def settle(self, model: DiffResNetClassifier, every: int) -> Iterator[tuple[int, int]]:
        """Settle the maps, and yield how many rounds of all are done."""
        n_maps = len(self.places)
        for place, name in enumerate(list(self.places)):
            like = self.places["after"] if name == "before" else None
            for one in settle_map(model, name, like, every):
                self.places[name] = one.places
                yield place * one.n_rounds + one.round, n_maps * one.n_rounds
