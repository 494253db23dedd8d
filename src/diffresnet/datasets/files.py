"""Where data files are: in the folder `DIFFRESNET_DATA`, or in the user's cache."""

import os
from pathlib import Path

from diffresnet._support.checks import refuse

VARIABLE = "DIFFRESNET_DATA"
CACHE_VARIABLE = "XDG_CACHE_HOME"
PRIVATE = 0o700


def cache_folder() -> Path:
    """Return the folder in the user's cache that downloads and features are kept in.

    It is in `XDG_CACHE_HOME` if that is an absolute path (others are ignored, as its standard
    says), and in ``.cache`` of the home folder otherwise.

    Raises:
        ValueError: if there is no home folder either.
    """
    given = os.environ.get(CACHE_VARIABLE, "")
    base = Path(given) if os.path.isabs(given) else Path(os.path.expanduser("~"), ".cache")  # noqa: PTH111, PTH117  (pathlib raises)
    if not base.is_absolute():
        must, remedy = "in a home folder", f"Set {CACHE_VARIABLE} to a folder."
        refuse("The cache", must, "none that is an absolute path", remedy)
    return base / "diffresnet"


def make_cache_folder(name: str) -> Path:
    """Return a folder in the user's cache; what is made of it is private to the user.

    Whoever could write there could change what is computed.

    Raises:
        OSError: if it cannot be made.
        ValueError: if the cache belongs to another user.
    """
    base = cache_folder()
    base.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
    found = base.stat()
    if hasattr(os, "geteuid"):
        if found.st_uid != os.geteuid():
            got, remedy = f"{base} of another", f"Set {CACHE_VARIABLE} to a folder of your own."
            refuse("The cache", "a folder of the user", got, remedy)
        if found.st_mode & 0o077:
            base.chmod(PRIVATE)
    folder = base / name
    folder.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
    return folder


def find_given_file(name: str) -> Path | None:
    """Return the path of a data file in the folder `DIFFRESNET_DATA`, or None."""
    given = os.environ.get(VARIABLE)
    path = Path(given) / name if given else None
    return path if path is not None and path.is_file() else None


def find_data_file(name: str) -> Path:
    """Return the path of a data file such as ``images/mnist.npz``.

    Args:
        name: relative to the folder of data.

    Raises:
        FileNotFoundError: if it is in neither place; the message names both.
    """
    path = find_given_file(name) or cache_folder() / name
    if path.is_file():
        return path
    given = os.environ.get(VARIABLE)
    looked = " and ".join(str(one) for one in (given, cache_folder()) if one)
    message = f"{name} is not in {looked}. Set {VARIABLE} to the folder that holds it."
    raise FileNotFoundError(message)
