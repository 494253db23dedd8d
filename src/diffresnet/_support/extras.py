"""Optional dependencies: an error that names the extra that brings them."""

from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def needs_extra(function: str, extra: str) -> Generator[None]:
    """Turn a failed import inside the block into one that says what to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        message = f"{function} needs `{error.name}`. Run `pip install 'diffresnet[{extra}]'`."
        raise ModuleNotFoundError(message, name=error.name) from error
