"""Where data files are: in the folder `DIFFRESNET_DATA`, or in the user's cache."""

import os
from pathlib import Path

VARIABLE = "DIFFRESNET_DATA"


def cache_folder() -> Path:
    """Return the folder in the user's cache that downloads are kept in.

    It is in `XDG_CACHE_HOME`, if that is an absolute path: by the standard others do not count.

    Raises:
        OSError: if there is no home folder, either.
    """
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if given.is_absolute():
        return given / "diffresnet"
    try:
        home = Path.home().absolute()
    except RuntimeError as error:
        message = "There is no home folder to keep files in. Set XDG_CACHE_HOME to a folder."
        raise OSError(message) from error
    return home / ".cache" / "diffresnet"


def find_data_file(name: str) -> Path:
    """Return the path of a data file such as ``images/mnist.npz``.

    Args:
        name: relative to the folder of data.

    Raises:
        FileNotFoundError: if it is in neither place; the message names both.
        OSError: if there is no home folder for a cache.
    """
    given = os.environ.get(VARIABLE)
    if given and (Path(given) / name).is_file():
        return Path(given) / name
    folders = [Path(given), cache_folder()] if given else [cache_folder()]
    if (folders[-1] / name).is_file():
        return folders[-1] / name
    looked = " and ".join(map(str, folders))
    message = f"{name} is not in {looked}. Set {VARIABLE} to the folder that holds it."
    raise FileNotFoundError(message)
