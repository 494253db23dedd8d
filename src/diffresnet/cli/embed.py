"""`diffresnet embed`: features of images or texts, for the other commands."""

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from diffresnet._support.checks import refuse
from diffresnet._support.progress import shown_at_once, track
from diffresnet._support.words import count, shortened
from diffresnet.cli.console import say, warn
from diffresnet.cli.embed_files import TableEmbedding, embed_files
from diffresnet.cli.options import Cluster, Device, FollowLinks, Force, IdColumn
from diffresnet.cli.outputs import check_new_file, write_files
from diffresnet.datasets.files import PRIVATE, make_cache_folder
from diffresnet.encoders.extraction import Extraction, extract
from diffresnet.encoders.folders import ClassFolders
from diffresnet.encoders.image_set import ImageSet
from diffresnet.encoders.items import WhenUnreadable
from diffresnet.encoders.pictures import make_thumbnail
from diffresnet.encoders.processes import choose_device
from diffresnet.encoders.ready import make_encoder
from diffresnet.encoders.source import read_source
from diffresnet.encoders.text_set import TextSet
from diffresnet.files.arrays import encode_arrays
from diffresnet.files.previews import pack_thumbnails
from diffresnet.report.previews import N_LETTERS

READY = {"images": "efficientnet-lite0", "texts": "minilm"}


def embed(
    source: Annotated[
        Path,
        typer.Argument(
            help="A folder of images, in folders of their classes or not, perhaps with train.csv, "
            "val.csv and test.csv (filename,label); an .npz file with the array images; a .csv or "
            ".parquet table with a column of texts; or a .txt file, one text a line."
        ),
    ],
    *,
    encoder: Annotated[
        str | None,
        typer.Option(
            help="efficientnet-lite0 (images), minilm (texts); conv4, resnet10, resnet18 or "
            "wrn28-10 with a file of train-backbone, such as resnet18:birds.pt; timm:NAME or "
            "hf:NAME where these libraries are installed.",
            show_default="efficientnet-lite0 for images, minilm for texts",
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="File for the features, .npz.")] = Path("features.npz"),
    text_column: Annotated[
        str | None, typer.Option(help="Column of the texts.", show_default="text")
    ] = None,
    id_column: IdColumn = None,
    label_column: Annotated[
        str | None,
        typer.Option(help="Column of the labels.", show_default="label, if there is one"),
    ] = None,
    class_folders: Annotated[
        str,
        typer.Option(
            help="Folders of SOURCE that are classes: their names, as in cat,dog; all; none; or "
            "auto, which is all if every image lies in one. Other images have no label."
        ),
    ] = "auto",
    follow_links: FollowLinks = False,
    unreadable: Annotated[
        WhenUnreadable,
        typer.Option(help="What to do with damaged images and empty texts; each is named."),
    ] = "refuse",
    previews: Annotated[
        bool,
        typer.Option(
            help="Keep a thumbnail of each image (about 2 kB), or each text, for reports."
        ),
    ] = True,
    cache: Annotated[
        Path | None,
        typer.Option(
            help="Folder that keeps features by the content of images, texts and weights, so that "
            "a stopped command goes on and nothing is computed twice.",
            show_default="the user's cache",
            file_okay=False,
        ),
    ] = None,
    batch_size: Annotated[int, typer.Option(help="Items of a batch.", min=1)] = 32,
    device: Device = "cpu",
    force: Force = False,
    cluster: Cluster = None,
) -> None:
    """Turn images or texts into features, one row each.

    With --cluster, SOURCE is a folder of tables of texts, and --out one of Parquet files, one for
    each table; those that are there already are left as they are.

    The file has the arrays features and ids, labels and split where there are any (folders of
    classes, a column, train.csv), and previews; classify and fewshot take it as it is.

    Examples:
      diffresnet embed photos --out photos.npz

      diffresnet embed photos --class-folders cat,dog --out photos.npz

      diffresnet embed questions.csv --text-column question --out questions.npz

      diffresnet embed birds --encoder resnet18:birds.pt --out birds.npz

      diffresnet embed tables/ --out embedded/ --cluster auto
    """
    if cluster is not None:
        columns = text_column, id_column, label_column
        usual = encoder or READY["texts"]
        how = TableEmbedding(usual, *columns, unreadable, _make_cache(cache), batch_size, device)
        embed_files(source, out, cluster, how)
        return
    check_new_file(out, "--out", (".npz",), [source], force=force)
    kept = _make_cache(cache)  # after an hour of computing it would be late
    items = read_source(
        source,
        text_column=text_column,
        id_column=id_column,
        label_column=label_column,
        follow_links=follow_links,
        class_folders=_class_folders(class_folders),
    )
    kind = "images" if isinstance(items, ImageSet) else "texts"
    name = encoder or READY[kind]
    with shown_at_once(f"loading the encoder {shortened(name)} ..."):
        ready = make_encoder(name, device=choose_device(device))
    if ready.kind != kind:
        got = f"{ready.name}, which takes {ready.kind}, for {source}, which has {kind}"
        refuse("--encoder", f"one for {kind}", got, f"Use {READY[kind]}.")
    found = extract(
        ready,
        items,
        cache=kept,
        when_unreadable=unreadable,
        report=warn,
        batch_size=batch_size,
    )
    content = _to_npz(items, found, previews=previews)
    n, width = found.features.shape
    made = f"{count(n, kind.removesuffix('s'))}, {count(width, 'feature')} by {ready.name}"
    say(f"{made}; {found.n_computed:,} computed now.")
    write_files({out: content})


def _class_folders(text: str) -> ClassFolders:
    """Return which folders are classes: a word, or names between commas."""
    if text == "auto" or text == "all" or text == "none":  # noqa: PLR1714  (narrows the type)
        return text
    return [name.strip() for name in text.split(",") if name.strip()]


def _make_cache(given: Path | None) -> Path:
    """Return the folder of features, made private to the user unless it is there."""
    try:
        if given is None:
            return make_cache_folder("features")
        given.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
    except OSError as error:
        got = f"{given or error.filename} ({error.strerror})"
        refuse("--cache", "a folder that can be made", got, "Name another one.")
    return given


def _to_npz(items: ImageSet | TextSet, found: Extraction, *, previews: bool) -> bytes:
    """Return the content of the file."""

    def some_of(texts: tuple[str, ...]) -> Any:
        return np.array([texts[row] for row in found.rows], dtype=np.str_)

    arrays: dict[str, Any] = {"features": found.features, "ids": some_of(items.ids)}
    if items.labels:
        arrays["labels"] = some_of(items.labels)
    if isinstance(items, ImageSet):
        if items.splits:
            arrays["split"] = some_of(items.splits)
        if previews:
            sources = [items.sources[row] for row in found.rows]
            made = [make_thumbnail(source) for source in track(sources, "making thumbnails")]
            arrays |= pack_thumbnails(made)
    elif previews:  # one letter more than is shown tells that a text goes on
        arrays["texts"] = some_of(tuple(text[: N_LETTERS + 1] for text in items.texts))
    return encode_arrays(arrays)
