import subprocess
import sys

import pytest

PROGRAM = """
import numpy as np
from pathlib import Path
from diffresnet._support.allocation import return_freed_memory

def used():
    return 4096 * int(Path("/proc/self/statm").read_text().split()[1])

return_freed_memory()
np.ones(2**21)  # without the call, blocks of this size are kept from now on
before = used()
blocks = []
for _ in range(100):  # small ones that stay lie between large ones that go
    blocks.append((np.ones(2**18), np.ones(2**10)))
most = used()
kept = [small for _, small in blocks]
del blocks, _
print(most - before, used() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_large_blocks_go_back_to_the_system() -> None:
    found = subprocess.run(  # noqa: S603
        [sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True
    )
    most, left = map(int, found.stdout.split())
    assert most > 2e8
    assert left < 1e7


GAPS = """
import numpy as np
from pathlib import Path
from diffresnet._support.allocation import give_back_freed_memory

def used():
    return 4096 * int(Path("/proc/self/statm").read_text().split()[1])

large = np.ones(2**21)
del large  # from now on, blocks of this size are kept
before = used()
blocks = [(np.ones(2**18), np.ones(2**10)) for _ in range(100)]
kept = [small for _, small in blocks]
del blocks
held = used() - before
give_back_freed_memory()
print(held, used() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_gaps_between_small_blocks_go_back_to_the_system() -> None:
    found = subprocess.run(  # noqa: S603
        [sys.executable, "-c", GAPS], check=True, capture_output=True, text=True
    )
    held, left = map(int, found.stdout.split())
    assert held > 1e8
    assert left < 2e7
