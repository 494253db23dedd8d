"""The feature bank that a command reads, or one sentence that says why it cannot."""

from pathlib import Path

import typer

from diffresnet.fewshot import EpisodeSampler, EpisodeShape, FeatureBank

DEFAULT_SPLIT = "test"
ALL = "all"
"""What --split is called for all examples of a bank that has splits."""


def load_bank(path: Path) -> FeatureBank:
    """Read a bank from an .npz file, or end the command with a sentence."""
    try:
        return FeatureBank.load(path)
    except (FileNotFoundError, ValueError) as error:
        raise typer.BadParameter(str(error)) from error


def choose_split(bank: FeatureBank, split: str | None) -> str | None:
    """Return the split to draw from, None for all, or end the command with a sentence.

    Without a wish it is "test", or all examples where the bank has no splits.
    """
    names = bank.split_names
    chosen = split or (DEFAULT_SPLIT if names else ALL)
    if chosen in names:
        return chosen
    if chosen == ALL:
        return None
    listed = ", ".join(repr(name) for name in names)
    there = f"it has {listed}. Choose one of these, or" if names else "it has none. Choose"
    message = f"there is no split '{chosen}' in the bank: {there} 'all'."
    raise typer.BadParameter(message, param_hint="--split")


def check_tasks(bank: FeatureBank, split: str | None, shape: EpisodeShape) -> None:
    """End the command with a sentence if tasks of this shape cannot be drawn."""
    try:
        EpisodeSampler(bank, shape, split=split)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
