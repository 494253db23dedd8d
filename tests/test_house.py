"""The house stays tidy: sizes that one reads at a sitting, and one home for each idea."""

import ast
from collections.abc import Iterator
from pathlib import Path

import diffresnet

SOURCES = Path(diffresnet.__file__).parent
MOST_LINES = 300
MOST_CODE = 50
"""Lines of code of a function, without its signature and docstring."""

ONE_HOME = (
    "adapt_proportions",
    "arc_cosine",
    "attach_points",
    "class_means",
    "count",
    "encode_csv",
    "encode_labels",
    "end_with",
    "half_interval",
    "is_missing",
    "limited_threads",
    "make_page",
    "members_of",
    "open_regular",
    "percent",
    "plain",
    "progress_bar",
    "run_all",
    "say",
    "shortened",
    "Spectrum",
    "spherical_kmeans",
    "soft_kmeans",
    "spread_labels",
    "write_whole",
    "BANDWIDTH_SCALE",
    "FLOOR",
    "GRAPH_WEIGHTS",
    "MixtureSettings",
    "N_REFERENCES",
    "RunFile",
    "UNLABELED",
    "UNREADABLE",
)
"""Names that are defined in one module only."""


def trees() -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(SOURCES.rglob("*.py")):
        yield path.relative_to(SOURCES), ast.parse(path.read_text())


def test_modules_are_read_at_a_sitting() -> None:
    lengths = {
        str(path.relative_to(SOURCES)): len(path.read_text().splitlines())
        for path in SOURCES.rglob("*.py")
    }
    assert {name: length for name, length in lengths.items() if length > MOST_LINES} == {}


def lines_of_code(function: ast.FunctionDef | ast.AsyncFunctionDef, lines: list[str]) -> int:
    body = function.body[1:] if ast.get_docstring(function) else function.body
    if not body:
        return 0
    shown = lines[body[0].lineno - 1 : function.end_lineno]
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in shown)


def test_functions_do_one_thing() -> None:
    long: dict[str, int] = {}
    for path, tree in trees():
        lines = (SOURCES / path).read_text().splitlines()
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                n_lines = lines_of_code(node, lines)
                if n_lines > MOST_CODE:
                    long[f"{path}:{node.name}"] = n_lines
    assert long == {}


def names_of(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def test_one_idea_has_one_home() -> None:
    homes: dict[str, list[str]] = {name: [] for name in ONE_HOME}
    for path, tree in trees():
        for name in names_of(tree):
            if name in homes:
                homes[name].append(str(path))
    assert {name: found for name, found in homes.items() if len(found) != 1} == {}
