import json
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from diffresnet.cli import app
from tests.nodes.examples import clusters
from tests.nodes.test_reading import save_graph

SMALL = ["--splits", "2", "--inits", "2", "--train-nodes", "5", "--validation-nodes", "5"]


@pytest.fixture
def graph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    made = clusters()
    names = ("train_mask", "val_mask", "test_mask")
    masks = {name: np.arange(120) % 8 == place for place, name in enumerate(names)}
    links, words = made.adjacency.toarray(), made.features.toarray()
    return save_graph(tmp_path / "clusters.npz", links, words, made.labels, **masks)


def test_table_and_file(graph: Path) -> None:
    words = ["nodes", str(graph), *SMALL, "--solver", "kernel", "--json", "out/numbers.json"]
    words += ["--resume", "kept"]
    words += ["--method", "diffresnet", "--method", "label-propagation"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert "20 train" not in result.output
    sizes = "The first split: 15 nodes to learn from, 15 nodes to validate, 90 nodes to test. "
    assert f"{sizes}Labeled neighbors have equal labels in " in " ".join(result.output.split())
    assert "5 train and 5 validation nodes per class, seed 42" in result.output
    shown = json.loads(Path("out/numbers.json").read_text())
    assert shown["protocol"].endswith("2 splits x 1 inits")
    assert {"accuracy_mean", "accuracy_std", "runs", "seconds_per_run"} <= set(shown)
    assert [one["method"] for one in shown["results"]] == [
        "Diff-ResNet, channels",
        "label propagation",
    ]
    again = CliRunner().invoke(app, [*words, "--force"])
    assert json.loads(Path("out/numbers.json").read_text()) == shown  # nothing is run twice
    assert again.exit_code == 0
    assert len(list(Path("kept").iterdir())) == 2


def test_proportions_adapted(graph: Path) -> None:
    words = ["nodes", str(graph), *SMALL, "--method", "diffusion-kernel", "--adapt-proportions"]
    result = CliRunner().invoke(app, [*words, "--json", "numbers.json"])
    assert result.exit_code == 0, result.output
    shown = json.loads(Path("numbers.json").read_text())
    assert shown["method"] == "Diff-ResNet, kernel, proportions adapted"
    assert shown["accuracy_mean"] > 0.9


def test_settings_and_the_split_of_the_file(graph: Path) -> None:
    words = ["nodes", str(graph), "--given-split", "--inits", "1", "--resume", "kept"]
    words += ["--step-size", "0.3", "--steps", "2", "--dropout", "0", "--json", "numbers.json"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    shown = json.loads(Path("numbers.json").read_text())
    assert shown["settings"].startswith("TrainedDiffResNet(step_size=0.3, n_steps=2, dropout=0.0")
    assert "the split that comes with the data" in shown["protocol"]
    assert Path("kept").is_dir()


def test_a_given_split_without_a_class_says_so(tmp_path: Path) -> None:
    made, order = clusters(), np.arange(120) % 4
    masks = {
        "train_mask": (order == 0) & (made.labels > 0),
        "val_mask": np.zeros(120, dtype=bool),
        "test_mask": order > 0,
    }
    links, words = made.adjacency.toarray(), made.features.toarray()
    path = save_graph(tmp_path / "given.npz", links, words, made.labels, **masks)
    given = ["nodes", str(path), "--given-split", "--solver", "kernel"]
    result = CliRunner().invoke(app, given, env={"COLUMNS": "300"})
    assert result.exit_code == 0, result.output
    assert "90 nodes to test. No node to learn from is of 1 class." in result.output
    assert "to validate" not in result.output


def test_without_validation_nodes(graph: Path) -> None:
    words = ["nodes", str(graph), *SMALL[:-1], "0"]
    result = CliRunner().invoke(app, words, env={"COLUMNS": "300"})
    assert result.exit_code == 2
    assert "--validation-nodes must be at least 1, got no validation nodes with" in result.output
    assert [path.name for path in Path().iterdir()] == [graph.name]
    assert CliRunner().invoke(app, [*words, "--solver", "kernel"]).exit_code == 0
    adapted = CliRunner().invoke(app, [*words, "--solver", "kernel", "--adapt-proportions"])
    assert adapted.exit_code == 2


def test_stopped_by_the_user(graph: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("diffresnet.paper.nodes.plan.run_protocol", stop)
    result = CliRunner().invoke(app, ["nodes", str(graph), *SMALL, "--resume", "kept"])
    assert result.exit_code == 130
    assert "Stopped. The same command goes on from kept." in result.output


def test_no_place_for_the_runs(graph: Path) -> None:
    Path("kept").write_text("a file")
    words = ["nodes", str(graph), *SMALL, "--method", "kernel", "--resume", "kept"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2
    assert "cannot write to kept" in result.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--train-nodes", "60"], "nodes of each class"),
        (["--method", "resnet"], "one of 'diffresnet'"),
        (["--train-nodes", "2", "--validation-nodes", "2", "--dropout", "1"], "below 1"),
        (["--standardize", "both"], "--standardize must be"),
        (["--solver", "kernel", "--steps", "3"], "must be left out, got them without a network"),
        (["--solver", "kernel", "--method", "gcn"], "--solver must be 'train'"),
        (["--train-nodes", "20", "--validation-nodes", "20"], "left with nodes to test"),
        (["--solver", "kernel", "--method", "bogus"], "one of 'diffresnet'"),
        (["--given-split", "--splits", "3"], "must be left out, got one of them with"),
    ],
)
def test_wrong_options(graph: Path, words: list[str], message: str) -> None:
    result = CliRunner().invoke(app, ["nodes", str(graph), *words], env={"COLUMNS": "300"})
    assert result.exit_code == 2
    assert message in result.output
    assert [path.name for path in Path().iterdir()] == [graph.name]


def test_a_missing_extra_is_said_before_anything_runs(
    graph: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch_geometric", None)
    words = ["nodes", str(graph), *SMALL, "--method", "kernel", "--method", "gcn"]
    result = CliRunner().invoke(app, [*words, "--resume", "kept"], env={"COLUMNS": "300"})
    assert result.exit_code == 2
    assert "gcn needs `torch_geometric`. Run `pip install 'diffresnet[graphs]'`." in result.output
    assert not Path("kept").exists()


def test_predictions_of_nodes_without_a_label(tmp_path: Path) -> None:
    made = clusters()
    hidden = np.arange(120) % 3 > 0
    labels = np.where(hidden, -1, made.labels)
    links, words = made.adjacency.toarray(), made.features.toarray()
    path = save_graph(tmp_path / "some.npz", links, words, labels)
    out = tmp_path / "labels.csv"
    result = CliRunner().invoke(app, ["nodes", str(path), "--predict", str(out)])
    assert result.exit_code == 0, result.output
    assert "80 labels by Diff-ResNet, channels, learned from 40" in result.output
    rows = [line.split(",") for line in out.read_text().splitlines()]
    assert rows[0] == ["id", "label", "probability", "margin", "reached"]
    assert [int(row[0]) for row in rows[1:]] == np.flatnonzero(hidden).tolist()
    right = [row[1] == str(made.labels[int(row[0])]) for row in rows[1:]]
    assert np.mean(right) > 0.9
    again = CliRunner().invoke(app, ["nodes", str(path), "--predict", str(out)])
    assert again.exit_code == 2  # it is there
    assert "No label reaches" not in result.output
    apart = np.flatnonzero(hidden)[:2]
    links[apart], links[:, apart] = 0, 0
    torn = save_graph(tmp_path / "torn.npz", links, words, labels)
    result = CliRunner().invoke(app, ["nodes", str(torn), "--predict", str(out), "--force"])
    assert result.exit_code == 0, result.output
    assert "No label reaches 2 nodes (`reached` is false): what" in " ".join(result.output.split())
    full = save_graph(tmp_path / "full.npz", links, words, made.labels)
    refused = CliRunner().invoke(
        app, ["nodes", str(full), "--predict", "new.csv"], env={"COLUMNS": "300"}
    )
    assert refused.exit_code == 2
    assert "some nodes with a label and some without, got 120 of 120" in refused.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--seed", "7", "--adapt-proportions"], "got --seed, --adapt-proportions beside it"),
        (["--json", "a.json", "--splits", "2"], "got --splits, --json beside it"),
        (["--method", "gcn", "--method", "mlp"], "--method must be a single one beside --predict"),
        (["--method", "all"], "--method must be a single one beside --predict, got all"),
    ],
)
def test_options_that_predictions_do_not_heed_are_refused(words: list[str], said: str) -> None:
    asked = ["nodes", "none.npz", "--predict", "out.csv", *words]
    result = CliRunner().invoke(app, asked, env={"COLUMNS": "300"})
    assert result.exit_code == 2
    assert said in result.output
