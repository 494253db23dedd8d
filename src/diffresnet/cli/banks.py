"""Which examples of a feature bank a command draws tasks from."""

from diffresnet.fewshot import FeatureBank

DEFAULT_SPLIT = "test"
ALL = "all"
"""What --split is called for all examples of a bank that has splits."""


def choose_split(bank: FeatureBank, split: str | None) -> str | None:
    """Return the split to draw from, None for all; by default "test", or all if there are none."""
    names = bank.split_names
    chosen = split or (DEFAULT_SPLIT if names else ALL)
    if chosen in names:
        return chosen
    if chosen == ALL:
        return None
    listed = ", ".join(repr(name) for name in names)
    there = f"it has {listed}. Choose one of these, or" if names else "it has none. Choose"
    raise ValueError(f"--split: there is no split '{chosen}' in the bank: {there} 'all'.")
