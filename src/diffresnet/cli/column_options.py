"""Options that commands share which read points and labels: the columns of a table."""

from typing import Annotated, TypeAlias

import typer

LabelColumn: TypeAlias = Annotated[
    str | None, typer.Option(help="Column of the labels.", show_default="label")
]
IdColumn: TypeAlias = Annotated[
    str | None,
    typer.Option(help="Column of the ids.", show_default="id; row numbers if there is none"),
]
