"""HDF5 files are looked over first, in a process that may end: what they hold, and how much.

One changed byte can make HDF5 ask for gigabytes, or end the process. This file is run as a program
of its own by `check_hdf5`, and so imports nothing of ours.
"""

import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

REFUSED = 3
"""The exit code of the child process if there is something wrong."""

ROOM = 2**27
"""Bytes for h5py itself, beside what a file may unpack to."""

LEAST_SECONDS, BYTES_A_SECOND = 5, 2**27
"""Of the processor: a damaged file can have HDF5 go around for ever."""


def check_hdf5(path: Path, most_bytes: int) -> None:
    """Raise if an HDF5 file is damaged, points to other files, or unpacks to too much.

    Args:
        path: of the file.
        most_bytes: that it may unpack to.

    Raises:
        ValueError: which says what is wrong with it.
    """
    if not sys.executable:  # Python within another program: there is nothing to try it with
        look_over(path, most_bytes)
        return
    tried = subprocess.run(  # noqa: S603  (a program of ours; the file's name is data)
        [sys.executable, "-P", __file__, str(path.absolute()), str(most_bytes)],
        env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if tried.returncode == REFUSED:
        raise ValueError(tried.stdout)
    if tried.returncode:
        raise ValueError("whoever reads it runs out of memory, or of time, or ends")


def look_over(path: Path, most_bytes: int) -> None:
    """Raise as `check_hdf5` does; a damaged file may end the process."""
    import h5py  # noqa: PLC0415  (an extra)

    n_bytes, texts = 0, list[Any]()
    with h5py.File(path, "r") as file:
        for name, found in _members(file):
            _ = dict(found.attrs)
            if isinstance(found, h5py.Dataset):
                if found.external or found.is_virtual:
                    raise ValueError(f"'{name}' in it is kept elsewhere")
                n_bytes += found.nbytes
                texts += [found] if found.dtype.hasobject else []
        if n_bytes > most_bytes:
            raise ValueError(f"it would unpack to {n_bytes:,} bytes, more than {most_bytes:,}")
        for dataset in texts:
            dataset[...]  # their lengths are known to the file alone


def _members(file: Any) -> Generator[tuple[str, Any]]:
    """Yield everything in a file with its name, once; links are refused."""
    import h5py  # noqa: PLC0415  (an extra)

    seen, groups = set[Any](), [file["/"]]
    while groups:
        group = groups.pop()
        yield group.name, group
        for name in group:
            link = group.get(name, getlink=True, getclass=True)
            if link is not h5py.HardLink:
                raise ValueError(f"'{name}' in it is a link to elsewhere")
            found = group[name]
            place = found.id  # ids of one object are equal
            if place in seen:
                raise ValueError(f"'{name}' in it has two names")
            seen.add(place)
            if isinstance(found, h5py.Group):
                groups.append(found)
            else:
                yield found.name, found


def _set_limits(most_bytes: int) -> None:
    """Let this process have so much more memory than it has, and time as long as it may need."""
    with suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415  (not on Windows)

        seconds = LEAST_SECONDS + most_bytes // BYTES_A_SECOND
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        # macOS has no such file, and so no limit of memory
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        limit = used + most_bytes + ROOM
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def main() -> int:
    """Look over the file that is named by the first argument."""
    try:
        import_module("h5py")  # what it takes itself is not the file's
        _set_limits(int(sys.argv[2]))
        look_over(Path(sys.argv[1]), int(sys.argv[2]))
    except Exception as error:  # h5py has no common one
        words = str(error).splitlines()
        sys.stdout.write(words[0][:200] if words else type(error).__name__)
        return REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(main())
