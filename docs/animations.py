"""Animations of the gallery as pictures that move, which need no script and no player."""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.animation import Animation, PillowWriter
from sphinx_gallery.scrapers import figure_rst

FRAMES_PER_SECOND = 12


def scrape(_block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Write each animation of a block as a .gif, and close its figure, which is shown by that."""
    paths: list[str] = []
    for name, animation in block_vars["example_globals"].items():
        figure = getattr(animation, "_fig", None)
        if not isinstance(animation, Animation) or not plt.fignum_exists(figure.number):
            continue
        path = Path(next(block_vars["image_path_iterator"])).with_suffix(".gif")
        animation.save(path, writer=PillowWriter(fps=FRAMES_PER_SECOND), dpi=90)
        plt.close(figure)
        paths.append(str(path))
        block_vars["example_globals"][name] = None
    return figure_rst(paths, gallery_conf["src_dir"]) if paths else ""
