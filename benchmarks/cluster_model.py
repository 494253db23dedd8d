"""What 100 million and a billion points would take on a cluster: a calculation, not a measurement.

It takes what `cluster.py` measured for 3,000,000 points (products, disk, processor time per point)
and assumes the rest, which the results have beside the sums:

    python benchmarks/cluster_model.py
"""

import json
from dataclasses import asdict, dataclass
from typing import Any

from diffresnet.graph.product import COLUMNS
from timing import RESULTS, write_results

MEASURED = "3000000 points"
SIZES, MACHINES = (10**8, 10**9), (16, 128)


@dataclass(frozen=True)
class Assumptions:
    """What was not measured.

    Attributes:
        cores: of a machine.
        links: in a row of the graph.
        flops: of one core, in sparse products, a second.
        halo: rows that blocks need of each other, relative to all rows.
        network: bytes a second, of one machine.
        parcel: seconds that the driver spends on each pair of blocks in a product.
        most_blocks: that are worth it, since parcels grow with their square.
    """

    cores: int = 16
    links: int = 16
    flops: float = 1e9
    halo: float = 1.0
    network: float = 1.25e9
    parcel: float = 1e-4
    most_blocks: int = 256


def predict(measured: dict[str, Any], given: Assumptions, n: int, machines: int) -> dict[str, Any]:
    """Return what n points take on some machines."""
    n_products, n_cores = measured["n_products"], machines * given.cores
    n_blocks = min(n_cores, given.most_blocks)
    taken, n_known = measured["seconds"], measured["n_points"]
    per_point = {name: measured["n_workers"] * taken[name] / n_known for name in taken}
    moved = n / machines * given.halo * 4 * COLUMNS * n_products
    minutes = {
        "files and shards": (per_point["files"] + per_point["shards"]) * n / n_cores / 60,
        "search": per_point["neighbors"] * n / n_cores / 60,
        "products": n_products * n * given.links * 2 * COLUMNS / given.flops / n_blocks / 60,
        "halos": moved / given.network / 60,
        "parcels": n_products * n_blocks**2 * given.parcel / 60,
        "probabilities": per_point["probabilities"] * n / n_blocks / 60,
    }
    return {
        "points": n,
        "machines": machines,
        "blocks": n_blocks,
        "rows of a block, millions": n / n_blocks / 1e6,
        "minutes": {name: round(one, 2) for name, one in minutes.items()},
        "hours": round(sum(minutes.values()) / 60, 2),
        "moved by a machine, GB": round(moved / 1e9, 1),
        "disk, TB": round(measured["disk at the end, GB"] / n_known * n / 1e3, 2),
    }


def main() -> None:
    """Predict all sizes, and write the results."""
    measured = json.loads((RESULTS / "cluster.json").read_bytes())[MEASURED]
    given = Assumptions()
    found = [predict(measured, given, n, machines) for n in SIZES for machines in MACHINES]
    results = [{"assumptions": asdict(given), "measured": MEASURED}, *found]
    write_results("cluster_model", "python benchmarks/cluster_model.py", results)


if __name__ == "__main__":
    main()
