"""A picture of training: raw points, accuracy by epoch, and features at some epochs."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from diffresnet.report.panels import PictureFormat, draw_points, limits_of, new_figure, render


def draw_training(
    points: Tensor,
    labels: Tensor,
    accuracies: Mapping[str, Sequence[float]],
    features: Mapping[str, Mapping[int, Tensor]],
    picture_format: PictureFormat = "png",
) -> bytes:
    """Draw how planar features become separable, for several ways of training.

    Args:
        points: (N, 2) before the network.
        labels: (N,) class of each point, which gives its color.
        accuracies: by way of training, then by epoch; between 0 and 1.
        features: by way of training, then by epoch: (N, 2) as the classifier sees them.
        picture_format: of the file.
    """
    n_columns = max(2, *(len(states) for states in features.values()))
    n_rows = 1 + len(features)
    figure = new_figure("draw_training", 3.1 * n_columns, 3.2 * n_rows)
    grid = figure.subplots(n_rows, n_columns, squeeze=False)
    draw_points(grid[0, 0], points, labels, "raw points", limits_of(points))
    curve = grid[0, 1]
    for (name, values), style in zip(accuracies.items(), ("-", "--", ":", "-."), strict=False):
        curve.plot([100 * value for value in values], style, color="black", label=name)
    curve.set(title="accuracy", xlabel="epoch", ylabel="%", ylim=(0, 104))
    curve.legend(frameon=False, loc="lower right")
    for panel in grid[0, 2:]:
        panel.set_visible(False)
    for row, (name, states) in zip(grid[1:], features.items(), strict=True):
        for panel, (epoch, seen) in zip(row, states.items(), strict=False):
            draw_points(panel, seen, labels, f"{name}, epoch {epoch}", limits_of(seen))
    return render(figure, picture_format)
