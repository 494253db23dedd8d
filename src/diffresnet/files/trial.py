"""Parquet files are read on trial first, in a process that may end.

One changed bit can make polars ask for more memory than there is. Rust then ends the process, and
there is no error to catch.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

PROGRAM = """
import json, sys
files, names, limit = json.load(sys.stdin)
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
except (ImportError, OSError, ValueError):
    pass  # a system without such limits
import polars
from polars import selectors
for path, n_rows, n_at_once in files:
    try:
        for begin in range(0, n_rows, n_at_once):
            with open(path, "rb") as stream:
                block = polars.scan_parquet(stream).slice(begin, n_at_once)
                block.select(selectors.by_name(*names)).collect()
    except BaseException:
        pass
    print(flush=True)
"""
ROOM = 2**32
"""Bytes of addresses for Python, polars and its threads, beside what a file may unpack to."""


def first_deadly(
    files: Sequence[tuple[Path, int, int]], names: Sequence[str], most_bytes: int
) -> int | None:
    """Return the place of the first Parquet file whose reading would end this process, or None.

    Errors that can be caught are not told here: they come again when the file is read.

    Args:
        files: their paths, numbers of rows, and how many rows are read at once.
        names: of the columns to read.
        most_bytes: that a file may unpack to.
    """
    if not sys.executable:  # Python within another program: there is nothing to try it with
        return None
    given = [[str(path.absolute()), n_rows, n_at_once] for path, n_rows, n_at_once in files]
    tried = subprocess.run(  # noqa: S603  (a program of ours; the files' names are data)
        [sys.executable, "-P", "-c", PROGRAM],
        input=json.dumps([given, list(names), most_bytes + ROOM]).encode(),
        capture_output=True,
        check=False,
    )
    return tried.stdout.count(b"\n") if tried.returncode < 0 else None
