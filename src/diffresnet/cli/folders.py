"""The folder that a command writes to, tried before the work begins."""

import os
from pathlib import Path

import typer


def make_folder(out: Path, option: str = "--out") -> None:
    """Make the folder that `option` names, or end the command with a sentence that says why not."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"cannot write to {out}: {error.strerror}. Choose another {option}."
        raise typer.BadParameter(message) from error
    if not os.access(out, os.W_OK):
        raise typer.BadParameter(f"cannot write to {out}: not allowed. Choose another {option}.")
