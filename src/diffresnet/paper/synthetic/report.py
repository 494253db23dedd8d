"""The figures of Section 5.1 and Appendix E.1.4, as files and on one page."""

from functools import partial
from typing import Any

import torch

from diffresnet._support.progress import progress_bar
from diffresnet.paper.published import PAPER, SYNTHETIC_ACCURACY, XOR_START
from diffresnet.paper.settings import SYNTHETIC, SYNTHETIC_EPOCHS
from diffresnet.paper.synthetic.experiment import (
    MAKERS,
    RECIPES,
    Problem,
    SyntheticRun,
    make_problem,
    train_synthetic,
)
from diffresnet.paper.synthetic.seeds import SUCCESS, SeedStudy, study_seeds
from diffresnet.paper.xor import XorResult, run_xor
from diffresnet.report.evolution import animate_evolution, draw_evolution
from diffresnet.report.files import Report
from diffresnet.report.page import Heading, Paragraph, Part, Picture, Table
from diffresnet.report.panels import in_all_formats
from diffresnet.report.training import draw_training

RECIPE_WORDS = {
    "authors": "optimizer made anew every epoch (the authors' code)",
    "momentum": "optimizer and momentum kept (the paper's text)",
    "reliable": "momentum kept, learning rate 0.1 (ours)",
}

FAILURES = {
    "n_diverged": "failed: diverged",
    "n_with_dead_units": "dead units",
    "n_thrown_out_by_the_step": "was there, thrown out",
    "n_not_there_yet": "never there",
}
"""What becomes of seeds that fail, and the head of its column."""

SOURCE = f"{PAPER} (Section 5.1 and Appendix E.1.4)"


def report_synthetic(*, n_seeds: int, n_epochs: int, n_jobs: int) -> Report:
    """Compute everything and show it beside the paper's."""
    studies = study_seeds(n_seeds, n_epochs, n_jobs=n_jobs)
    epochs = (max(SYNTHETIC_EPOCHS), n_epochs)
    with progress_bar("drawing", 1 + len(MAKERS)) as advance:
        xor = run_xor(torch.Generator().manual_seed(0))
        files = _draw_xor(xor)
        introduction = Paragraph(f"The synthetic experiments of {SOURCE}, computed anew.")
        parts = [introduction, *_xor_parts(xor, files)]
        shown: dict[str, Any] = {}
        for n_done, name in enumerate(MAKERS, start=1):
            advance(n_done, name)
            seed = _choose_seed(studies, name)
            plain = make_problem(name, seed, diffused=False)
            problems = {"without": plain, "with": make_problem(name, seed, diffused=True)}
            runs = {
                way: train_synthetic(problem, RECIPES["authors"], seed=seed)
                for way, problem in problems.items()
            }
            files |= _draw_set(plain, runs)
            parts += _set_parts(name, seed, runs, files[f"{name}.png"])
            shown[name] = {"seed": seed} | {way: run.accuracies for way, run in runs.items()}
    parts += _seed_parts(studies, epochs)
    results = {
        "command": f"diffresnet reproduce synthetic --seeds {n_seeds} --epochs {n_epochs}",
        "xor": xor.to_json(),
        "published_accuracy_percent": SYNTHETIC_ACCURACY,
        "shown": shown,
        "seeds": [study.to_json(epochs) for study in studies],
    }
    return Report("Diffusion on the synthetic sets", parts, files, results)


def _choose_seed(studies: list[SeedStudy], name: str) -> int:
    """Return the first seed that succeeds by the authors' recipe, or else the best one."""
    study = next(s for s in studies if (s.name, s.recipe, s.diffused) == (name, "authors", True))
    reached = [min(run.accuracies[max(SYNTHETIC_EPOCHS)], SUCCESS) for run in study.runs]
    return reached.index(max(reached))


def _draw_xor(xor: XorResult) -> dict[str, bytes]:
    numbers, labels = xor.to_json(), xor.data.labels
    curves = numbers["max_diameter"], numbers["distance_diameter_ratio"]
    pictures = in_all_formats("xor", partial(draw_evolution, xor.shown, labels, *curves))
    return pictures | {"xor.gif": animate_evolution(xor.frames, labels)}


def _draw_set(plain: Problem, runs: dict[str, SyntheticRun]) -> dict[str, bytes]:
    accuracies = {f"{way} diffusion": run.accuracies for way, run in runs.items()}
    features = {way: run.features for way, run in runs.items()}
    draw = partial(draw_training, plain.points, plain.labels, accuracies, features)
    return in_all_formats(plain.name, draw)


def _xor_parts(xor: XorResult, files: dict[str, bytes]) -> list[Part]:
    return [
        Heading("XOR: diffusion alone"),
        Paragraph(
            "Four discs, two classes. Without a network, diffusion draws each disc to a point: D, "
            "the largest diameter, falls and L/D, with L the smallest distance between discs, "
            f"grows exponentially. The paper states L = {XOR_START['min_distance']} and "
            f"D = {XOR_START['max_diameter']} at the start, those of the discs themselves."
        ),
        Picture(files["xor.png"], "image/png", "Points after 0, 1, 10, 20, 200 steps; D and L/D."),
        Picture(files["xor.gif"], "image/gif", "The same in motion."),
        Table(["steps", "L", "D", "L/D"], xor.rows()),
    ]


def _set_parts(name: str, seed: int, runs: dict[str, SyntheticRun], picture: bytes) -> list[Part]:
    rows: list[list[str]] = []
    for way, run in runs.items():
        ours = [100 * run.accuracies[epoch] for epoch in SYNTHETIC_EPOCHS]
        for who, percents in (("paper", SYNTHETIC_ACCURACY[name][way]), ("ours", ours)):
            rows.append([f"{who}, {way} diffusion", *(f"{percent:.1f}" for percent in percents)])
    caption = f"{name}: raw points, accuracy by epoch, and features before the classifier."
    return [
        Heading(f"{name.capitalize()}: a network of 18 parameters"),
        Paragraph(
            f"1,000 points, all labeled; one residual block, then {SYNTHETIC[name].n_steps} "
            "diffusion steps, then a linear classifier. The paper shows one chosen seed. Ours is "
            f"seed {seed}: the first that reaches 99 % at epoch 20 with the authors' settings, or "
            "the best if none does; the last table tells how many do."
        ),
        Picture(picture, "image/png", caption),
        Table(["accuracy (%) at epoch", *map(str, SYNTHETIC_EPOCHS)], rows),
    ]


def _seed_parts(studies: list[SeedStudy], epochs: tuple[int, int]) -> list[Part]:
    heads = ["set", "recipe", "diffusion"]
    for epoch in epochs:
        heads += [f"mean %, epoch {epoch}", f"seeds at 99 %, epoch {epoch}"]
    rows: list[list[str]] = []
    for study in studies:
        cells = [study.name, study.recipe, "with" if study.diffused else "without"]
        for reached in map(study.at, epochs):
            cells.append(f"{100 * reached['mean_accuracy']:.1f}")
            cells.append(f"{reached['n_successes']:.0f} of {len(study.runs)}")
        failures = study.failures()
        rows.append([*cells, *(str(failures[reason]) for reason in FAILURES)])
    recipes = "; ".join(f"{name} = {words}" for name, words in RECIPE_WORDS.items())
    return [
        Heading("Many seeds"),
        Paragraph(
            "One seed a set proves little, so here are many; each draws its own points and its own "
            f"initialization. Recipes: {recipes}."
        ),
        Table([*heads, *FAILURES.values()], rows),
        Paragraph(
            "With two hidden units and a learning rate of 1 (spiral 0.8), a few large steps "
            "decide. Most seeds that fail with diffusion have a hidden unit that a step has pushed "
            "out of reach of all points, so that it stays zero and learns no more (a dead unit); "
            "with momentum kept at such a rate the loss may grow without end (diverged, accuracy "
            "counted as 0). A tenth of the rate, with momentum kept, avoids both."
        ),
    ]
