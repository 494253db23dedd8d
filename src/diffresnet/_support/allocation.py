"""Memory that was used once, and goes back to the system."""

import ctypes
import sys
from contextlib import suppress

LARGEST_KEPT = 2**20
"""Bytes up to which a block of memory that is let go stays with the process."""

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
"""Of `mallopt`, in <malloc.h>."""


def return_freed_memory() -> None:
    """Let large blocks go back to the system as soon as they are freed.

    The C library of Linux keeps blocks of up to 32 MB once it has seen some, and what lies between
    smaller ones: the same work then takes twice the memory, or not, by chance. Elsewhere this does
    nothing.
    """
    if sys.platform != "linux":
        return
    with suppress(OSError, AttributeError):  # another C library than glibc
        library = ctypes.CDLL(None)
        library.mallopt(M_MMAP_THRESHOLD, LARGEST_KEPT)
        library.mallopt(M_TRIM_THRESHOLD, 16 * LARGEST_KEPT)


def give_back_freed_memory() -> None:
    """Let all that is free go back to the system, once; to be called after every batch of work.

    Blocks of many sizes that several threads use and free may leave gaps that the C library of
    Linux does not use again, by chance: the search of a million points then held 16 GB in place of
    2. Elsewhere this does nothing.
    """
    if sys.platform != "linux":
        return
    with suppress(OSError, AttributeError):  # another C library than glibc
        ctypes.CDLL(None).malloc_trim(0)
