"""`diffresnet classify`: label every point of a file from the few that have a label."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from diffresnet._support.checks import refuse
from diffresnet.cli.cluster_run import ClusterRun, check_options
from diffresnet.cli.fitting import count_steps, draw_page, fit, measure_curve, suggest_first
from diffresnet.cli.given import Columns, check_labels_known, read_given, read_with_columns
from diffresnet.cli.options import Cluster, Force, IdColumn, LabelColumn, ReportFile
from diffresnet.cli.outputs import Files, check_new_file, write_files
from diffresnet.cli.predicted import OUT_DEFAULT, OUT_HELP, Predicted, choose_out
from diffresnet.cli.prior import check_prior_classes, read_prior
from diffresnet.cli.summary import print_summary, say_first, say_next
from diffresnet.estimators import DiffResNetClassifier
from diffresnet.estimators.solution import SolverName
from diffresnet.estimators.storage import encode_classifier
from diffresnet.files.labels import check_classes
from diffresnet.files.points import Points
from diffresnet.files.predictions import read_earlier
from diffresnet.files.suggestions import encode_suggestions
from diffresnet.learning.sampling import LabelSampling

N_SUGGESTED = 10
FIRST_SUGGESTIONS = Path("suggestions.csv")
"""Where suggestions go when there is no label yet, and so nothing else to write."""


def classify(
    features: Annotated[
        Path,
        typer.Argument(
            help="Points: .csv or .parquet with a column for each feature (in .parquet also one of "
            "lists), a folder of .parquet files, .npy, .npz with the array features and, if there "
            "are any, ids and labels, or cells in .h5ad. Only ids will do with --graph."
        ),
    ],
    *,
    labels: Annotated[
        Path | None,
        typer.Option(
            help="Labels: .csv or .parquet with the columns id and label; or .npy or .npz with one "
            "label a point, -1 where there is none.",
            show_default="the labels in FEATURES",
        ),
    ] = None,
    label_column: LabelColumn = None,
    id_column: IdColumn = None,
    graph: Annotated[
        Path | None,
        typer.Option(
            help="Links: .csv or .parquet with two columns of ids and, if there are any, weights; "
            "or a SciPy sparse matrix in .npz.",
            show_default="the nearest neighbors",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help=OUT_HELP, show_default=OUT_DEFAULT),
    ] = None,
    report: ReportFile = None,
    since: Annotated[
        Path | None,
        typer.Option(
            help="With --report: predictions of an earlier run, .csv or .parquet; the page then "
            "shows what has changed.",
            dir_okay=False,
        ),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(help="File for the model, .npz, for diffresnet predict.", dir_okay=False),
    ] = None,
    suggest: Annotated[
        int | None,
        typer.Option(
            help="Name this number of points to label next; or first, if there is no label yet.",
            min=1,
            show_default="10 with --suggestions, else none",
        ),
    ] = None,
    suggestions: Annotated[
        Path | None,
        typer.Option(
            help="File for these points and the labels there are, .csv: fill in its column label, "
            "and pass it as --labels.",
            dir_okay=False,
            show_default="suggestions.csv if there is no label yet, else none",
        ),
    ] = None,
    curve: Annotated[
        bool | None,
        typer.Option(
            help="Learn again from fewer labels, twelve times, to tell whether more would help.",
            show_default="with --report, up to 5,000 points and 300 labels",
        ),
    ] = None,
    force: Force = False,
    solver: Annotated[
        SolverName,
        typer.Option(
            help="How it learns: mixture (of several ways, weighed by held-out labels); kernel "
            "(Diff-ResNet of infinite width); or network (Diff-ResNet, trained, slower)."
        ),
    ] = "mixture",
    steps: Annotated[
        str,
        typer.Option(help="Diffusion steps: a number, or auto for what suits the graph."),
    ] = "auto",
    n_top: Annotated[
        int, typer.Option(help="Neighbors that the graph keeps, the point itself counted.", min=2)
    ] = 11,
    search: Annotated[
        Literal["auto", "exact", "approximate"],
        typer.Option(help="Of the neighbors; auto is approximate for more than 40,000 points."),
    ] = "auto",
    label_sampling: Annotated[
        LabelSampling,
        typer.Option(
            help="How points were drawn to be labeled: random, so that labels say how common the "
            "classes are; 'per class'; or auto, whatever their counts speak for."
        ),
    ] = "auto",
    prior: Annotated[
        str,
        typer.Option(
            help="How common the classes are: none if that is not known; uniform if equally so; "
            "or their proportions, as in cat=0.7,dog=0.3 or cat=7,dog=3."
        ),
    ] = "none",
    seed: Annotated[int, typer.Option(help="Seed of the classifier.", min=0, max=2**31 - 1)] = 0,
    cluster: Cluster = None,
    work: Annotated[
        Path | None,
        typer.Option(
            help="With --cluster: folder that keeps what is done, which all machines see.",
            show_default="that of --out, with .work added",
        ),
    ] = None,
    memory: Annotated[
        float, typer.Option(help="With --cluster: GB that a worker may take, about.", min=0.5)
    ] = 2.0,
) -> None:
    """Label every point from the few that have a label, by diffusion over the neighbor graph.

    Writes a table with the columns id, label, probability, margin (to the second class), reached
    (whether the point is connected to any label), and text if embed kept it. In .csv, a name that a
    spreadsheet would run as a formula gets a ' in front, which every command takes off again.

    Where there is no label yet, --suggest names the points to label first, and writes them as a
    table to fill in.

    Examples:
      diffresnet classify features.csv --suggest 10

      diffresnet classify features.csv --labels suggestions.csv

      diffresnet classify points.parquet --label-column kind --report page.html

      diffresnet classify embeddings/ --labels labels.csv --out predictions/

      diffresnet classify nodes.csv --labels labels.csv --graph edges.csv

      diffresnet classify features.csv --labels labels.csv --save model.npz

      diffresnet classify embeddings/ --labels labels.csv --cluster auto
    """
    check_options(classify, locals())
    earlier, columns = _read_since(since, report), Columns(id_column, label_column)
    if cluster is not None:
        run = ClusterRun(features, labels, out, cluster, work, memory, n_top, seed)
        return run.classify(columns, force=force)
    model = DiffResNetClassifier(
        n_top,
        search=search,
        n_steps=count_steps(steps),
        solver=solver,
        label_sampling=label_sampling,
        class_prior=read_prior(prior),
        random_state=seed,
    )
    points = read_with_columns(features, columns, graph, need_labels=labels is None)
    n_suggested = N_SUGGESTED if suggest is None and suggestions is not None else suggest
    given = read_given(points, features, labels, columns, need_labels=n_suggested is None)
    inputs = [path for path in (features, labels, graph) if path is not None]
    if n_suggested is not None and len(set(given) - {""}) < 2:
        _refuse_results({"--out": out, "--report": report, "--save": save, "--curve": curve})
        suggestions = suggestions or FIRST_SUGGESTIONS
        check_labels_known(suggestions, points, given, columns)
        check_new_file(suggestions, "--suggestions", (".csv",), inputs, force=force)
        chosen = suggest_first(model, points, given, graph, n_suggested)
        table = _to_table(points, given, chosen, columns)
        return write_files({suggestions: table}, lambda: say_first(points, chosen, suggestions))
    check_classes(given, "--labels" if labels is not None else "FEATURES")
    check_prior_classes(model.class_prior, given)
    out = choose_out(out, features, inputs, force=force)
    check_new_file(report, "--report", (".html",), [*inputs, out], force=force)
    check_new_file(save, "--save", (".npz",), [*inputs, out], force=force)
    check_labels_known(suggestions, points, given, columns)
    check_new_file(suggestions, "--suggestions", (".csv",), [*inputs, out], force=force)
    fit(model, points, given, graph)
    predicted = Predicted.of_fitted(model, points, features, columns.label_column)
    contents: dict[Path, bytes | Files] = {out: predicted.encode(out)}
    if save is not None:
        contents[save] = encode_classifier(model)
    chosen = [] if n_suggested is None else model.suggest(n_suggested).tolist()
    if suggestions is not None:
        contents[suggestions] = _to_table(points, given, chosen, columns)
    measured = measure_curve(model, curve=curve, by_default=report is not None)
    if report is not None:
        shown = None if n_suggested is None else chosen
        contents[report] = draw_page(model, points, features.name, measured, shown, since=earlier)

    def speak() -> None:
        print_summary(model, measured)
        if n_suggested is not None:
            say_next(points, chosen)

    return write_files(contents, speak)


def _refuse_results(given: Mapping[str, object]) -> None:
    """Refuse options for what is not known before there are labels of two classes."""
    for option, value in given.items():
        if value:
            remedy = "Label points of two classes first."
            refuse(option, "left out where there is nothing to write yet", value, remedy)


def _read_since(since: Path | None, report: Path | None) -> dict[str, str] | None:
    if since is not None and report is None:
        refuse("--since", "given with --report", "it alone", "Pass --report page.html, too.")
    return None if since is None else read_earlier(since)


def _to_table(
    points: Points, given: Sequence[str], chosen: Sequence[int], columns: Columns
) -> bytes:
    return encode_suggestions(points.ids, given, chosen, texts=points.texts, **columns._asdict())
