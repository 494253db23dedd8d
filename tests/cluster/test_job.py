import shutil
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import torch

from diffresnet import DiffResNetClassifier, build_weights
from diffresnet.cluster.job import MOST_LABELS, choose_labels
from diffresnet.cluster.learner import STEP_SIZE, Seen, learn
from diffresnet.cluster.settings import Settings
from diffresnet.diffusion.filters import GraphFilter
from diffresnet.diffusion.operator import DiffusionOperator
from diffresnet.diffusion.spectrum import Spectrum
from diffresnet.graph import matrix as mx
from diffresnet.learning.labels import Labels
from diffresnet.learning.mixture_settings import FLOOR
from diffresnet.learning.strength import default_steps
from tests.cluster.examples import (
    CLASSES,
    FEATURES,
    LABELS,
    N_LABELED,
    largest_difference,
    make_job,
    predictions,
    with_blocks,
    write_points,
)


@pytest.fixture(scope="module")
def points(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_points(tmp_path_factory.mktemp("set") / "points")


@pytest.fixture(scope="module")
def seven_shards(tmp_path_factory: pytest.TempPathFactory, points: Path) -> Path:
    """The files of a job with seven shards and one block."""
    folder = tmp_path_factory.mktemp("seven") / "work"
    make_job(folder, points, n_shards=7, n_blocks=1).run()
    return folder


@pytest.mark.parametrize("n_blocks", [2, 3, 7, 12])
def test_any_number_of_blocks_gives_the_same(
    tmp_path: Path, points: Path, seven_shards: Path, n_blocks: int
) -> None:
    outcome, work = with_blocks(seven_shards, tmp_path / "work", points, n_blocks)
    assert outcome.n_blocks == n_blocks  # of twelve, some have no shard
    one = predictions(seven_shards / "parts")
    assert largest_difference(one, predictions(work.folder / "parts")) < 1e-5


def test_it_is_what_one_process_computes(tmp_path: Path, points: Path) -> None:
    """With one shard the graph is that of `build_weights`; then everything by whole matrices."""
    job = make_job(tmp_path / "work", points, n_shards=1, n_blocks=1)
    job.run()
    work, found = job.work, predictions(tmp_path / "work" / "parts")
    own = torch.from_numpy(work.load("shards/0/points.npy"))
    assert own.shape == FEATURES.shape  # with one shard points are in the order of the files
    weights = build_weights(
        own, 11, bandwidth_rank=6, bandwidth_scale=0.5, normalization="sinkhorn"
    )
    laplacian = DiffusionOperator(weights.float()).laplacian
    number = max(int(path.stem) for path in (work.folder / "rounds").glob("*.json"))
    table = work.load_table(f"rounds/{number}.json")
    parts = [
        work.load(f"vectors/round-{number}/{part}/0.npy")
        for part in range(len(list((work.folder / "vectors" / f"round-{number}").iterdir())))
    ]
    modes = torch.from_numpy(np.concatenate(parts, axis=1))
    rates = torch.tensor(table["rates"]).clamp(min=0)
    spectrum = Spectrum(rates, modes)
    mean = float(mx.diagonal(laplacian).double().mean())
    smooth = GraphFilter.of(laplacian, spectrum, lambda one: (one / mean + FLOOR) ** -2)
    seen, everyone = _seen(job, modes, own, rates, smooth)
    scorer = learn(seen, 0)
    sources = torch.zeros(len(own), 10)
    sources[:N_LABELED] = scorer.spread.float()
    scores = scorer.score(modes, own, smooth.apply(sources))
    scores[:N_LABELED] = 1e3 * torch.eye(10, dtype=torch.float64)[seen.labels.classes]
    best = scores.softmax(dim=1).topk(2, dim=1).values.numpy()
    assert everyone == [f"p{row}" for row in range(len(own))] == found["id"].to_list()
    np.testing.assert_allclose(found["probability"], best[:, 0], atol=1e-5)
    np.testing.assert_allclose(found["margin"], best[:, 0] - best[:, 1], atol=1e-5)


def _seen(
    job: Any, modes: torch.Tensor, own: torch.Tensor, rates: torch.Tensor, smooth: GraphFilter
) -> tuple[Seen, list[str]]:
    """Return the rows of the labeled points and the sample, as the job draws them."""
    drawn = [job.work.load_table(f"survey/{file}.json") for file in range(3)]
    starts = np.cumsum([0, *(one["n_rows"] for one in drawn)])
    sample = np.concatenate(
        [start + np.array(one["sample"]) for start, one in zip(starts, drawn, strict=False)]
    )
    order = np.random.default_rng(0).permutation(len(sample))
    free = sample[order][sample[order] >= N_LABELED]
    rows = np.concatenate([np.arange(N_LABELED), free])
    columns = torch.zeros(len(own), N_LABELED)
    columns[:N_LABELED] = torch.eye(N_LABELED)
    classes = torch.tensor([int(label) for label in LABELS.values()])
    labels = Labels(torch.arange(N_LABELED), classes, 10)
    spread = smooth.apply(columns)
    seen = Seen(labels, modes[rows], own[rows], spread[rows], rates, modes.mean(dim=0))
    return seen, [f"p{row}" for row in range(len(own))]


def test_it_agrees_with_the_classifier(seven_shards: Path) -> None:
    y = np.full(len(CLASSES), -1)
    y[:N_LABELED] = CLASSES[:N_LABELED]
    model = DiffResNetClassifier().fit(FEATURES, y)
    found = predictions(seven_shards / "parts")["label"].cast(int).to_numpy()
    accuracy = (found == CLASSES)[N_LABELED:].mean()
    assert accuracy > (model.transduction_ == CLASSES)[N_LABELED:].mean() - 0.02
    assert (found == model.transduction_).mean() > 0.97


def test_a_stopped_job_goes_on(tmp_path: Path, points: Path, seven_shards: Path) -> None:
    """Whatever was there when it stopped, the end is the same, and what is there stays."""
    whole = predictions(seven_shards / "parts")
    for n_kept, names in enumerate(
        [
            ("survey/1.json",),
            ("files/2/counts.json", "shards/3", "rows"),
            ("rows/5/values.npy", "factors", "components"),
            ("answers", "vectors", "rounds", "kernel"),
            ("answers/2.npy", "parts"),
        ]
    ):
        folder = tmp_path / f"work-{n_kept}"
        shutil.copytree(seven_shards, folder)
        for name in names:
            path = folder / name
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        make_job(folder, points, n_shards=7, n_blocks=1).run()
        assert largest_difference(whole, predictions(folder / "parts")) < 1e-5


def test_a_job_that_goes_on_with_less_memory_is_cut_anew(
    tmp_path: Path, points: Path, seven_shards: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it had in larger blocks is not taken for its own; the graph stays."""
    folder = tmp_path / "work"
    shutil.copytree(seven_shards, folder)
    (folder / "answers" / "2.npy").unlink()
    links = folder / "rows" / "0" / "values.npy"
    before = links.stat().st_mtime_ns

    def cut(n_blocks: int) -> None:
        def count(*_: object) -> int:
            return n_blocks

        monkeypatch.setattr(Settings, "blocks", count)

    cut(3)
    outcome = make_job(folder, points, n_shards=7, memory=1e9).run()
    assert outcome.n_blocks == len(list((folder / "factors").iterdir())) == 3
    assert links.stat().st_mtime_ns == before
    whole = predictions(seven_shards / "parts")
    assert largest_difference(whole, predictions(folder / "parts")) < 1e-5
    cut(5)  # as of more workers
    assert make_job(folder, points, n_shards=7, memory=1e9).run().n_blocks == 3


def test_one_label_per_class(tmp_path: Path, points: Path) -> None:
    job = make_job(tmp_path / "work", points, n_shards=2, n_blocks=2)
    job.given = {f"p{row}": str(CLASSES[row]) for row in range(10)}
    job.run()
    found = predictions(tmp_path / "work" / "parts")["label"].cast(int).to_numpy()
    assert (found == CLASSES)[10:].mean() > 0.7


def test_points_that_no_label_reaches(tmp_path: Path) -> None:
    far = np.concatenate([FEATURES[:300], 16 - FEATURES[:60] * 0.01])
    points = write_points(tmp_path / "points", 2, far)
    outcome = make_job(tmp_path / "work", points, n_shards=3, n_blocks=2).run()
    found = predictions(tmp_path / "work" / "parts")
    n_unreached = int((~found["reached"]).sum())
    assert outcome.n_unreached == n_unreached == 60
    assert np.allclose(found["probability"].to_numpy()[300:], 0.1)


def test_labels_in_the_files_themselves(tmp_path: Path, points: Path) -> None:
    folder = tmp_path / "labeled"
    folder.mkdir()
    for path in sorted(points.iterdir()):
        frame = pl.read_parquet(path)
        labels = [LABELS.get(name) for name in frame["id"]]
        frame.with_columns(pl.Series("label", labels, dtype=pl.String)).write_parquet(
            folder / path.name
        )
    job = make_job(tmp_path / "work", folder, n_shards=1, n_blocks=1)
    job.given = None
    outcome = job.run()
    assert sum(outcome.counts.values()) == len(FEATURES)


def test_of_very_many_labels_some_are_learned_from() -> None:
    encoded = np.r_[np.zeros(3000, int), 1, 2]
    kept = choose_labels(encoded, 3, 0)
    assert len(kept) == MOST_LABELS
    assert set(encoded[kept]) == {0, 1, 2}


def test_the_strength_is_that_of_the_classifier() -> None:
    assert STEP_SIZE == 0.5
    assert default_steps(Spectrum(torch.zeros(3), torch.zeros(0, 3)), STEP_SIZE, 2) == 1
