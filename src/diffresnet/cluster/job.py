"""The whole job: a folder of points and a few labels in, a folder of predictions out.

Each stage leaves files in the folder of the job. Called again after a break, it finishes what is
missing. The process that calls holds samples, labels and small matrices, never all points or links.
"""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from time import monotonic
from typing import Any

import numpy as np
import torch

from diffresnet._support.stages import stage
from diffresnet._support.threads import limited_threads
from diffresnet.cluster.answers import write_part
from diffresnet.cluster.blocks import Blocks
from diffresnet.cluster.engine import Engine
from diffresnet.cluster.graph_rows import Layout
from diffresnet.cluster.learner import Scorer, Seen, learn
from diffresnet.cluster.modes import Modes, find_modes
from diffresnet.cluster.neighbor_lists import search_all
from diffresnet.cluster.recall import N_EXACT, measure_recall
from diffresnet.cluster.settings import Settings
from diffresnet.cluster.shards import Numbering, Plan, scatter
from diffresnet.cluster.source import Source
from diffresnet.cluster.spreading import Spreading
from diffresnet.cluster.survey import Survey, look_at_all
from diffresnet.cluster.work import Array, Work
from diffresnet.files.labels import check_classes
from diffresnet.learning.labels import Labels
from diffresnet.learning.prototype_settings import PrototypeSettings
from diffresnet.learning.strength import MODES_PER_CLASS

OF_BLOCKS = ("answers", "kernel", "rounds", "vectors", "components", "factors")
"""Files that depend on how the graph is cut, those first that need the others."""
MOST_LABELS = 1024
"""That are learned from; of more, as many are drawn."""


@dataclass(frozen=True)
class Outcome:
    """What came out.

    Attributes:
        n_points: of all files.
        n_files: of points, and of predictions.
        counts: how many points have each class.
        n_unreached: points that no label reaches.
        n_shards: that searched for neighbors.
        n_blocks: of the graph.
        n_restarts: how often blocks were started again, because a worker had died.
        n_halo: rows that blocks need of each other, together.
        n_products: with the graph, of up to 32 columns each.
        seconds: of each stage.
        recall: which part of the nearest neighbors of some points the graph has.
        n_exact: these points, whose neighbors were searched for among all.
    """

    n_points: int
    n_files: int
    counts: dict[str, int]
    n_unreached: int
    n_shards: int
    n_blocks: int
    n_restarts: int
    n_halo: int
    n_products: int
    seconds: dict[str, float]
    recall: float = 1.0
    n_exact: int = 0


@dataclass
class Job:
    """A job on an engine.

    Attributes:
        engine: that runs it.
        work: its folder.
        source: the files of points.
        given: labels by id; None for those in the files.
        settings: of the method.
        seconds: of each stage so far.
    """

    engine: Engine
    work: Work
    source: Source
    given: Mapping[str, str] | None
    settings: Settings = field(default_factory=Settings)
    seconds: dict[str, float] = field(default_factory=dict)

    def run(self) -> Outcome:
        """Do all that is not done yet."""
        with limited_threads(1):
            with self._timed("files"):
                survey = look_at_all(
                    self.engine, self.work, self.source, self.given, self.settings.seed
                )
            check_classes(survey.labels, "--labels" if self.given is not None else "FEATURES")
            plan = self._plan(survey)
            with self._timed("shards"):
                numbering, numbers = self._scatter(survey, plan)
            ranks = self.settings.n_top, self.settings.bandwidth_rank
            with self._timed("neighbors"):
                search_all(self.engine, self.work, numbering, *ranks)
            with self._timed("recall"):
                some = numbers[1][:: max(1, len(numbers[1]) // N_EXACT)][:N_EXACT]
                given = self.engine, self.work, numbering, some, self.settings.n_top - 1
                measure = {"of": len(some)}
                recall = self.work.once(
                    "recall.json", lambda: measure | {"is": measure_recall(*given)}
                )
            blocks = Blocks(self.engine, self.work, self._layout(numbering))
            try:
                classes = sorted(set(survey.labels))
                self._classify(blocks, survey, plan, classes, numbers)
            finally:
                blocks.stop()
            with self._timed("predictions"):
                outcome = self._write(survey, numbering, classes, blocks)
        return replace(outcome, recall=recall["is"], n_exact=recall["of"])

    @contextmanager
    def _timed(self, name: str) -> Generator[None]:
        begin = monotonic()
        with stage(name):
            yield
        self.seconds[name] = round(monotonic() - begin, 2)

    def _plan(self, survey: Survey) -> Plan:
        n_points, width = sum(survey.n_rows), survey.features.shape[1]
        counted = {"n_shards": self.settings.shards(n_points, width, self.engine.n_workers)}
        n_shards = self.work.once("shards.json", lambda: counted)["n_shards"]
        return Plan.make(survey.features, n_shards, self.settings.seed)

    def _scatter(self, survey: Survey, plan: Plan) -> tuple[Numbering, tuple[Array, Array]]:
        """Bring the points to shards; return their numbering, and the labeled and sampled ones."""
        n_files = len(survey.n_rows)
        both = np.concatenate([survey.labeled, survey.sample])
        wanted = [both[both[:, 0] == file, 1].tolist() for file in range(n_files)]
        spread_out = partial(scatter, self.work, self.source, plan)
        found = self.engine.map(spread_out, [(one, wanted[one]) for one in range(n_files)])
        own, guests = (np.array([one[key] for one in found]) for key in ("own", "guests"))
        numbering = Numbering(own, guests)
        numbers = np.empty(len(both), np.int64)
        for file, one in enumerate(found):
            shard, rank = (np.array(one[key], np.int64) for key in ("shard", "rank"))
            numbers[both[:, 0] == file] = numbering.starts[file][shard] + rank
        return numbering, (numbers[: len(survey.labeled)], numbers[len(survey.labeled) :])

    def _layout(self, numbering: Numbering) -> Layout:
        """Return which shards make which block: about as many points in each."""
        bounds = numbering.bounds
        n_points, n_shards = int(bounds[-1]), len(bounds) - 1
        n_blocks = self.settings.blocks(n_points, n_shards, self.engine.n_workers)
        cut = {"n_blocks": n_blocks, "memory": self.settings.memory}
        if self.work.once("blocks.json", lambda: cut)["memory"] != self.settings.memory:
            for name in OF_BLOCKS:
                self.work.drop(name)
            self.work.save_table("blocks.json", cut)
        n_blocks = self.work.load_table("blocks.json")["n_blocks"]
        goals = np.arange(1, n_blocks) * n_points / n_blocks
        cuts = [int(np.abs(bounds - goal).argmin()) for goal in goals]
        shards = (0, *cuts, n_shards)
        return Layout(tuple(int(bounds[one]) for one in shards), shards)

    def _classify(
        self,
        blocks: Blocks,
        survey: Survey,
        plan: Plan,
        classes: list[str],
        numbers: tuple[Array, Array],
    ) -> None:
        """Find the modes, learn, and let every block write its answers."""
        n_shards = blocks.layout.shards[-1]
        if all(self.work.has(f"answers/{one}.npy") for one in range(n_shards)):
            return
        settings = self.settings
        with self._timed("weights"):
            blocks.run(lambda: None)
        with self._timed("modes"):
            n_modes = max(settings.n_modes, MODES_PER_CLASS * len(classes))
            ranks = settings.n_top, settings.bandwidth_rank
            modes = find_modes(blocks, plan.landmarks, n_modes, ranks)
        with self._timed("labels"):
            encoded = np.array(survey.encode(classes))
            scorer, kernels = self._learn(blocks, modes, encoded, len(classes), numbers)
        with self._timed("probabilities"):
            parts = modes.stage, modes.n_parts
            blocks.run(lambda: blocks.call("answer", *parts, scorer, kernels))

    def _learn(
        self,
        blocks: Blocks,
        modes: Modes,
        encoded: Array,
        n_classes: int,
        numbers: tuple[Array, Array],
    ) -> tuple[Scorer, tuple[str, ...]]:
        """Return how points are scored, and where that has what labels spread to."""
        labeled, sample = numbers
        kept = choose_labels(encoded, n_classes, self.settings.seed)
        labels = Labels(torch.arange(len(kept)), torch.from_numpy(encoded[kept]).long(), n_classes)
        n_sampled = PrototypeSettings().sample_size(n_classes)
        order = np.random.default_rng(self.settings.seed).permutation(len(sample))
        free = sample[order][~np.isin(sample[order], labeled)][:n_sampled]
        rows, wanted = labeled[kept], np.concatenate([labeled[kept], free])
        found = blocks.run(lambda: blocks.look_up(modes.stage, modes.n_parts, wanted))
        spreading = Spreading(blocks, modes)
        columns = spreading.columns(rows, found[0][: len(rows)], wanted)
        tensors = [torch.from_numpy(one) for one in (*found, columns)]
        seen = Seen(labels, tensors[0], tensors[1], tensors[2], modes.rates, modes.means)
        scorer = learn(seen, self.settings.seed)
        kernels, means = spreading.spread(rows, found[0][: len(rows)], scorer.spread)
        components = self._components_at(blocks.layout, labeled)
        return replace(scorer, spread_means=means, components=components), kernels

    def _components_at(self, layout: Layout, numbers: Array) -> Array:
        """Return the components that some points are in."""
        found: list[Array] = []
        for one in range(layout.n_blocks):
            low, high = layout.bounds[one : one + 2]
            mine = numbers[(numbers >= low) & (numbers < high)] - low
            found.append(self.work.rows(f"components/{one}.npy").take(mine))
        return np.unique(np.concatenate(found))

    def _write(
        self, survey: Survey, numbering: Numbering, classes: list[str], blocks: Blocks
    ) -> Outcome:
        """Write the predictions for every file, and count them."""
        labeled: list[dict[int, int]] = [{} for _ in survey.n_rows]
        for (file, row), one in zip(survey.labeled.tolist(), survey.encode(classes), strict=True):
            labeled[file][row] = one
        write = partial(write_part, self.work, numbering, classes)
        found: list[dict[str, Any]] = self.engine.map(write, list(enumerate(labeled)))
        counts = np.sum([one["counts"] for one in found], axis=0)
        return Outcome(
            sum(survey.n_rows),
            len(survey.n_rows),
            dict(zip(classes, counts.tolist(), strict=True)),
            sum(one["n_unreached"] for one in found),
            numbering.own.shape[1],
            blocks.layout.n_blocks,
            blocks.n_restarts,
            blocks.n_halo,
            blocks.n_products,
            self.seconds,
        )


def choose_labels(encoded: Array, n_classes: int, seed: int) -> Array:
    """Return which labels are learned from: all, or of very many some, each class among them."""
    if len(encoded) <= MOST_LABELS:
        return np.arange(len(encoded))
    order = np.random.default_rng(seed).permutation(len(encoded))
    firsts = np.array([order[np.argmax(encoded[order] == one)] for one in range(n_classes)])
    others = order[~np.isin(order, firsts)][: max(0, MOST_LABELS - n_classes)]
    return np.sort(np.concatenate([firsts, others]))
