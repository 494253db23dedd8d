import csv
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from typer.testing import CliRunner

from diffresnet.cli import app
from diffresnet.estimators import solution
from diffresnet.learning.sampling import LabelSampling

N = 40


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with two clouds of points, one label each, and their graph."""
    monkeypatch.chdir(tmp_path)
    generator = np.random.default_rng(0)
    points = generator.normal(size=(N, 3)) + 4 * (np.arange(N) >= N / 2)[:, None]
    rows = [f"p{row:02},{','.join(f'{x:.4f}' for x in p)}" for row, p in enumerate(points)]
    Path("features.csv").write_text("\n".join(["id,x,y,z", *rows]))
    Path("ids.csv").write_text("\n".join(["id", *(row[:3] for row in rows)]))
    Path("labels.csv").write_text("id,label\np00,cat\np39,dog\n")
    links = [f"p{row:02},p{row + 1:02}" for row in range(N - 1) if row != N // 2 - 1]
    Path("edges.csv").write_text("\n".join(["from,to", *links]))
    np.savez("features.npz", features=points, labels=[0, *[-1] * (N - 2), 1])
    return tmp_path


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["classify", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.output


def refused(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["classify", *map(str, arguments)])
    assert result.exit_code == 2, result.output
    return " ".join(re.sub(r"[│╭╮╰╯─]", " ", result.output).split())


def predicted(path: str = "predictions.csv") -> list[str]:
    with Path(path).open() as stream:
        return [row["label"] for row in csv.DictReader(stream)]


EXPECTED = ["cat"] * (N // 2) + ["dog"] * (N // 2)


@pytest.mark.usefixtures("folder")
def test_a_csv_and_its_labels() -> None:
    said = run("features.csv", "--labels", "labels.csv")
    assert predicted() == EXPECTED
    assert "40 points, 2 with a label" in said
    assert re.search(r"│ cat +│ +1 │ +19 │ +[01]\.\d\d │", said)
    assert "2 of 40 points have a label." in said
    assert "wrote predictions.csv" in said
    assert "Label next" not in said


@pytest.mark.usefixtures("folder")
def test_labels_inside_and_parquet() -> None:
    frame = pl.read_csv("features.csv")
    labels = ["cat", *[None] * (N - 2), "dog"]
    frame.with_columns(pl.Series("kind", labels)).write_parquet("all.parquet")
    run("all.parquet", "--label-column", "kind", "--out", "new/p.parquet")
    assert pl.read_parquet("new/p.parquet")["label"].to_list() == EXPECTED


@pytest.mark.usefixtures("folder")
def test_numpy_files() -> None:
    run("features.npz")
    assert predicted() == ["0"] * (N // 2) + ["1"] * (N // 2)
    with np.load("features.npz") as file:
        for kind in ("f8", "f4", "f2"):
            np.save(f"{kind}.npy", file["features"].astype(kind))
            np.save("labels.npy", file["labels"])
            run(f"{kind}.npy", "--labels", "labels.npy", "--out", f"{kind}.csv")
            assert predicted(f"{kind}.csv") == predicted()


@pytest.mark.usefixtures("folder")
def test_labels_in_both_files() -> None:
    np.save("labels.npy", ["cat", *[""] * (N - 2), "dog"])
    said = run("features.npz", "--labels", "labels.npy")
    assert "The labels in features.npz ('label') are ignored: --labels is used." in said
    assert predicted() == EXPECTED


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("features", ["features.csv", "ids.csv"])
def test_a_graph_of_links(features: str) -> None:
    run(features, "--labels", "labels.csv", "--graph", "edges.csv")
    assert predicted() == EXPECTED


@pytest.mark.usefixtures("folder")
def test_points_out_of_reach_are_one_sentence() -> None:
    near = np.eye(N, k=1)
    near[[9, 19, 29]] = 0
    sparse.save_npz("links.npz", sparse.csr_array(near))
    said = run("ids.csv", "--labels", "labels.csv", "--graph", "links.npz", "--suggest", 2)
    assert "Not connected to any label: 20 points, which get the class prior. Label some" in said
    assert "Warning" not in said
    named = re.search(r"Label next: p(\d\d), p(\d\d)\.", said)
    assert named is not None
    assert all(10 <= int(place) < 30 for place in named.groups())


@pytest.mark.usefixtures("folder")
def test_suggestions_where_all_is_known() -> None:
    np.save("labels.npy", np.arange(N) % 2)
    assert "Label next: nothing" in run("features.npz", "--labels", "labels.npy", "--suggest", 3)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("arguments", [[], ["--labels", "empty.csv"]])
def test_the_first_labels(arguments: list[str]) -> None:
    Path("empty.csv").write_text("id,label\np00,\n")
    Path("predictions.csv").write_text("mine")
    said = run("features.csv", *arguments, "--suggest", 4)
    named = re.search(r"Label first: (p\d\d, p\d\d, p\d\d, p\d\d)\.", said)
    assert named is not None
    assert "Fill in the column of labels in suggestions.csv, and pass it as --labels." in said
    assert Path("predictions.csv").read_text() == "mine"
    rows = Path("suggestions.csv").read_text().splitlines()
    assert rows == ["id,label", *(f"{name}," for name in named[1].split(", "))]
    filled = [row + ("cat" if row < "p20" else "dog") for row in rows[1:]]
    Path("suggestions.csv").write_text("\n".join([rows[0], *filled]))
    more = ("--suggestions", "more.csv", "--suggest", 2)
    run("features.csv", "--labels", "suggestions.csv", "--force", *more)
    assert predicted() == EXPECTED
    rows = Path("more.csv").read_text().splitlines()
    assert len(rows) == 7
    assert all(row.endswith(",") for row in rows[1:3])
    assert sorted(rows[3:]) == sorted(filled)


@pytest.mark.usefixtures("folder")
def test_labels_of_one_class_are_kept_when_more_are_suggested() -> None:
    Path("one.csv").write_text("id,label\np00,cat\np39,cat\n")
    assert "got one class only" in refused("features.csv", "--labels", "one.csv")
    run("features.csv", "--labels", "one.csv", "--suggestions", "more.csv")
    rows = Path("more.csv").read_text().splitlines()
    assert len(rows) == 13
    assert rows[-2:] == ["p00,cat", "p39,cat"]
    assert not {"p00,", "p39,"} & set(rows)


@pytest.mark.usefixtures("folder")
def test_first_labels_of_a_graph_and_of_texts() -> None:
    run("ids.csv", "--graph", "edges.csv", "--suggest", 2, "--suggestions", "graph.csv")
    halves = {int(row[1:3]) < N // 2 for row in Path("graph.csv").read_text().splitlines()[1:]}
    assert halves == {True, False}
    features = np.load("features.npz")["features"]
    np.savez("texts.npz", features=features, texts=[f"say {row}" for row in range(N)])
    run("texts.npz", "--suggest", 3)
    rows = Path("suggestions.csv").read_text().splitlines()
    assert rows[0] == "id,label,text"
    assert all(re.fullmatch(r"(\d+),,say \1", row) for row in rows[1:])


@pytest.mark.usefixtures("folder")
def test_suggestions_overwrite_nothing() -> None:
    Path("suggestions.csv").write_text("mine")
    assert "--suggestions must be a new file" in refused("features.csv", "--suggest", 3)
    assert Path("suggestions.csv").read_text() == "mine"
    for option, path in (("--report", "page.html"), ("--out", "o.csv"), ("--save", "m.npz")):
        said = refused("features.csv", "--suggest", 3, option, path)
        assert f"{option} must be left out where there is nothing to write yet" in said
    assert "--curve must be left out" in refused("features.csv", "--suggest", 3, "--curve")
    Path("suggestions.csv").write_text("id,label\np00,\n")
    assert "or pass --force" in refused("features.csv", "--suggest", 3)
    run("features.csv", "--suggest", 3, "--force")
    run("features.csv", "--suggest", 3, "--force")


@pytest.mark.usefixtures("folder")
def test_suggestions_that_were_filled_in_are_not_lost() -> None:
    Path("filled.csv").write_text("id,label\np00,cat\np01,cat\np02,\n")
    options = ("--suggest", 3, "--suggestions", "filled.csv", "--force")
    for labels, lost in ([], "2 labels"), (["--labels", "labels.csv"], "1 label"):
        said = refused("features.csv", *labels, *options)
        assert f"got filled.csv, with {lost} that would be lost" in said
        assert "Pass --labels filled.csv, and choose another --suggestions." in said
        assert refused("features.csv", *labels, *options[:-1]) == said
    assert Path("filled.csv").read_text() == "id,label\np00,cat\np01,cat\np02,\n"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "content", ["mine", "id,label\np00,cat, striped\n", "id;note;class\np00;a;cat\n"]
)
def test_suggestions_replace_no_other_file(content: str) -> None:
    Path("own.csv").write_text(content)
    options = ("--suggest", 3, "--suggestions", "own.csv", "--force")
    assert "a new file, or a table of suggestions" in refused("features.csv", *options)
    assert Path("own.csv").read_text() == content


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("solver", ["mixture", "kernel", "network"])
def test_every_solver(solver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str]] = []
    make = solution.make_solver

    def spy(
        name: solution.SolverName, sampling: LabelSampling, before: None, device: str
    ) -> object:
        asked.append((name, sampling))
        return make(name, sampling, before, device)

    monkeypatch.setattr("diffresnet.estimators.solving.make_solver", spy)
    drawn = ("--label-sampling", "per class")
    run("features.csv", "--labels", "labels.csv", "--solver", solver, *drawn)
    assert asked == [(solver, "per class")]


@pytest.mark.usefixtures("folder")
def test_options_reach_the_classifier() -> None:
    said = run(
        *("features.csv", "--labels", "labels.csv", "--steps", 4, "--prior", "uniform"),
        *("--n-top", 5, "--seed", 3),
    )
    assert "Diffusion has the strength 2: the larger, the farther labels spread." in said
    assert "A point has 1" not in said  # fewer links than the ten or more of the default


@pytest.mark.usefixtures("folder")
def test_many_classes_are_cut_short() -> None:
    np.save("labels.npy", np.arange(N))
    said = run("features.npz", "--labels", "labels.npy")
    assert "The file has 10 classes more." in said


@pytest.mark.usefixtures("folder")
def test_words_for_nothing_are_no_label_and_said() -> None:
    Path("labels.csv").write_text("id;label\np00;1\np01;-1\np38;NA\np39;2\n")
    said = run("features.csv", "--labels", "labels.csv")
    assert "labels.csv has semicolons between its columns, and is read so." in said
    assert "labels.csv: '-1' (1 time), 'NA' (1 time) among the labels means no label." in said
    assert "Notice" not in said
    assert predicted() == ["1"] * (N // 2) + ["2"] * (N // 2)


@pytest.mark.usefixtures("folder")
def test_nothing_is_overwritten_unasked() -> None:
    Path("predictions.csv").write_text("mine")
    said = refused("features.csv", "--labels", "labels.csv")
    assert "--out must be a new file, got predictions.csv, which exists." in said
    assert Path("predictions.csv").read_text() == "mine"
    run("features.csv", "--labels", "labels.csv", "--force")
    assert predicted() == EXPECTED
    same = ("--out", "features.csv", "--force")
    assert "those that are used" in refused("features.csv", "--labels", "labels.csv", *same)


@pytest.mark.usefixtures("folder")
def test_a_page() -> None:
    said = run("features.csv", "--labels", "labels.csv", "--report", "page.html")
    assert "wrote page.html" in said
    page = Path("page.html").read_text()
    assert "features.csv" in page
    assert "p39" in page


@pytest.mark.usefixtures("folder")
def test_a_learning_curve(monkeypatch: pytest.MonkeyPatch) -> None:
    np.save("labels.npy", [*(["cat"] * 4), *[""] * (N - 8), *(["dog"] * 4)])
    given = ("features.npz", "--labels", "labels.npy", "--force")
    assert "by the number of labels:" not in run(*given)
    assert "by the number of labels:" in run(*given, "--curve")
    assert "by the number of labels:" in run(*given, "--report", "page.html")
    assert "More labels?" in Path("page.html").read_text()
    assert "by the number of labels:" not in run(*given, "--report", "page.html", "--no-curve")
    monkeypatch.setattr("diffresnet.cli.fitting.MOST_LABELS", 7)
    assert "by the number of labels:" not in run(*given, "--report", "page.html")
    one_each = ("features.csv", "--labels", "labels.csv", "--force")
    assert "Label a second point of a class." in refused(*one_each, "--curve")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.csv"], "FEATURES must be a file that exists, got none.csv."),
        (["none/"], "FEATURES must be a file or folder that exists, got none. Check its name."),
        (["features.csv"], "--labels must be given, or FEATURES must have a column 'label'"),
        (["features.csv"], "--label-column NAME, or --suggest 10 to be told what to label first."),
        (["features.csv", "--labels", "edges.csv"], "a table with a column 'label', got edges.csv"),
        (["ids.csv", "--labels", "labels.csv"], "FEATURES must be a file with features, got ids"),
        (["features.npz", "--steps", "few"], "--steps must be a whole number or auto, got 'few'."),
        (["features.npz", "--report", "page.pdf"], "--report must be a file that ends in .html"),
        (["features.npz", "--graph", "edges.csv"], "links of ids in FEATURES, got 38 that"),
    ],
)
def test_bad_input(arguments: list[str], message: str) -> None:
    said = refused(*arguments)
    assert message in said
    assert not Path("predictions.csv").exists()


@pytest.mark.usefixtures("folder")
def test_hostile_names_are_neither_obeyed_nor_run() -> None:
    formula, escape = "=cmd|'/c calc'!A1", "[/red]\x1b[2J"
    text = Path("features.csv").read_text().replace("p00", formula).replace("p01", escape)
    Path("features.csv").write_text(text)
    Path("labels.csv").write_text(f"id,label\n{formula},+cat\np39,{escape}\n")
    said = run("features.csv", "--labels", "labels.csv", "--suggest", 38, "--suggestions", "s.csv")
    assert "\x1b" not in said
    assert r"[/red]\x1b[2J" in said
    for name in ("predictions.csv", "s.csv"):
        assert f"'{formula},'+cat" in Path(name).read_text()
    again = run("features.csv", "--labels", "s.csv", "--out", "again.csv")
    assert "2 of 40 points have a label." in again
    assert Path("again.csv").read_bytes() == Path("predictions.csv").read_bytes()
    run("features.csv", "--labels", "labels.csv", "--out", "p.parquet")
    assert pl.read_parquet("p.parquet")["id"][0] == formula
    said = refused("features.csv", "--labels", "labels.csv", "--id-column", "\x1b[2J")
    assert "\x1b" not in said


def parts_of(n_parts: int = 4) -> Path:
    """Write the points into a folder of Parquet files, as embeddings."""
    frame = pl.read_csv("features.csv")
    frame = frame.select("id", pl.concat_list("x", "y", "z").cast(pl.List(pl.Float32)).alias("v"))
    Path("points").mkdir()
    for place, begin in enumerate(range(0, N, N // n_parts)):
        frame[begin : begin + N // n_parts].write_parquet(f"points/{place}.parquet")
    return Path("points")


@pytest.mark.usefixtures("folder")
def test_a_folder_of_parquet_files() -> None:
    said = run(parts_of(), "--labels", "labels.csv", "--report", "page.html")
    assert "wrote predictions\n" in said
    assert [path.name for path in Path("predictions").iterdir()] == ["part-00000.parquet"]
    found = pl.read_parquet("predictions")
    assert found["id"].to_list() == [f"p{row:02}" for row in range(N)]
    assert found["label"].to_list() == EXPECTED
    run("points", "--labels", "labels.csv", "--out", "p.csv")
    assert predicted("p.csv") == EXPECTED


@pytest.mark.usefixtures("folder")
def test_a_folder_for_the_predictions_of_a_file() -> None:
    run("features.csv", "--labels", "labels.csv", "--out", "new/out/")
    assert pl.read_parquet("new/out")["label"].to_list() == EXPECTED
    said = refused("features.csv", "--labels", "labels.csv", "--out", "new/out")
    assert "--out must be a new folder, got new/out, which exists. Choose another --out" in said
    run("features.csv", "--labels", "labels.csv", "--out", "new/out", "--force")
    assert [path.name for path in Path("new").iterdir()] == ["out"]
    said = refused("features.csv", "--labels", "labels.csv", "--out", ".", "--force")
    assert "--out must be a folder of its own, got ., the one you are in" in said
    Path("other").mkdir()
    Path("other/file.txt").touch()
    said = refused("features.csv", "--labels", "labels.csv", "--out", "other", "--force")
    assert "--out must be a new folder, or one with part-*.parquet only, got other with" in said


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out", "points"], "--out must be another folder than those that are used, got points"),
        (["--out", "points/p.parquet"], "another file than those that are used, got points/p.parq"),
        (["--out", "o", "--report", "o/p.html"], "--report must be another file than those that a"),
        (["--labels", "strange.csv"], "labels of ids in FEATURES, got 1 that FEATURES does not ha"),
        (["--label-column", "kind"], "--label-column must be one of the columns of points ('id', "),
        (["--out", "o.json"], "--out must be a file that ends in .csv or .parquet, got o.json."),
    ],
)
def test_bad_input_beside_a_folder(arguments: list[str], message: str) -> None:
    Path("strange.csv").write_text("id,label\np00,cat\np39,dog\nq,dog\n")
    given = arguments if "-label" in arguments[0] else ["--labels", "labels.csv", *arguments]
    before = {path.name for path in [*Path().iterdir(), *parts_of().iterdir()]} | {"points"}
    assert message in refused("points", *given)
    assert {path.name for path in [*Path().iterdir(), *Path("points").iterdir()]} == before


@pytest.mark.usefixtures("folder")
def test_a_damaged_file_of_a_folder_is_named() -> None:
    path = parts_of() / "2.parquet"
    path.write_bytes(path.read_bytes()[:-20])
    said = refused("points", "--labels", "labels.csv")
    assert "FEATURES must be a .parquet table, got points/2.parquet (" in said
    assert not Path("predictions").exists()


@pytest.mark.usefixtures("folder")
def test_the_report_shows_what_changed_since_an_earlier_run() -> None:
    run("features.csv", "--labels", "labels.csv")
    Path("predictions.csv").rename("earlier.csv")
    run("features.csv", "--labels", "labels.csv", "--report", "page.html", "--since", "earlier.csv")
    assert "0 of 40 points have another class now." in Path("page.html").read_text()
    said = refused("features.csv", "--labels", "labels.csv", "--since", "earlier.csv", "--force")
    assert "--since must be given with --report, got it alone. Pass --report page.html" in said
    missing = ("--report", "other.html", "--since", "nothing.csv", "--force")
    assert "--since" in refused("features.csv", "--labels", "labels.csv", *missing)
    assert not Path("other.html").exists()


@pytest.mark.usefixtures("folder")
def test_a_column_of_labels_that_are_not_asked_for_is_said_to_be_a_feature() -> None:
    rows = "".join(f"{k},{k % 2},{0.1 * k},{['A', 'B', ''][k % 3]}\n" for k in range(30))
    Path("two.csv").write_text(f"id,label,a,kind\n{rows}")
    said = run("two.csv", "--label-column", "kind")
    assert "The column 'label' is taken as a feature: --label-column is 'kind'." in said
