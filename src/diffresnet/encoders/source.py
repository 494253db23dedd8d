"""The images or texts of a folder or file."""

from pathlib import Path

import numpy as np

from diffresnet._support.checks import check_count, fail, refuse
from diffresnet._support.words import some
from diffresnet.datasets.files import find_data_file
from diffresnet.encoders.folders import ClassFolders
from diffresnet.encoders.image_set import ImageSet
from diffresnet.encoders.text_set import TextSet
from diffresnet.files.arrays import ALONE, ARRAYS, read_arrays
from diffresnet.files.frames import TABLES, TableFile, as_text, as_texts, check_file
from diffresnet.files.ids import choose_ids
from diffresnet.files.labels import as_labels, choose_label
from diffresnet.files.opening import opened

WHAT = "SOURCE"
TEXT_COLUMN = "text"
LINES = ".txt"
OMNIGLOT = "images/omniglot28.npz"
PARTS = ("background", "evaluation")
"""Of Omniglot's file."""


def read_source(
    path: Path,
    *,
    text_column: str | None = None,
    id_column: str | None = None,
    label_column: str | None = None,
    follow_links: bool = False,
    class_folders: ClassFolders = "auto",
) -> ImageSet | TextSet:
    """Read a folder of images, an .npz or .npy file of images, a table of texts, or lines of text.

    Args:
        path: of the folder or file.
        text_column: of a table; by default "text", or the only one of texts that is left.
        id_column: of a table; by default "id", if there is one. Rows are counted otherwise.
        label_column: of a table; by default "label", if there is one.
        follow_links: of a folder; reads what they lead to outside of it, too.
        class_folders: of a folder; which folders in it are classes.

    Raises:
        ValueError: if a folder has no images, or arrays are no images.
    """
    if path.is_dir():
        return ImageSet.from_folder(path, follow_links=follow_links, class_folders=class_folders)
    if not path.exists():
        refuse(WHAT, "a folder or file that exists", path, "Check its name.")
    suffix = check_file(path, WHAT, (*ARRAYS, *TABLES, LINES))
    if suffix in ARRAYS:
        return read_image_arrays(path, WHAT)
    if suffix == LINES:
        return _from_lines(path)
    return _from_table(path, text_column, id_column, label_column)


def read_image_arrays(path: Path, what: str) -> ImageSet:
    """Read images from an .npz file (`images`, perhaps `ids`, `labels`, `split`) or an .npy file.

    Omniglot's file has `background` and `evaluation` instead.
    """
    arrays = read_arrays(path, what)
    if set(arrays) >= set(PARTS):
        return load_omniglot(path)
    deep = [name for name, array in arrays.items() if array.ndim in (3, 4)]
    named = [name for name in ("images", ALONE) if name in arrays] or deep
    if len(named) != 1:
        got = f"{path} with the arrays {some(list(arrays))}"
        refuse(what, "a file with one array of images", got, "Name it `images`.")
    n_images = len(np.atleast_1d(arrays[named[0]]))
    beside = [arrays.get(name, np.empty(0)).ravel() for name in ("ids", "labels", "split")]
    lengths = {len(one) for one in beside} - {0, n_images}
    if lengths:  # before texts are made of them
        got, remedy = f"{path} with {max(lengths):,}", "Save one an image, or none."
        refuse(what, f"a file with {n_images:,} ids, labels and splits, as images", got, remedy)
    ids, labels, splits = (one.tolist() for one in beside)
    return ImageSet.from_arrays(
        arrays[named[0]],
        ids=[as_text(value) for value in ids],
        labels=as_labels(labels, path, what),
        splits=[as_text(value) for value in splits],
    )


def load_omniglot(path: Path | None = None, *, n_validation: int = 100) -> ImageSet:
    """Return Omniglot's drawings (28 x 28) with the splits ``"train"``, ``"val"`` and ``"test"``.

    The background characters are for training but for the last `n_validation`, which choose a
    model; the evaluation characters are for testing.

    Args:
        path: an .npz file with `background` and `evaluation`, (classes, drawings, 28, 28); by
            default the one in the folder of data.
        n_validation: background classes that are not trained on.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if it holds something else.
    """
    path = find_data_file(OMNIGLOT) if path is None else path
    arrays = read_arrays(path, "load_omniglot: `path`", wanted=PARTS.__contains__)
    fits = [name for name in PARTS if name in arrays and arrays[name].ndim == 4]
    parts = {name: arrays[name] for name in fits}
    if len(parts) < len(PARTS) or len({part.shape[2:] for part in parts.values()}) > 1:
        got = f"{path} with {', '.join(f'{name} {one.shape}' for name, one in arrays.items())}"
        must = "a file with `background` and `evaluation`, (classes, drawings, height, width)"
        fail("load_omniglot", "path", must, got, "Choose Omniglot's file.")
    most = len(parts["background"]) - 1
    check_count("load_omniglot", "n_validation", n_validation, low=0, high=most, of="all but one")
    names: list[str] = []
    splits: list[str] = []
    for part, pixels in parts.items():
        n_classes, n_drawings = pixels.shape[:2]
        for row in range(n_classes):
            novel = row >= n_classes - n_validation
            names += [f"{part}-{row:04d}"] * n_drawings
            split = "test" if part == "evaluation" else "val" if novel else "train"
            splits += [split] * n_drawings
    pixels = np.concatenate([part.reshape(-1, *part.shape[2:]) for part in parts.values()])
    ids = [f"{name}/{row}" for row, name in enumerate(names)]
    return ImageSet.from_arrays(pixels, ids=ids, labels=names, splits=splits)


def _from_lines(path: Path) -> TextSet:
    with opened(path, WHAT, "a file in UTF-8", "Convert it.") as stream:
        text = stream.read().decode("utf-8-sig")
    lines = text.removesuffix("\n").split("\n") if text else []
    return TextSet(tuple(lines), tuple(str(row) for row in range(len(lines))))


def _from_table(
    path: Path, text_column: str | None, id_column: str | None, label_column: str | None
) -> TextSet:
    table = TableFile(path, WHAT)
    label_column = choose_label(table, label_column)
    text_column = table.choose(text_column, [TEXT_COLUMN], "--text-column")
    id_column = choose_ids(table, id_column, [label_column, text_column])
    used = {id_column, label_column}
    if text_column is None:
        left = [name for name in table.columns if name not in used]
        if len(left) != 1:
            got = f"{path.name} with {some(table.columns, 10)}"
            refuse(WHAT, "a table with a column 'text'", got, "Name another by --text-column.")
        text_column = left[0]
    frame = table.read([text_column, *(name for name in used if name is not None)])
    return TextSet(
        tuple(as_texts(frame, text_column)),
        tuple(as_texts(frame, id_column)),
        () if label_column is None else tuple(as_labels(frame[label_column].to_list(), path, WHAT)),
    )
