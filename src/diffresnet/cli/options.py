"""Options that several commands have."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

LabelColumn: TypeAlias = Annotated[
    str | None, typer.Option(help="Column of the labels.", show_default="label")
]
IdColumn: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Column of the ids.",
        show_default="id, or one that is called like it; else row numbers",
    ),
]
Device: TypeAlias = Annotated[str, typer.Option(help="Where torch computes: cpu, cuda, mps, ...")]
FollowLinks: TypeAlias = Annotated[
    bool,
    typer.Option("--follow-links", help="Read what links in a folder lead to outside of it, too."),
]
Force: TypeAlias = Annotated[bool, typer.Option("--force", help="Write over files that exist.")]
Jobs: TypeAlias = Annotated[
    int, typer.Option(help="Processes to share the work, one thread each.", min=1)
]
JsonFile: TypeAlias = Annotated[
    Path | None, typer.Option("--json", help="File for the numbers, .json.", dir_okay=False)
]
ReportFile: TypeAlias = Annotated[
    Path | None,
    typer.Option("--report", help="File for a page that shows them, .html.", dir_okay=False),
]
Resume: TypeAlias = Annotated[
    Path | None,
    typer.Option(help="Folder that keeps what is done, so that a stopped command goes on."),
]
Cluster: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Ray cluster to work on: host:port, or auto for the one that RAY_ADDRESS names, or a "
        "new one of this machine. Needs the extra cluster.",
        show_default="none: this machine",
    ),
]
BANK_HELP = (
    "Feature bank: an .npz file with features (n, d), labels (n,) and, if there are any, "
    "split (n,) and the names classes."
)
Split: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Split of the bank to draw tasks from; 'all' for all examples.",
        show_default="test, or all if the bank has no splits",
    ),
]
Tasks: TypeAlias = Annotated[int, typer.Option(help="Tasks to draw.", min=1)]
TaskSeed: TypeAlias = Annotated[int, typer.Option(help="Seed of the tasks.", min=0)]
