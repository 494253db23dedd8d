"""Where data files are: in the folder `DIFFRESNET_DATA`, or in the user's cache."""

import os
from pathlib import Path

VARIABLE = "DIFFRESNET_DATA"


def cache_folder() -> Path:
    """Return the folder in the user's cache that downloads are kept in."""
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "diffresnet"


def find_data_file(name: str) -> Path:
    """Return the path of a data file such as ``images/mnist.npz``.

    Args:
        name: relative to the folder of data.

    Raises:
        FileNotFoundError: if it is in neither place; the message names both.
    """
    given = os.environ.get(VARIABLE)
    folders = [Path(given), cache_folder()] if given else [cache_folder()]
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    looked = " and ".join(map(str, folders))
    message = f"{name} is not in {looked}. Set {VARIABLE} to the folder that holds it."
    raise FileNotFoundError(message)
