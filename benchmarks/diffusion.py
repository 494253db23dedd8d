"""How much does the Chebyshev series save, and does CSR diffusion keep up with SciPy's product?"""

from typing import Any

import numpy as np
import torch
from scipy import sparse

from diffresnet import DiffusionOperator, build_weights
from diffresnet.datasets import make_spiral
from diffresnet.diffusion.chebyshev import diffusion_series
from timing import set_threads, take_turns, write_results

SPIRAL_STEPS = 900
TOLERANCE = 5e-7  # of the norm of the points, so that the error is below 1e-6 of the result, too


def chebyshev_against_euler(n_threads: int, dtype: torch.dtype) -> dict[str, Any]:
    """Diffuse the spiral as the paper does (n_top 25, bandwidth .5), but with symmetric weights."""
    points = make_spiral(torch.Generator().manual_seed(0)).points
    exact_operator = DiffusionOperator(build_weights(points, 25, bandwidth=0.5))
    operator, x = exact_operator.to(dtype), points.to(dtype)
    step_size = operator.max_convex_step_size

    def euler() -> torch.Tensor:
        return operator.diffuse(x, step_size, SPIRAL_STEPS, method="euler")

    def chebyshev() -> torch.Tensor:
        return operator.diffuse(x, step_size, SPIRAL_STEPS, method="chebyshev", tolerance=TOLERANCE)

    exact = exact_operator.diffuse(points, step_size, SPIRAL_STEPS, method="euler")
    times = take_turns({"euler": euler, "chebyshev": chebyshev}, 30)
    n_products = diffusion_series(step_size, SPIRAL_STEPS, 2 / step_size, TOLERANCE).degree
    return {
        "question": f"chebyshev against euler, spiral, 900 steps, {dtype}",
        "threads": n_threads,
        "products": {"euler": SPIRAL_STEPS, "chebyshev": n_products},
        "times_fewer_products": SPIRAL_STEPS / n_products,
        "times_faster": times["euler"]["median_seconds"] / times["chebyshev"]["median_seconds"],
        "relative_error": {
            "chebyshev": float((chebyshev() - exact).norm() / exact.norm()),
            "euler": float((euler() - exact).norm() / exact.norm()),
        },
        "times": times,
    }


def csr_against_scipy(n_threads: int, dtype: torch.dtype) -> dict[str, Any]:
    """Diffuse 100,000 points x 64 features, 10 steps, against SciPy's product as often."""
    n_points, n_features, n_near, n_steps = 100_000, 64, 10, 10
    generator = np.random.default_rng(0)
    # Neighbors that lie near each other in memory too, as those of a real graph do in part.
    offsets = generator.integers(-2000, 2000, (n_points, n_near))
    columns = (np.arange(n_points)[:, None] + offsets) % n_points
    rows = np.repeat(np.arange(n_points), n_near)
    values = generator.random(n_points * n_near)
    graph = sparse.csr_array((values, (rows, columns.ravel())), shape=(n_points, n_points))
    weights = sparse.csr_array(graph + graph.T)
    operator = DiffusionOperator(weights).to(dtype)
    step_size = operator.max_convex_step_size / 2
    x = torch.randn(n_points, n_features, dtype=dtype)
    step = sparse.csr_array(
        sparse.eye_array(n_points) - step_size * (sparse.diags_array(weights.sum(axis=1)) - weights)
    ).astype(x.numpy().dtype)

    def scipy_steps() -> Any:
        y = x.numpy()
        for _ in range(n_steps):
            y = step @ y
        return y

    def our_steps() -> torch.Tensor:
        return operator.diffuse(x, step_size, n_steps, method="euler")

    error = np.abs(our_steps().numpy() - scipy_steps()).max()
    times = take_turns({"diffresnet": our_steps, "scipy": scipy_steps}, 7)
    ours, theirs = times["diffresnet"]["median_seconds"], times["scipy"]["median_seconds"]
    return {
        "question": f"CSR diffusion against SciPy's product, 100,000 x 64, 10 steps, {dtype}",
        "threads": n_threads,
        "stored_weights": int(weights.nnz),
        "time_relative_to_scipy": ours / theirs,
        "largest_difference": float(error),
        "times": times,
    }


def main() -> None:
    """Run everything with one thread and with two."""
    results: list[dict[str, Any]] = []
    for n_threads in (1, 2):
        set_threads(n_threads)
        for dtype in (torch.float32, torch.float64):
            results.append(chebyshev_against_euler(n_threads, dtype))
            results.append(csr_against_scipy(n_threads, dtype))
    write_results("diffusion", "python benchmarks/diffusion.py", results)


if __name__ == "__main__":
    main()
