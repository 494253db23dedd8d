"""Refusals in the words of a command: its options, not the arguments behind them."""

import re
from collections.abc import Callable, Mapping
from inspect import Parameter, signature

GIVEN = ("source", "data")
"""What commands call a folder or file of images or texts."""

BEHIND: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "ImageSet: `folder`": ("{}", GIVEN),
    "ImageSet: `ids`": ("ids of {}", GIVEN),
    "ImageSet: `images`": ("images of {}", GIVEN),
    "TextSet: `ids`": ("ids of {}", GIVEN),
    "TextSet: `texts`": ("texts of {}", GIVEN),
    "encoders: `items`": ("{}", GIVEN),
    "make_encoder: `name`": ("{}", ("encoder",)),
    "Checkpoint: `path`": ("{}", ("encoder",)),
    "extract: `encoder`": ("{}", ("encoder",)),
    "choose_device: `device`": ("{}", ("device",)),
    "DiffResNetClassifier.load: `path`": ("{}", ("model",)),
    "predict_nodes: `graph`": ("{}", ("graph",)),
}
"""Arguments, what they are to a command, and the parameters of commands they may come from."""

PAIR = re.compile(r"\(`\w+`, (--[^)]+)\)")
"""A remedy for Python and for a command, as in (`follow_links`, --follow-links)."""


def name_options(sentence: str, command: Callable[..., None]) -> str:
    """Return a refusal in the words of a command: its options, not the arguments behind them.

    Examples:
        >>> def fewshot(features: str, *, ways: int, device: str) -> None: ...
        >>> name_options("EpisodeSampler: `n_ways` must be at least 1, got 0.", fewshot)
        '--ways must be at least 1, got 0.'
        >>> name_options("choose_device: `device` must be there, got 'x'.", fewshot)
        "--device must be there, got 'x'."
    """
    kinds = {name: one.kind for name, one in signature(command).parameters.items()}

    def as_option(name: str) -> str:
        is_option = kinds[name] is Parameter.KEYWORD_ONLY
        return f"--{name.replace('_', '-')}" if is_option else name.upper()

    def option_of(found: re.Match[str]) -> str:
        name = next((n for n in (found[1], found[1].removeprefix("n_")) if n in kinds), None)
        return found[0] if name is None else as_option(name)

    sentence = PAIR.sub(r"(\1)", sentence)
    first = re.sub(r"^[A-Z]\w*: `(\w+)`", option_of, sentence)
    for argument, (words, names) in BEHIND.items():
        name = next((name for name in names if name in kinds), None)
        if name is not None and first.startswith(argument):
            first = words.format(as_option(name)) + first.removeprefix(argument)
    return re.sub(r"`(\w+)`", option_of, first) if first != sentence else sentence
