from pathlib import Path

import numpy as np
import pytest

from diffresnet.datasets.files import find_data_file
from diffresnet.encoders.image_set import ImageSet
from diffresnet.encoders.source import OMNIGLOT, load_omniglot, read_image_arrays, read_source
from diffresnet.encoders.text_set import TextSet
from tests.encoders.examples import make_drawings, save_photo


def _write(path: Path, content: str) -> Path:
    path.write_text(content, encoding="utf-8")
    return path


def test_a_folder(tmp_path: Path) -> None:
    save_photo(tmp_path / "a/1.png")
    assert isinstance(read_source(tmp_path), ImageSet)


def test_arrays_of_images(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, images=np.zeros((2, 8, 8)), ids=["x", "y"], labels=[3, -1], split=["train"] * 2)
    images = read_image_arrays(path, "SOURCE")
    assert (images.ids, images.labels) == (("x", "y"), ("3", ""))
    assert images.splits == ("train", "train")
    np.save(tmp_path / "b.npy", np.zeros((2, 8, 8), dtype=np.uint8))
    assert len(read_image_arrays(tmp_path / "b.npy", "SOURCE")) == 2


def test_omniglot(tmp_path: Path) -> None:
    background, evaluation = make_drawings(101, 2), make_drawings(3, 2)
    np.savez(tmp_path / "o.npz", background=background, evaluation=evaluation)
    images = read_source(tmp_path / "o.npz")
    assert isinstance(images, ImageSet)
    assert set(images.splits) == {"train", "val", "test"}


def test_lines_of_text(tmp_path: Path) -> None:
    texts = read_source(_write(tmp_path / "a.txt", "\ufeffone\n\nth\u2028ree\n"))
    assert isinstance(texts, TextSet)
    assert texts.texts == ("one", "", "th\u2028ree")
    assert texts.ids == ("0", "1", "2")


def test_a_table_of_texts(tmp_path: Path) -> None:
    path = _write(tmp_path / "a.csv", 'id,label,text\n007,a,"hi, you"\n8,,12\n')
    texts = read_source(path)
    assert isinstance(texts, TextSet)
    assert texts == TextSet(("hi, you", "12"), ("007", "8"), ("a", ""))


def test_columns_by_name(tmp_path: Path) -> None:
    path = _write(tmp_path / "a.csv", "key,question,kind\n1,why,x\n2,how,y\n")
    texts = read_source(path, text_column="question", id_column="key", label_column="kind")
    assert texts == TextSet(("why", "how"), ("1", "2"), ("x", "y"))
    alone = read_source(_write(tmp_path / "b.csv", "question\nwhy\n"))
    assert alone == TextSet(("why",), ("0",))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "one,two\n1,2\n", "a table with a column 'text', got a.csv with 'one', 'two'"),
        ("a.csv", "text\n", "a table with rows"),
        ("a.doc", "x", "a file that ends in"),
        ("a.jpg", "x", "a file that ends in"),
        ("a.txt", "", "a file with content"),
    ],
)
def test_what_cannot_be_read(tmp_path: Path, name: str, content: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_source(_write(tmp_path / name, content))


def test_wrong_names_and_bytes(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="a folder or file that exists"):
        read_source(tmp_path / "no")
    path = _write(tmp_path / "a.csv", "text\nx\n")
    with pytest.raises(ValueError, match="--text-column must be one"):
        read_source(path, text_column="no")
    with pytest.raises(ValueError, match="--id-column must be one"):
        read_source(path, id_column="no")
    with pytest.raises(ValueError, match="--label-column must be one"):
        read_source(path, label_column="no")
    (tmp_path / "b.txt").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(ValueError, match="a file in UTF-8"):
        read_source(tmp_path / "b.txt")
    np.savez(tmp_path / "c.npz", a=np.zeros((2, 3, 3)), b=np.zeros((2, 3, 3)))
    with pytest.raises(ValueError, match="one array of images"):
        read_source(tmp_path / "c.npz")


def save_omniglot(path: Path) -> Path:
    np.savez(path, background=make_drawings(5, 4), evaluation=make_drawings(3, 4, seed=1))
    return path


def test_background_classes_train_and_evaluation_classes_test(tmp_path: Path) -> None:
    images = load_omniglot(save_omniglot(tmp_path / "o.npz"), n_validation=2)
    assert [len(images.split(name)) for name in ("train", "val", "test")] == [12, 8, 12]
    parts = [set(images.split(name).labels) for name in ("train", "val", "test")]
    assert not parts[0] & parts[1]
    assert not parts[1] & parts[2]
    assert len(set(images.ids)) == 32


def test_other_files_and_too_many_validation_classes(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", images=np.zeros((2, 3, 3)))
    with pytest.raises(ValueError, match="a file with `background` and `evaluation`"):
        load_omniglot(tmp_path / "a.npz")
    with pytest.raises(ValueError, match=r"`n_validation` must be between 0 and .* \(4\), got 5"):
        load_omniglot(save_omniglot(tmp_path / "o.npz"), n_validation=5)


@pytest.mark.parametrize("shape", [(3,), (3, 4, 16), (3, 4, 16, 20)])
def test_omniglot_with_foreign_parts(tmp_path: Path, shape: tuple[int, ...]) -> None:
    path = tmp_path / "o.npz"
    np.savez(path, background=make_drawings(5, 4), evaluation=np.zeros(shape, dtype=np.uint8))
    with pytest.raises(
        ValueError, match=r"load_omniglot: `path` must be a file with `background` an"
    ):
        read_source(path)
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(
        ValueError, match=r"load_omniglot: `path` must be a .npz or .npy file of pla"
    ):
        load_omniglot(path)


def test_the_real_file() -> None:
    try:
        path = find_data_file(OMNIGLOT)
    except FileNotFoundError as error:
        pytest.skip(str(error))
    images = load_omniglot(path)
    assert [len(images.split(name)) for name in ("train", "val", "test")] == [17280, 2000, 13180]
    assert len(images.class_names) == 1623


def test_arrays_beside_images_of_another_length(tmp_path: Path) -> None:
    images = np.zeros((2, 4, 4), np.uint8)
    np.savez_compressed(tmp_path / "a.npz", images=images, labels=np.zeros(9_000_000, np.uint8))
    message = (
        r"SOURCE must be a file with 2 ids, labels and splits, as images, got .* with 9,000,000"
    )
    with pytest.raises(ValueError, match=message):
        read_source(tmp_path / "a.npz")
