import io
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from diffresnet import DiffResNetClassifier
from diffresnet.studio.answering import EXPORTS
from diffresnet.studio.engine import Studio
from diffresnet.studio.export import export, import_file
from tests.studio.studios import NAMES, TRUTH, label_all_classes, open_clusters


def labeled(folder: Path) -> Studio:
    studio = open_clusters(folder)
    label_all_classes(studio, 2)
    return studio


def test_predictions_have_names_and_one_row_a_point(tmp_path: Path) -> None:
    studio = labeled(tmp_path)
    table = pl.read_csv(io.BytesIO(export(studio, "predictions.csv")))
    assert table.columns == ["id", "label", "probability", "margin", "reached"]
    assert (table["label"].to_numpy() == np.array(NAMES)[TRUTH]).mean() > 0.95
    same = pl.read_parquet(io.BytesIO(export(studio, "predictions.parquet")))
    assert same["id"].to_list() == list(studio.opened.ids)
    studio.close()


def test_the_model_predicts_names(tmp_path: Path) -> None:
    studio = labeled(tmp_path)
    before = studio.now.model
    path = tmp_path / "m.npz"
    path.write_bytes(export(studio, "model.npz"))
    model = DiffResNetClassifier.load(path)
    assert model.classes_.tolist() == ["blue", "green", "red"]
    assert (model.transduction_ == np.array(NAMES)[TRUTH]).mean() > 0.95
    assert studio.now.model is before
    assert before.classes_.tolist() == [0, 1, 2]
    studio.close()


def test_without_labels_there_is_little_to_export(tmp_path: Path) -> None:
    studio = open_clusters(tmp_path)
    assert export(studio, "labels.csv") == b"id,label,answer\n"
    for name in ("predictions.csv", "model.npz", "report.html"):
        with pytest.raises(ValueError, match="The studio must be one with a label, got none yet"):
            export(studio, name)
    studio.do({"kind": "add_class", "name": "a", "selection": {"rows": [0]}})
    with pytest.raises(ValueError, match="one with two classes, got one class"):
        export(studio, "report.html")
    table = pl.read_csv(io.BytesIO(export(studio, "predictions.csv")))
    assert set(table["label"]) == {"a"}
    with pytest.raises(ValueError, match="`name` must be one of labels"):
        export(studio, "../labels.csv")
    studio.close()


def test_formulas_are_guarded_and_come_back(tmp_path: Path) -> None:
    studio = open_clusters(tmp_path)
    studio.do({"kind": "add_class", "name": "=1+1", "selection": {"rows": [0]}})
    content = export(studio, "labels.csv").decode()
    assert "'=1+1" in content
    studio.do({"kind": "undo"})
    import_file(studio, "labels.csv", content)
    assert [one.name for one in studio.now.state.classes.values()] == ["=1+1"]
    studio.close()


def test_all_exports_have_a_maker(tmp_path: Path) -> None:
    studio = labeled(tmp_path)
    assert all(len(export(studio, name)) > 20 for name in EXPORTS)
    studio.close()


def test_a_file_that_contradicts_itself_or_is_damaged(tmp_path: Path) -> None:
    studio = labeled(tmp_path)
    version, (first, *_) = studio.now.version, studio.opened.ids
    with pytest.raises(ValueError, match=r"one label for an id, got different ones for"):
        import_file(studio, "x.csv", f"id,label\n{first},red\n{first},blue\n")
    with pytest.raises(ValueError, match=r"^(?!.*diffresnet-).*labels\.csv"):
        import_file(studio, "x.csv", "")
    assert studio.now.version == version
    studio.close()
