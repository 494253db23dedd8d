"""Processes that share the work, and do not outlive the one that started them."""

import os
import threading
import time

SECONDS = 1.0
"""Between two looks."""


def end_with(parent: int) -> None:
    """Let this process end soon after the process `parent`, which started it, however that ends.

    A process that is killed tells nobody. Those that work for it would wait for minutes, and keep
    their memory and the terminal's pipe.
    """
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(SECONDS)
    os._exit(1)
