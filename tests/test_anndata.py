"""Labels of cells: on digits as AnnData, and on real cells where scanpy brings them."""

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier, kneighbors_graph
from typer.testing import CliRunner

import diffresnet.anndata as da
from diffresnet import DiffResNetClassifier
from diffresnet.cli import app
from diffresnet.files.cells import read_cells

anndata: Any = pytest.importorskip("anndata")
pandas: Any = pytest.importorskip("pandas")

DIGITS: Any = load_digits()
N, N_LABELED = 500, 40
TRUTH = np.array([f"digit {one}" for one in DIGITS.target[:N]])


@pytest.fixture
def cells() -> Any:
    """Digits as cells: a graph, features, 40 labels, and colors."""
    points = DIGITS.data[:N]
    links = kneighbors_graph(points, 10)
    labels = np.where(np.arange(N) < N_LABELED, TRUTH, np.array("Unknown", dtype=object))
    obs = pandas.DataFrame(
        {"kind": pandas.Categorical(labels)}, index=[f"cell{row}" for row in range(N)]
    )
    cells = anndata.AnnData(sparse.csr_matrix(points), obs=obs)
    cells.obsm["X_pca"] = points
    cells.obsp["connectivities"] = links + links.T
    names = list(obs["kind"].cat.categories)
    cells.uns["kind_colors"] = [f"#0000{place:02x}" for place in range(len(names))]
    return cells


def accuracy(cells: Any, column: str) -> float:
    return float((cells.obs[column].astype(str) == TRUTH)[N_LABELED:].mean())


def test_every_cell_gets_a_label(cells: Any) -> None:
    model = da.transfer_labels(cells, "kind")
    assert accuracy(cells, "kind_diffresnet") > 0.9
    assert list(cells.obs["kind_diffresnet"].cat.categories) == sorted(set(TRUTH))
    wanted = DiffResNetClassifier().fit(
        cells.obsm["X_pca"],
        [None if one == "Unknown" else one for one in cells.obs["kind"]],
        graph=cells.obsp["connectivities"],
    )
    assert np.array_equal(cells.obsm["kind_diffresnet_probabilities"], wanted.label_distributions_)
    assert cells.obs["kind_diffresnet_probability"].between(0, 1).all()
    assert (cells.obs["kind_diffresnet_margin"] <= cells.obs["kind_diffresnet_probability"]).all()
    assert cells.obs["kind_diffresnet_reached"].all()
    assert cells.uns["kind_diffresnet"]["diagnosis"][0] == "40 of 500 points have a label."
    assert cells.uns["kind_diffresnet_colors"].tolist() == cells.uns["kind_colors"][1:]
    assert cells.obs.index[0] == "cell0"
    assert len(model.suggest(3)) == 3


def test_the_model_goes_on(cells: Any) -> None:
    model = da.transfer_labels(cells, "kind", key_added="now", model=DiffResNetClassifier(8))
    rows = model.suggest(10)
    model.update_labels(rows, TRUTH[rows])
    da.write_labels(cells, "kind", model, key_added="now")
    assert (cells.obs["now"].to_numpy()[rows] == TRUTH[rows]).all()
    assert "kind_diffresnet" not in cells.obs
    with pytest.raises(ValueError, match=r"write_labels: `adata` must be of 500 cells"):
        da.write_labels(cells[:10].copy(), "kind", model)


def test_features_or_a_graph_alone_will_do(cells: Any) -> None:
    graph = cells.obsp.pop("connectivities")
    da.transfer_labels(cells, "kind")
    assert accuracy(cells, "kind_diffresnet") > 0.9
    del cells.obsm["X_pca"]
    da.transfer_labels(cells, "kind", use_rep="X", key_added="by X")
    assert accuracy(cells, "by X") > 0.9
    cells.obsp["mine_connectivities"] = graph
    cells.uns["mine"] = {"connectivities_key": "mine_connectivities"}
    da.transfer_labels(cells, "kind", neighbors_key="mine", key_added="by graph")
    assert accuracy(cells, "by graph") > 0.85


def test_missing_labels_and_numbers(cells: Any) -> None:
    numbers = DIGITS.target[:N].astype(float)
    numbers[N_LABELED:] = np.nan
    cells.obs["number"] = numbers
    da.transfer_labels(cells, "number")
    found = cells.obs["number_diffresnet"].astype(int).to_numpy()
    assert (found == DIGITS.target[:N]).mean() > 0.9
    assert "number_diffresnet_colors" not in cells.uns


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"key": "no"}, r"transfer_labels: `adata` must be cells with the column 'no' in obs, got"),
        ({"use_rep": "X_no"}, r"cells with 'X_no' in obsm, got 'X_pca'\. Choose one"),
        ({"neighbors_key": "no"}, r"cells with these `neighbors_key` in uns, got 'no', beside"),
    ],
)
def test_what_is_not_there(cells: Any, arguments: dict[str, Any], message: str) -> None:
    call: Any = da.transfer_labels
    with pytest.raises(ValueError, match=message):
        call(cells, **({"key": "kind"} | arguments))


def test_neither_graph_nor_features(cells: Any) -> None:
    cells.uns["mine"] = {}
    with pytest.raises(ValueError, match=r"cells with the graph 'mine_connectivities' in obsp"):
        da.transfer_labels(cells, "kind", neighbors_key="mine")
    del cells.obsp["connectivities"], cells.obsm["X_pca"]
    with pytest.raises(ValueError, match=r"in obsm, got neither\. Run scanpy's pp\.neighbors"):
        da.transfer_labels(cells, "kind")


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, [*map(str, arguments)])
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


def test_the_command_reads_and_writes_cells(
    cells: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    cells.write_h5ad("cells.h5ad")
    said = run("classify", "cells.h5ad", "--label-column", "kind", "--out", "new.h5ad")
    assert "500 points, 40 with a label" in said
    found = anndata.read_h5ad("new.h5ad")
    assert accuracy(found, "kind_diffresnet") > 0.9
    assert (found.X != cells.X).nnz == 0
    model = da.transfer_labels(cells, "kind")
    assert (found.obs["kind_diffresnet"] == cells.obs["kind_diffresnet"]).all()
    run("classify", "cells.h5ad", "--label-column", "kind", "--save", "m.npz")
    table = pl.read_csv("predictions.csv")
    assert table["label"].to_list() == model.transduction_.tolist()
    assert table["id"][0] == "cell0"
    run("predict", "m.npz", "cells.h5ad")
    assert (pl.read_csv("cells_predictions.csv")["label"].to_numpy() == TRUTH).mean() > 0.9
    assert "'no' in obs" in run("classify", "cells.h5ad", "--label-column", "no", code=2)
    Path("bad.h5ad").write_text("no")
    assert "an .h5ad file that anndata can read" in run("classify", "bad.h5ad", code=2)


def test_numbers_and_slashes_in_files(cells: Any, tmp_path: Path) -> None:
    numbers = np.where(np.arange(N) < N_LABELED, DIGITS.target[:N], -1)
    cells.obs["a/b"] = pandas.Categorical([None if one < 0 else one for one in numbers.tolist()])
    path, out = tmp_path / "x.h5ad", tmp_path / "y.H5AD"
    model = tmp_path / "m.npz"
    cells.obs.rename(columns={"a/b": "number"}, inplace=True)
    cells.write_h5ad(path)
    column = ["--label-column", "number"]
    words = ["classify", str(path), *column, "--out", str(out), "--save", str(model)]
    ended = CliRunner().invoke(app, words)
    assert ended.exit_code == 0, ended.output
    found = anndata.read_h5ad(out)
    assert set(found.obs["number_diffresnet"].cat.categories) == set("0123456789")
    again = tmp_path / "z.h5ad"
    ended = CliRunner().invoke(
        app, ["predict", str(model), str(path), *column, "--out", str(again)]
    )
    assert ended.exit_code == 0, ended.output
    same = anndata.read_h5ad(again).obs["number_diffresnet"]
    assert (same.astype(str) == found.obs["number_diffresnet"].astype(str)).mean() > 0.95


def test_names_that_a_file_could_not_hold(cells: Any, tmp_path: Path) -> None:
    cells.obs["a/b"] = cells.obs["kind"]
    da.transfer_labels(cells, "a/b")
    assert "a_b_diffresnet" in cells.obs
    with pytest.raises(ValueError, match="`key_added` must be a name without '/', got 'x/y'"):
        da.transfer_labels(cells, "kind", key_added="x/y")
    del cells.obs["a/b"]
    cells.write_h5ad(tmp_path / "x.h5ad")
    kept = anndata.read_h5ad(tmp_path / "x.h5ad")
    assert kept.obsm["a_b_diffresnet_probabilities"].shape == (N, 10)


def test_other_objects(cells: Any) -> None:
    with pytest.raises(ValueError, match="`adata` must be an AnnData object, got dict"):
        da.transfer_labels({}, "kind")
    cells.uns["odd"] = "a text"
    with pytest.raises(ValueError, match="with these `neighbors_key` in uns"):
        da.transfer_labels(cells, "kind", neighbors_key="odd")
    cells.obs["all"] = pandas.Categorical(TRUTH)
    model = da.transfer_labels(cells, "kind", unlabeled=None)
    assert "Unknown" in model.classes_.tolist()
    cells.obsm["sparse"] = sparse.csr_matrix(DIGITS.data[:N])
    da.transfer_labels(cells, "kind", use_rep="sparse")
    cells.X = None
    with pytest.raises(ValueError, match="must be cells with a matrix X, got none"):
        da.transfer_labels(cells, "kind", use_rep="X")


def test_without_the_library(cells: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "cells.h5ad"
    cells.write_h5ad(path)
    monkeypatch.setitem(sys.modules, "anndata", None)
    said = run("classify", path, "--label-column", "kind", code=2)
    assert "reading cells.h5ad needs `anndata`. Run `pip install 'diffresnet[cells]'`." in said


def test_real_cells() -> None:
    place = find_spec("scanpy")
    if place is None or place.origin is None:
        pytest.skip("scanpy, whose package brings 700 cells, is not installed")
    path = Path(place.origin).parent / "datasets/10x_pbmc68k_reduced.h5ad"
    cells = read_cells(path, "path")
    truth = cells.obs["bulk_labels"].astype(str).to_numpy()
    is_labeled = np.random.default_rng(0).random(len(truth)) < 0.1
    cells.obs["few"] = pandas.Categorical(np.where(is_labeled, truth, "unknown"))
    da.transfer_labels(cells, "few")
    right = cells.obs["few_diffresnet"].astype(str).to_numpy() == truth
    vote = KNeighborsClassifier(15).fit(cells.obsm["X_pca"][is_labeled], truth[is_labeled])
    voted = vote.predict(cells.obsm["X_pca"][~is_labeled]) == truth[~is_labeled]
    assert right[~is_labeled].mean() > voted.mean() + 0.02
