"""`diffresnet demo`: label 1,797 digits from ten."""

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from diffresnet._support.progress import progress_bar
from diffresnet._support.writing import encode_json
from diffresnet.cli.console import show
from diffresnet.cli.outputs import make_folder, write_files
from diffresnet.files.predictions import encode_predictions
from diffresnet.paper.digits import N_DRAWS, run_digits


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the page and the numbers.")] = Path("demo"),
    seed: Annotated[
        int, typer.Option(help="Seed of the labels that the page shows.", min=0, max=2**31)
    ] = 0,
    draws: Annotated[int, typer.Option(help="Draws of labels.", min=1)] = N_DRAWS,
) -> None:
    """Classify scikit-learn's 1,797 digits from one label per class, beside five other methods.

    The accuracy is that on the unlabeled digits: a mean over draws of labels, and that of the first
    draw, which the page shows. Nothing is downloaded.

    Writes report.html, predictions.csv and accuracy.json.
    """
    from diffresnet.report.classification.page import make_report  # noqa: PLC0415  (slow)

    make_folder(out)
    with progress_bar("draws of labels", draws) as advance:
        result = run_digits(seed, draws, advance)
    model = result.model
    predicted = model.transduction_, model.label_distributions_, model.reached_
    ids = [str(row) for row in range(len(model.transduction_))]
    title = f"1,797 digits from {len(model.classes_)} labels"
    contents = {
        out / "report.html": make_report(model, ids, title),
        out / "predictions.csv": encode_predictions(ids, *predicted),
        out / "accuracy.json": encode_json(result.to_json()),
    }
    title = "Digits, one label per class: accuracy % on the others"
    heads = ["method", f"mean of {draws} draws", "first draw"]
    rows = [
        [name, f"{100 * np.mean(values):.1f}", f"{100 * values[0]:.1f}"]
        for name, values in result.accuracies.items()
    ]
    write_files(contents, lambda: show(title, heads, rows))
