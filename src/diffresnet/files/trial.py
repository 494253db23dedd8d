"""Parquet files are read on trial first, in a process that may end.

One changed bit can make polars ask for more memory than there is. Rust then ends the process, and
there is no error to catch.
"""

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import json, sys
path, names, limit = json.load(sys.stdin)
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
except (ImportError, OSError, ValueError):
    pass  # a system without such limits
import polars
from polars import selectors
with open(path, "rb") as stream:
    polars.scan_parquet(stream).select(selectors.by_name(*names)).collect()
"""
ROOM = 2**32
"""Bytes of addresses for Python, polars and its threads, beside what a file may unpack to."""


def check_survivable(path: Path, names: list[str], most_bytes: int) -> None:
    """Raise if reading columns of a Parquet file would end this process.

    Errors that can be caught are not told here: they come again when the file is read.

    Args:
        path: of the file.
        names: of the columns.
        most_bytes: that they may unpack to.

    Raises:
        ValueError: if the process that tried it was ended.
    """
    if not sys.executable:  # Python within another program: there is nothing to try it with
        return
    given = json.dumps([str(path.absolute()), names, most_bytes + ROOM])
    tried = subprocess.run(  # noqa: S603  (a program of ours; the file's name is data)
        [sys.executable, "-P", "-c", PROGRAM],
        input=given.encode(),
        capture_output=True,
        check=False,
    )
    if tried.returncode < 0:
        raise ValueError("it is damaged, or needs more memory than a file of its size may")
