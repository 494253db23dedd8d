"""Every number that the paper reports, and what the authors' code printed for its figures."""

from typing import NamedTuple

PAPER = "the paper 'Diffusion Mechanism in Residual Neural Network: Theory and Applications'"

XOR_START = {"min_distance": 0.5, "max_diameter": 1.5}
"""Section 5.1: L and D before diffusion, those of the discs that the points are drawn from."""

SYNTHETIC_ACCURACY = {
    "moon": {"without": (50.0, 84.1, 87.7), "with": (50.0, 86.0, 100.0)},
    "circle": {"without": (50.0, 50.7, 51.6), "with": (50.0, 89.1, 100.0)},
    "spiral": {"without": (36.2, 50.2, 52.4), "with": (50.0, 86.5, 100.0)},
}
"""Percent at epochs 0, 10 and 20, without and with diffusion, for the one seed that is shown."""

FEWSHOT_COLUMNS = (
    "mini 1-shot",
    "mini 5-shot",
    "tiered 1-shot",
    "tiered 5-shot",
    "CUB 1-shot",
    "CUB 5-shot",
)
"""The columns of Tables "ablation" and "fewshot": miniImageNet, tieredImageNet and CUB."""

ABLATION_ACCURACY = {
    "ResNet-18": {
        "Nearest Prototype": (57.09, 79.30, 63.46, 83.53, 66.53, 86.03),
        "Diffusion": (57.81, 79.54, 64.38, 83.83, 67.96, 86.49),
        "Convection": (53.04, 79.58, 56.17, 82.79, 58.68, 86.10),
        "External Convection-Diffusion": (55.30, 79.55, 65.15, 83.74, 70.00, 86.92),
        "Internal Convection-Diffusion": (68.47, 80.02, 75.31, 84.19, 79.12, 87.18),
    },
    "WRN": {
        "Nearest Prototype": (59.54, 79.81, 65.60, 84.76, 68.56, 86.13),
        "Diffusion": (60.30, 80.31, 66.59, 85.17, 69.70, 86.58),
        "Convection": (57.07, 80.92, 58.79, 84.69, 62.84, 87.51),
        "External Convection-Diffusion": (59.46, 80.70, 68.10, 85.31, 73.08, 87.08),
        "Internal Convection-Diffusion": (69.77, 81.17, 77.44, 85.50, 80.31, 87.76),
    },
}
"""Table "ablation": percent by backbone, method and column."""


class PublishedRow(NamedTuple):
    """A method of Table "fewshot".

    Attributes:
        method: its name; with a dagger if it is transductive, with a star if the authors ran it.
        backbone: what the features come from.
        cells: by column, percent and half of the 95 % interval; None where nothing is reported.
    """

    method: str
    backbone: str
    cells: tuple[tuple[float, float] | None, ...]


def _parse(line: str) -> PublishedRow:
    method, backbone, cells = line.split("|")
    return PublishedRow(method, backbone, tuple(_pair(cell) for cell in cells.split(", ")))


def _pair(cell: str) -> tuple[float, float] | None:
    if cell == "-":
        return None
    mean, half_width = cell.split()
    return float(mean), float(half_width)


FEWSHOT_ACCURACY = tuple(
    _parse(line)
    for line in """
MAML|ResNet-18|49.61 0.92, 65.72 0.77, -, -, 69.96 1.01, 82.70 0.65
Baseline|ResNet-18|51.87 0.77, 75.68 0.63, -, -, 67.02 0.90, 83.58 0.54
RelationNet|ResNet-18|52.48 0.86, 69.83 0.68, 54.48 0.93, 71.32 0.78, 67.59 1.02, 82.75 0.58
MatchingNet|ResNet-18|52.91 0.88, 68.88 0.69, -, -, 72.36 0.90, 83.64 0.60
ProtoNet|ResNet-18|54.16 0.82, 73.68 0.65, 53.31 0.89, 72.69 0.74, 71.88 0.91, 87.42 0.48
Gidaris|ResNet-15|55.45 0.89, 70.13 0.68, -, -, -, -
SNAIL|ResNet-15|55.71 0.99, 68.88 0.92, -, -, -, -
TADAM|ResNet-15|58.50 0.30, 76.70 0.30, -, -, -, -
Transductive†|ResNet-12|62.35 0.66, 74.53 0.54, -, -, -, -
MetaoptNet|ResNet-18|62.64 0.61, 78.63 0.46, 65.99 0.72, 81.56 0.53, -, -
TPN†|ResNet-12|53.75 0.86, 69.43 0.67, 57.53 0.96, 72.85 0.74, -, -
TEAM†|ResNet-18|60.07 0.59, 75.90 0.38, -, -, 80.16 0.52, 87.17 0.39
CAN+T†|ResNet-12|67.19 0.55, 80.64 0.35, 73.21 0.58, 84.93 0.38, -, -
*SimpleShot†|ResNet-18|62.86 0.20, 79.22 0.14, 69.71 0.23, 84.13 0.17, 72.86 0.20, 88.57 0.11
*LaplacianShot†|ResNet-18|70.46 0.23, 81.76 0.14, 76.90 0.25, 85.10 0.17, 82.92 0.21, 90.77 0.11
*EPNet†|ResNet-18|63.83 0.20, 77.98 0.15, 70.08 0.23, 82.11 0.18, 73.32 0.21, 87.55 0.13
EASE+Soft K means†|ResNet-12|57.00 0.26, 75.07 0.21, 69.74 0.31, 85.17 0.21, 76.72 0.27, 90.04 0.16
Diff-ResNet†|ResNet-18|71.11 0.24, 82.07 0.14, 77.98 0.25, 85.75 0.17, 84.20 0.21, 91.12 0.10
Qiao|WRN|59.60 0.41, 73.74 0.19, -, -, -, -
LEO|WRN|61.76 0.08, 77.59 0.12, 66.33 0.05, 81.44 0.09, -, -
ProtoNet|WRN|62.60 0.20, 79.97 0.14, -, -, -, -
CC+rot|WRN|62.93 0.45, 79.87 0.33, 70.53 0.51, 84.98 0.36, -, -
MatchingNet|WRN|64.03 0.20, 76.32 0.16, -, -, -, -
FEAT|WRN|65.10 0.20, 81.11 0.14, 70.41 0.23, 84.38 0.16, -, -
Transductive†|WRN|65.73 0.68, 78.40 0.52, 73.34 0.71, 85.50 0.50, -, -
BD-CSPN†|WRN|70.31 0.93, 81.89 0.60, 78.74 0.95, 86.92 0.63, -, -
*SimpleShot†|WRN|65.20 0.20, 81.28 0.14, 71.49 0.23, 85.51 0.16, 78.62 0.19, 91.21 0.10
*LaplacianShot†|WRN|72.90 0.23, 83.47 0.14, 78.79 0.25, 86.46 0.17, 87.70 0.18, 92.73 0.10
*EPNet†|WRN|67.09 0.21, 80.71 0.14, 73.20 0.23, 84.20 0.17, 80.88 0.20, 91.40 0.11
PT+NCM|WRN|65.35 0.20, 83.87 0.13, 69.96 0.22, 86.45 0.15, 80.57 0.20, 91.15 0.10
EASE+Soft K means†|WRN|67.42 0.27, 84.45 0.18, 75.87 0.29, 85.17 0.21, 81.01 0.26, 91.44 0.14
Diff-ResNet†|WRN|73.47 0.23, 83.86 0.14, 79.74 0.25, 87.10 0.16, 87.74 0.19, 92.96 0.09
""".strip().splitlines()
)
"""Table "fewshot", row by row."""


class LaterRow(NamedTuple):
    """What others have published since, or of methods that the paper does not compare with.

    Attributes:
        method: its name.
        backbone: what the features come from.
        queries: balanced, or Dirichlet(2).
        source: where the numbers were read.
        cells: percent by column of `FEWSHOT_COLUMNS`; None where nothing is reported.
    """

    method: str
    backbone: str
    queries: str
    source: str
    cells: tuple[float | None, ...]


def _parse_later(line: str) -> LaterRow:
    method, backbone, queries, source, cells = line.split("|")
    numbers = tuple(None if cell == "-" else float(cell) for cell in cells.split())
    return LaterRow(method, backbone, queries, source, numbers)


_UNBALANCED = "ResNet-18|Dirichlet(2)|README of oveilleux/Realistic_Transductive_Few_Shot"

LATER_ACCURACY = tuple(
    _parse_later(line)
    for line in f"""
PT-MAP + BPA|WRN, Sill-Net|balanced|README of DanielShalam/BPA|85.59 91.34 - - 95.80 97.12
PT-MAP + BPA|WRN|balanced|README of DanielShalam/BPA|83.19 89.56 - - 91.90 94.63
EASY|3 x ResNet-12|balanced|README of ybendou/easy|84.04 89.14 84.29 89.76 90.56 93.79
iLPC|WRN|balanced|README of ybendou/easy|83.05 88.82 88.50 92.46 91.03 94.11
PT-MAP|WRN|balanced|README of yhu01/PT-MAP|82.92 88.82 85.41 90.44 91.55 93.99
TIM|WRN; ResNet-18 (CUB)|balanced|README of mboudiaf/TIM|77.8 87.4 82.1 89.8 82.2 90.8
BAVARDAGE|ResNet-18|balanced|README of yhu01/BAVARDAGE|- - - - 85.64 91.42
BAVARDAGE|ResNet-18|Dirichlet(2)|README of yhu01/BAVARDAGE|- - - - 82.00 90.67
alpha-TIM|{_UNBALANCED}|67.4 82.5 - - - -
TIM|{_UNBALANCED}|67.3 79.8 - - - -
BD-CSPN|{_UNBALANCED}|67.0 80.2 - - - -
LaplacianShot|{_UNBALANCED}|65.4 81.6 - - - -
SimpleShot|{_UNBALANCED}|63.0 80.1 - - - -
PT-MAP|{_UNBALANCED}|60.1 67.1 - - - -
""".strip().splitlines()
)
"""Of methods that this package has, but for EASY."""

NODE_GRAPHS = ("cora", "citeseer", "pubmed")

NODE_ACCURACY = {
    "MLP": ((58.2, 2.1), (59.1, 2.3), (70.0, 2.1)),
    "GCN": ((81.5, 1.3), (71.9, 1.9), (77.8, 2.9)),
    "GraphSAGE-mean": ((79.2, 7.7), (71.6, 1.9), (77.4, 2.2)),
    "GraphSAGE-maxpool": ((76.6, 1.9), (67.5, 2.3), (76.1, 2.3)),
    "GAT": ((81.8, 1.3), (71.4, 1.9), (78.7, 2.3)),
    "CGNN": ((81.4, 1.6), (66.9, 1.8), (66.6, 4.4)),
    "GDE": ((78.7, 2.2), (71.8, 1.1), (73.9, 3.7)),
    "GRAND": ((83.6, 1.0), (73.4, 0.5), (78.8, 1.7)),
    "No-Diff-ResNet": ((58.9, 1.9), (61.9, 2.1), (70.1, 2.1)),
    "Diff-ResNet": ((82.1, 1.1), (74.6, 1.8), (80.1, 2.0)),
}
"""Table "graph": percent and deviation by method, for each of `NODE_GRAPHS`."""
