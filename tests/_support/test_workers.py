import os
import signal
import subprocess
import sys
import time

import pytest

WORKER = """
import os, sys, time
from diffresnet._support.workers import end_with
end_with(int(sys.argv[1]))
print(os.getpid(), flush=True)
time.sleep(60)
"""
PARENT = """
import os, subprocess, sys
subprocess.run([sys.executable, "-c", sys.argv[1], str(os.getpid())])
"""


@pytest.mark.skipif(os.name != "posix", reason="Windows does not tell that a parent is gone")
def test_a_worker_ends_soon_after_its_parent_was_killed() -> None:
    command = [sys.executable, "-c", PARENT, WORKER]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:  # noqa: S603
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        os.kill(worker, 0)  # it lives
        parent.send_signal(signal.SIGKILL)
        begin = time.monotonic()
        assert parent.stdout.read() == ""  # the worker has let go of the pipe
        assert time.monotonic() - begin < 10
