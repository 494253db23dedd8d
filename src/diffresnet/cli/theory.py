"""`diffresnet theory`: what the paper's theorems say of your own points."""

import warnings
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from diffresnet._support.checks import refuse
from diffresnet._support.writing import encode_json
from diffresnet.cli.console import say
from diffresnet.cli.options import Force, IdColumn, JsonFile, LabelColumn, ReportFile
from diffresnet.cli.outputs import check_new_file, write_files
from diffresnet.diffusion.input import StabilityWarning
from diffresnet.files.points import labels_of, read_points
from diffresnet.report.panels import new_figure
from diffresnet.report.theory.page import make_theory_page
from diffresnet.report.theory.sentences import (
    describe_separation,
    describe_stability,
    describe_structure,
)
from diffresnet.theory import analyze


def theory(
    points: Annotated[
        Path,
        typer.Argument(
            help="Points: .csv or .parquet with a column for each feature, .npy, or .npz with the "
            "array features and, if there are any, ids and labels."
        ),
    ],
    *,
    labels: Annotated[
        Path | None,
        typer.Option(
            help="Labels of all points: .csv or .parquet with the columns id and label; or .npy or "
            ".npz with one label a point.",
            show_default="the labels in POINTS",
        ),
    ] = None,
    label_column: LabelColumn = None,
    id_column: IdColumn = None,
    n_top: Annotated[
        int, typer.Option(help="Neighbors that the graph keeps, the point itself counted.", min=1)
    ] = 11,
    step_size: Annotated[
        float | None,
        typer.Option(help="Of diffusion.", show_default="the longest with which hulls shrink"),
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option(
            help="Diffusion steps to take.",
            min=0,
            show_default="as many as should make L/D large enough, up to 1000",
        ),
    ] = None,
    width: Annotated[int, typer.Option(help="Of the network that is written down.", min=1)] = 8,
    json_file: JsonFile = None,
    report: ReportFile = None,
    force: Force = False,
) -> None:
    """Tell whether labeled points are structured, whether diffusion is stable and helps.

    Says which subclasses the neighbor graph shows, how long a diffusion step may be, after how many
    steps Theorem 2 promises parallel planes between all subclasses, and whether the network of
    Theorem 1, written down rather than trained, separates the classes.

    Examples:
      diffresnet theory points.npz --labels labels.csv --n-top 8

      diffresnet theory points.csv --label-column kind --report page.html
    """
    inputs = [path for path in (points, labels) if path is not None]
    check_new_file(json_file, "--json", (".json",), inputs, force=force)
    check_new_file(report, "--report", (".html",), inputs, force=force)
    if report is not None:
        new_figure("diffresnet theory --report", 1, 1)  # before the work
    loaded = read_points(
        points,
        id_column=id_column,
        label_column=label_column,
        need_labels=labels is None,
        what="POINTS",
    )
    if loaded.features is None:
        refuse("POINTS", "a file with features", "ids only", "Add features.")
    given_labels = labels_of(
        loaded, labels, id_column=id_column, label_column=label_column, what="POINTS"
    )
    n_missing = given_labels.count("")
    if n_missing:
        remedy = "Leave out the others; `diffresnet classify` labels them."
        refuse("--labels", "a label for every point", f"{n_missing} points without", remedy)
    texts = np.array(given_labels, dtype=object)
    names, numbers = np.unique(texts, return_inverse=True)
    contents: dict[Path, bytes] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StabilityWarning)  # a sentence says so
        found = analyze(
            loaded.features, numbers, n_top=n_top, step_size=step_size, n_steps=steps, width=width
        )
    if json_file is not None:
        contents[json_file] = encode_json({"class_names": names.tolist(), **found.to_json()})
    if report is not None:
        contents[report] = make_theory_page(found, points.name, names.tolist())

    def speak() -> None:
        for describe in (describe_structure, describe_stability, describe_separation):
            for sentence in describe(found):
                say(sentence)

    write_files(contents, speak)
