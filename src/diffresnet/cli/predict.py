"""`diffresnet predict`: label new points by a model that `classify --save` wrote."""

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from diffresnet._support.checks import refuse
from diffresnet._support.stages import shown_stages
from diffresnet._support.words import count, some
from diffresnet.cli.console import say, warn
from diffresnet.cli.options import Force, IdColumn, LabelColumn
from diffresnet.cli.outputs import write_files
from diffresnet.cli.predicted import OUT_HELP, Predicted, choose_out
from diffresnet.estimators import DiffResNetClassifier
from diffresnet.files.arrays import is_described
from diffresnet.files.points import Points, read_points


def predict(
    model: Annotated[Path, typer.Argument(help="What classify --save wrote, .npz.")],
    features: Annotated[
        Path,
        typer.Argument(help="New points, in a file or folder as classify takes it; no graph."),
    ],
    *,
    id_column: IdColumn = None,
    label_column: LabelColumn = None,
    out: Annotated[
        Path | None,
        typer.Option(help=OUT_HELP, show_default="new_predictions.csv if FEATURES is new.csv"),
    ] = None,
    force: Force = False,
) -> None:
    """Label new points by a saved model, without learning anew.

    A new point receives from its nearest points of the model, and sends nothing back: its label
    does not depend on the other new points. The table that is written is that of classify. Labels
    in FEATURES are only compared with: it is said how many are right.

    Examples:
      diffresnet classify features.csv --labels labels.csv --save model.npz

      diffresnet predict model.npz new.csv
    """
    default = f"{features.stem}_predictions"
    out = choose_out(out, features, [model, features], force=force, default=default)
    fitted = _load(model, features)
    with shown_stages(f"reading {features.name}"):
        points = read_points(features, id_column=id_column, label_column=label_column)
    given = _check_features(fitted, points, model, features)
    with shown_stages(f"classifying {count(len(points.ids), 'point')}"):
        probabilities = fitted.predict_proba(given)
    reached = ~fitted.solution_.is_unknown(probabilities)
    found = Predicted(features, points, fitted, probabilities, reached, label_column)

    def speak() -> None:
        mean = probabilities.max(axis=1).mean()
        say(f"{count(len(points.ids), 'point')}, with a mean probability of {mean:.2f}.")
        if points.labels is not None and any(points.labels):
            has = np.array([label != "" for label in points.labels])
            right = np.array(points.labels)[has] == found.labels.astype(np.str_)[has]
            say(f"{right.mean():.1%} of {count(len(right), 'label')} in {features.name} are right.")

    n_missed = int((~reached).sum())
    if n_missed:
        missed = count(n_missed, "point")
        warn(f"Near points only that no label reaches: {missed}, with the class prior.")
    write_files({out: found.encode(out)}, speak)


def _load(model: Path, features: Path) -> DiffResNetClassifier:
    """Read a model, or say in the words of the command what was given instead."""
    try:
        return DiffResNetClassifier.load(model)
    except ValueError as error:
        if is_described(model):  # a model, of which the sentence says what is wrong
            raise ValueError(str(error).replace("`save`", "`classify --save`")) from error
        remedy = "Pass the file that was named by --save."
        if is_described(features):
            remedy = f"The two are swapped: pass {features.name} first."
        refuse("MODEL", "what `classify --save` wrote", model, remedy)


def _check_features(
    fitted: DiffResNetClassifier, points: Points, model: Path, features: Path
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return features in the order of the model, or refuse those that it does not know."""
    if fitted.solution_.points.space is None:
        got, remedy = f"{model}, fitted to a graph alone", "Save one that has features."
        refuse("MODEL", "fitted to features", got, remedy)
    if points.features is None:
        refuse("FEATURES", "a file with features", "ids only", "Add features.")
    names = vars(fitted).pop("feature_names_in_", None)
    if names is not None and points.names:
        wanted, found = [str(name) for name in names], list(points.names)
        lost = [name for name in wanted if name not in found]
        more = [name for name in found if name not in wanted]
        if lost or more:
            got = f"{some(lost)} missing" if lost else f"{some(more)} besides"
            remedy = "Give it the columns of the table that the model was fitted to."
            refuse("FEATURES", f"a table with the columns of {model.name}", got, remedy)
        return points.features[:, [found.index(name) for name in wanted]]
    n_features = points.features.shape[1]
    if n_features != fitted.n_features_in_:
        got = f"{n_features} in {features.name}"
        remedy = "Make them as you made those of the model."
        refuse("FEATURES", f"rows of {fitted.n_features_in_} features", got, remedy)
    return points.features
