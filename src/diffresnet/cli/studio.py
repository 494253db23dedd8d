"""`diffresnet studio`: label by clicking in the browser, and watch labels spread."""

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from diffresnet._support.stages import shown_stages
from diffresnet.cli.console import leave, say, warn
from diffresnet.cli.options import Force, IdColumn, LabelColumn
from diffresnet.cli.outputs import check_new_file, write_files
from diffresnet.cli.signals import INTERRUPTED
from diffresnet.studio.answering import EXPORTS
from diffresnet.studio.engine import Studio
from diffresnet.studio.export import export as make_export
from diffresnet.studio.hosting import Host
from diffresnet.studio.opening import Source, find_source
from diffresnet.studio.serving import HOST, Place, serve


def studio(
    source: Annotated[
        Path,
        typer.Argument(
            help="What to label: a folder of photos; a .csv or .parquet table of texts (column "
            "text) or of embeddings; .npz or .npy of embeddings; a table of links (source, "
            "target); or a file of the studio, .studio.sqlite."
        ),
    ],
    *,
    port: Annotated[
        int | None,
        typer.Option(help="Port of the page.", min=1, max=65535, show_default="8765, or the next"),
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
    export: Annotated[
        Path | None,
        typer.Option(
            help="Write labels, predictions, model and report to this folder, and end: no page.",
            file_okay=False,
        ),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            help="Where answers are kept, .sqlite.",
            show_default="SOURCE.studio.sqlite, beside the data",
            dir_okay=False,
        ),
    ] = None,
    graph: Annotated[
        Path | None,
        typer.Option(
            help="Links between the points, as for classify.", show_default="nearest neighbors"
        ),
    ] = None,
    text_column: Annotated[
        str | None, typer.Option(help="Column of the texts.", show_default="text")
    ] = None,
    id_column: IdColumn = None,
    label_column: LabelColumn = None,
    encoder: Annotated[
        str | None,
        typer.Option(
            help="For photos or texts, as for embed.",
            show_default="efficientnet-lite0 for photos, minilm for texts",
        ),
    ] = None,
    n_top: Annotated[
        int, typer.Option(help="Neighbors that the graph keeps, the point itself counted.", min=2)
    ] = 11,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = HOST,
    allow_remote: Annotated[
        bool,
        typer.Option(
            "--allow-remote",
            help="Allow a --host that others can reach. Whoever has the address of the page can "
            "see and change everything, and it is not encrypted.",
        ),
    ] = False,
    force: Force = False,
) -> None:
    """Label by clicking in the browser, and watch labels spread over all points.

    The page shows a map of all points. Label a few: every point gets a label and a probability at
    once, and a queue asks for what matters most next. Each answer is on the disk, in a file beside
    the data, before the page says so; the same command opens it again. Nothing leaves the machine.

    Examples:
      diffresnet studio photos/

      diffresnet studio questions.csv --text-column question

      diffresnet studio embeddings.npz --port 9000 --no-browser

      diffresnet studio embeddings.npz --export results
    """
    given = Source(source, graph, text_column, id_column, label_column, encoder, n_top)
    found, kept = find_source(given, file)
    if export is not None:
        _write(found, kept, export, force=force)
        return

    def ready(address: str) -> None:
        say(f"The studio is at {address}")
        say(f"Answers are kept in {kept}. Ctrl-C ends it.")
        if browser:
            webbrowser.open(address)

    def failed(reason: str) -> None:
        warn(f"It did not open. {reason}")

    if allow_remote and host != HOST:
        warn(f"Whoever has the address can see and change everything: {host} is open to others.")
    served = Host(found, kept)
    try:
        serve(served, Place(host, port, allow_remote), ready, failed if browser else None)
    finally:
        if not served.is_idle:  # a thread that computes would abort the process at its end
            leave(INTERRUPTED)


def _write(source: Source, file: Path, folder: Path, *, force: bool) -> None:
    """Write everything there is to write, without a page."""
    paths = {name: folder / name for name in EXPORTS}
    for path in paths.values():
        check_new_file(path, "--export", (path.suffix,), [source.path, file], force=force)
    with shown_stages(f"opening {source.path.name}"):
        opened = Studio.open(source, file)
    contents: dict[Path, bytes] = {}
    for name, path in paths.items():
        try:
            contents[path] = make_export(opened, name)
        except ValueError as error:
            warn(f"{name} is left out. {error}")
    opened.close()
    write_files(dict(contents))
