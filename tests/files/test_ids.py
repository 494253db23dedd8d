import warnings
from pathlib import Path

import numpy as np
import pytest

from diffresnet._support.notices import Notice
from diffresnet.files.frames import TableFile
from diffresnet.files.ids import choose_ids, tell_likely_ids


def table_of(tmp_path: Path, text: str) -> TableFile:
    (tmp_path / "a.csv").write_text(text)
    return TableFile(tmp_path / "a.csv", "F")


@pytest.mark.parametrize("name", ["ID", "Id", "customer_id", "userId", "index", "Unnamed: 0"])
def test_a_column_called_like_an_id_is_one_and_said(tmp_path: Path, name: str) -> None:
    table = table_of(tmp_path, f"x,{name},kid\n1,7,1\n1,8,2\n")
    with pytest.warns(Notice, match=f"^The ids are those of the column '{name}' of a.csv."):
        assert choose_ids(table, None, ["label"]) == name


def test_the_usual_ones_need_no_word(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert choose_ids(table_of(tmp_path, "ID,id\n7,1\n8,2\n"), None, []) == "id"
        assert choose_ids(table_of(tmp_path, "ID,id\n7,1\n8,2\n"), "ID", []) == "ID"


@pytest.mark.parametrize("text", ["ID,x\n7,1\n7,2\n", "ID,x\n7,1\n,2\n", "kid,width\n1,2\n3,4\n"])
def test_what_is_no_id(tmp_path: Path, text: str) -> None:
    assert choose_ids(table_of(tmp_path, text), None, []) is None
    assert choose_ids(table_of(tmp_path, "ID,x\n7,1\n8,2\n"), None, ["ID"]) is None


def test_features_that_look_like_ids_are_said(tmp_path: Path) -> None:
    table = table_of(tmp_path, "x\n1\n")
    n = 3000
    columns = [np.arange(n) * 7.0, np.arange(n) + 0.5, np.arange(n) // 2, np.arange(n) % 2999]
    names = ["serial", "size", "half", "nearly"]
    message = r"^Columns of a.csv that are used as features, and look like ids: 'serial'\. If they"
    with pytest.warns(Notice, match=message):
        tell_likely_ids(table, names, np.stack(columns, axis=1))
    with pytest.warns(Notice, match="'patient_id'"):
        tell_likely_ids(table, ["x", "patient_id"], np.zeros((2, 2)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tell_likely_ids(table, ["x"], np.arange(5.0)[:, None])  # too few rows to tell
        tell_likely_ids(table, ["x"], np.full((20, 1), np.inf))


@pytest.mark.parametrize("name", ["body_mass_index", "refractive index", "patient_id"])
def test_a_measurement_is_no_id(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"{name},age\n" + "".join(f"{20 + row / 7:.5f},{row}\n" for row in range(12)))
    assert choose_ids(TableFile(path, "F"), None, ()) is None
