"""Run cases from the command line: `python -m tests.fuzz --cases 20000`."""

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

import torch

from tests.fuzz import readers
from tests.fuzz.calls import CALLS
from tests.fuzz.cell_files import CELL_FILES
from tests.fuzz.commands import COMMANDS
from tests.fuzz.running import Outcome, Plan, run_cases

KINDS = {**readers.READERS, **CELL_FILES, **CALLS, **COMMANDS}
N_TOLD = 1000
"""Cases after which it is said how many there were."""


def main() -> int:
    """Return 1 if any case has a fault."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=300, help="how many")
    parser.add_argument("--first", type=int, default=0, help="number of the first")
    parser.add_argument("--seed", type=int, default=0, help="of all cases")
    parser.add_argument("--kind", choices=KINDS, help="this kind only")
    parser.add_argument("--keep", type=Path, help="folder for the files of cases with a fault")
    given = parser.parse_args()
    torch.set_num_threads(1)
    readers.warm()
    kinds = {given.kind: KINDS[given.kind]} if given.kind else KINDS
    numbers = range(given.first, given.first + given.cases)
    start, ended, faults = time.perf_counter(), list[Outcome](), list[Outcome]()
    for outcome in run_cases(Plan(kinds, given.seed, given.keep), numbers):
        ended.append(outcome)
        if outcome.fault:
            faults.append(outcome)
            again = f"--seed {given.seed} --first {outcome.number} --cases 1"
            only = f" --kind {given.kind}" if given.kind else ""
            print(f"{outcome.kind}: {outcome.fault}: {outcome.where}  ({again}{only})", flush=True)
        if len(ended) % N_TOLD == 0:
            print(f"{len(ended):,} cases, {time.perf_counter() - start:.0f} s", flush=True)
    _sum_up(ended, faults, time.perf_counter() - start)
    return int(bool(faults))


def _sum_up(ended: list[Outcome], faults: list[Outcome], seconds: float) -> None:
    refused = sum(one.refused for one in ended)
    slowest = max(ended, key=lambda one: one.seconds, default=Outcome(0, ""))
    largest = max(ended, key=lambda one: one.n_bytes, default=Outcome(0, ""))
    print(
        f"{len(ended):,} cases in {seconds:.0f} s: {refused:,} refused, {len(faults)} with a "
        f"fault. Slowest: {slowest.kind}, {slowest.seconds:.1f} s. Most memory: {largest.kind}, "
        f"{largest.n_bytes / 2**20:.0f} MiB."
    )
    for (kind, fault), n in sorted(Counter((one.kind, one.fault) for one in faults).items()):
        print(f"  {kind}: {fault}: {n}")


if __name__ == "__main__":
    sys.exit(main())
