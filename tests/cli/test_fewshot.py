import json
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from diffresnet.cli import app
from diffresnet.fewshot import TITLES
from tests.fewshot.examples import random_bank


@pytest.fixture(scope="module")
def bank_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    bank = random_bank((30,) * 8)
    path = tmp_path_factory.mktemp("banks") / "bank.npz"
    np.savez(path, features=bank.features.numpy(), labels=bank.labels.numpy())
    return path


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["fewshot", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.output


def refused(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["fewshot", *map(str, arguments)])
    assert result.exit_code == 2, result.output
    return " ".join(re.sub(r"[│╭╮╰╯─]", " ", result.output).split())


def test_one_method(bank_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "out.json"
    said = run(bank_file, "--ways", 3, "--queries", 5, "--tasks", 20, "--json", out)
    numbers = json.loads(out.read_text())
    assert numbers["method"] == "diffresnet"
    assert numbers["solver"] == "kernel"
    assert numbers["tasks"] == 20
    assert 0 < numbers["seconds_per_task"] < 10
    assert f"{100 * numbers['accuracy']:.2f} ± {100 * numbers['ci95']:.2f}" in said
    assert numbers["n_ways"] == 3
    assert numbers["split"] is None


def test_several_methods_on_the_same_tasks(bank_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    methods = ["--method", "simpleshot", "--method", "diffresnet", "--method", "simpleshot"]
    said = run(bank_file, *methods, "--queries", 5, "--tasks", 20, "--json", out)
    numbers = json.loads(out.read_text())
    first, second = numbers["results"]
    assert numbers["method"] == first["method"] == "simpleshot"
    assert first["solver"] is None
    assert first["first_minus_it"] == {"difference": 0, "ci95": 0}
    difference = first["accuracy"] - second["accuracy"]
    assert second["first_minus_it"]["difference"] == pytest.approx(difference)
    assert f"{100 * difference:+.2f} ±" in said
    alone = tmp_path / "alone.json"
    run(bank_file, "--queries", 5, "--tasks", 20, "--jobs", 2, "--json", alone)
    assert json.loads(alone.read_text())["accuracy"] == second["accuracy"]


def test_options_reach_the_method(bank_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    run(
        *(bank_file, "--method", "all", "--steps", 2, "--transforms", "l2,shift", "--ways", 2),
        *("--shots", "1,3", "--queries", 3, "--dirichlet", 2, "--tasks", 3, "--json", out),
    )
    numbers = json.loads(out.read_text())
    assert len(numbers["results"]) == len(TITLES)
    by_name = {result["method"]: result for result in numbers["results"]}
    assert "n_steps=2" in by_name["diffresnet"]["settings"]
    assert "n_steps=0" in by_name["convection"]["settings"]
    assert "n_steps=2" in by_name["diffresnet-proportions"]["settings"]
    assert by_name["ease"]["transforms"] == ["l2", "shift", "ease", "l2"]
    assert numbers["n_shots"] == [1, 3]
    assert numbers["dirichlet"] == 2


def test_balance(bank_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    names = ("diffresnet", "pt-map", "simpleshot")
    methods = [word for name in names for word in ("--method", name)]
    run(bank_file, *methods, "--balance", "inf", "--tasks", 2, "--queries", 3, "--json", out)
    settings = [result["settings"] for result in json.loads(out.read_text())["results"]]
    assert ["balance=inf" in text for text in settings] == [True, True, False]


def test_tunes_on_validation_classes(bank_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    said = run(
        *(bank_file, "--class-split", "2,3", "--method", "laplacianshot", "--ways", 2),
        *("--queries", 3, "--tasks", 5, "--tune", "--tuning-tasks", 4, "--json", out),
    )
    chosen = json.loads(out.read_text())
    assert f"tuned laplacianshot: transforms {','.join(chosen['transforms'])}; " in said
    assert chosen["settings"] in said
    assert chosen["split"] == "test"


def test_a_stopped_run_goes_on(bank_file: Path, tmp_path: Path) -> None:
    options = bank_file, "--tasks", 10, "--queries", 3, "--resume", tmp_path / "kept"
    run(*options)
    (kept,) = (tmp_path / "kept").iterdir()
    first, batch = kept.read_text().splitlines()
    content = json.loads(batch) | {"tasks": list(range(9)), "accuracies": [0.0] * 9}
    kept.write_text(f"{first}\n{json.dumps(content)}\n")
    out = tmp_path / "out.json"
    run(*options, "--json", out)
    assert json.loads(out.read_text())["accuracy"] <= 0.1  # nine are taken from the file


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--method", "maml"], "`name` must be one of 'nearest-prototype',"),
        (["--shots", "one"], "--shots must be whole numbers joined by commas, got 'one'."),
        (["--shots", "1,2"], "--shots must be one number, or one for each of 5 classes"),
        (["--shots", "40"], "got class '0' with 30 examples in the bank. Lower"),
        (["--ways", "9"], "--ways must be between 1 and the number of classes in the bank (8)"),
        (["--transforms", "l3"], "`names` must be among center,"),
        (["--class-split", "5"], "--class-split must be two numbers"),
        (["--class-split", "5,5"], "than there are classes (8), got 5 and 5."),
        (["--split", "novel"], "there is no split 'novel'"),
        (["--tune"], "--tune needs a split 'val', which the bank lacks. Divide the classes by"),
        (["--tune", "--transforms", "l2"], "--tune chooses the transforms"),
        (["--tune", "--class-split", "3,2", "--split", "all"], "2 of them are in 'val' too."),
        (
            ["--method", "tim", "--steps", "3"],
            "--steps must be left out, got it without diffresnet",
        ),
        (
            ["--method", "tim", "--balance", "0"],
            "--balance must be left out, got it without a method that has one",
        ),
        (["--balance", "-2"], "--balance must be a number of at least -1, or infinity, got -2"),
        (["--device", "abacus"], "`device` must be one that torch has, got 'abacus' ("),
        (["--dirichlet", "-1"], "--dirichlet must be a finite positive number"),
    ],
)
def test_bad_input(bank_file: Path, arguments: list[str], message: str) -> None:
    assert message in refused(bank_file, *arguments)


def test_a_file_that_is_no_bank(tmp_path: Path) -> None:
    assert "There is no file" in refused(tmp_path / "missing.npz")
    (tmp_path / "text.npz").write_text("hello")
    assert "a .npz or .npy file of plain arrays" in refused(tmp_path / "text.npz")


def test_foreign_results_are_refused(bank_file: Path, tmp_path: Path) -> None:
    run(bank_file, "--tasks", 3, "--resume", tmp_path / "kept")
    (kept,) = (tmp_path / "kept").iterdir()
    kept.write_text("{}\n")
    said = refused(bank_file, "--tasks", 3, "--resume", tmp_path / "kept")
    assert "`resume` must be a file of the same runs" in said
    assert kept.read_text() == "{}\n"
    run(bank_file, "--tasks", 3, "--shots", 2, "--resume", tmp_path / "kept")  # another file


def test_the_bank_is_not_written_over(bank_file: Path, tmp_path: Path) -> None:
    before = bank_file.read_bytes()
    assert "--json must be a file that ends in .json" in refused(bank_file, "--json", bank_file)
    assert bank_file.read_bytes() == before
    (tmp_path / "out.json").write_text("mine")
    said = refused(bank_file, "--tasks", 3, "--json", tmp_path / "out.json")
    assert "--json must be a new file" in said
    run(bank_file, "--tasks", 3, "--json", tmp_path / "out.json", "--force")
    assert "accuracy" in (tmp_path / "out.json").read_text()


def test_a_json_file_that_cannot_be_written(bank_file: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    said = refused(bank_file, "--tasks", 3, "--json", tmp_path / "file" / "out.json")
    assert "cannot write" in said
    assert "Choose another --json." in said


def test_square_brackets_in_a_split_are_shown(tmp_path: Path) -> None:
    bank = random_bank((30,) * 5)
    path = tmp_path / "bank.npz"
    split = np.full(150, "[/bold]")
    np.savez(path, features=bank.features.numpy(), labels=bank.labels.numpy(), split=split)
    assert "split '[/bold]'" in run(path, "--tasks", 3, "--split", "[/bold]")
