import copy
import pickle
import warnings
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse
from torch import Tensor

from diffresnet import DiffusionOperator, StabilityWarning, build_weights, normalize
from diffresnet._support.types import DiffusionMethod, Normalization
from tests import reference

METHODS: tuple[DiffusionMethod, ...] = ("auto", "euler", "chebyshev", "power")
DOUBLE = torch.float64


def randn(*shape: int, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=DOUBLE)


def symmetric_weights(n_points: int = 12, seed: int = 0) -> Tensor:
    weights = randn(n_points, n_points, seed=seed).abs()
    weights = torch.where(weights > 0.7, weights, 0)
    return weights + weights.mT


def random_operators(seed: int, n_points: int = 9) -> list[DiffusionOperator]:
    """Return the same symmetric weights, dense and CSR."""
    weights = symmetric_weights(n_points, seed)
    return [DiffusionOperator(weights), DiffusionOperator(weights.to_sparse_csr())]


# --- against the authors' code and against loops


@pytest.mark.parametrize("method", ["auto", "euler", "power"])
def test_equals_the_program_on_xor(
    method: DiffusionMethod, reference_numbers: Callable[[str], dict[str, NDArray[np.float64]]]
) -> None:
    xor = reference_numbers("xor.npz")
    weights = build_weights(xor["points"], 20, bandwidth=0.5, normalization="row")
    operator = DiffusionOperator(weights.to_dense() if method == "power" else weights)
    for step in (1, 10, 20, 200):
        diffused = operator.diffuse(xor["points"], 1.0, step, method=method)
        np.testing.assert_allclose(diffused.numpy(), xor[f"step{step}"], rtol=0, atol=1e-9)
    along = operator.states(xor["points"], 1.0, [1, 10, 20, 200], method=method)
    for step, state in zip((1, 10, 20, 200), along, strict=True):
        np.testing.assert_allclose(state.numpy(), xor[f"step{step}"], rtol=0, atol=1e-9)


@given(seed=st.integers(0, 99), step_size=st.floats(0, 0.3), n_steps=st.integers(0, 5))
def test_equals_loops(seed: int, step_size: float, n_steps: int) -> None:
    weights = randn(6, 6, seed=seed).abs()  # not symmetric
    x = randn(6, 2, seed=seed + 1)
    expected = reference.diffuse(weights.tolist(), x.tolist(), step_size, n_steps)
    for layout in (weights, weights.to_sparse_csr(), weights.numpy()):
        operator = DiffusionOperator(layout)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", StabilityWarning)
            diffused = operator.diffuse(x, step_size, n_steps)
        torch.testing.assert_close(diffused, torch.tensor(expected, dtype=DOUBLE))
        energy = pytest.approx(reference.energy(weights.tolist(), x.tolist()))
        assert operator.energy(x).item() == energy


# --- properties


@given(seed=st.integers(0, 99), method=st.sampled_from(METHODS), n_steps=st.integers(0, 60))
def test_constants_and_means_are_preserved(
    seed: int, method: DiffusionMethod, n_steps: int
) -> None:
    for operator in random_operators(seed):
        if method == "power" and operator.weights.layout == torch.sparse_csr:
            continue
        step_size = operator.max_stable_step_size
        constant = torch.full((9, 2), 3.0, dtype=DOUBLE)
        x = randn(9, 2, seed=seed)
        kept = operator.diffuse(constant, step_size, n_steps, method=method)
        torch.testing.assert_close(kept, constant, rtol=1e-9, atol=0)
        mean = operator.diffuse(x, step_size, n_steps, method=method).mean(dim=0)
        torch.testing.assert_close(mean, x.mean(dim=0), rtol=0, atol=1e-9)


@given(seed=st.integers(0, 99), part=st.floats(0.01, 1), csr=st.booleans())
def test_the_range_never_grows_below_the_convex_bound(seed: int, part: float, *, csr: bool) -> None:
    weights = randn(9, 9, seed=seed).abs()
    weights[0] = 0  # an isolated point
    operator = DiffusionOperator(weights.to_sparse_csr() if csr else weights)
    x = randn(9, 3, seed=seed + 1)
    low, high = x.amin(dim=0) - 1e-12, x.amax(dim=0) + 1e-12
    for state in operator.states(x, part * operator.max_convex_step_size, range(1, 8)):
        assert (state >= low).all()
        assert (state <= high).all()


@given(seed=st.integers(0, 99), part=st.floats(0.01, 1), csr=st.booleans())
def test_energy_falls_below_the_stable_bound(seed: int, part: float, *, csr: bool) -> None:
    operator = random_operators(seed)[csr]
    steps = operator.states(
        randn(9, 3, seed=seed), part * operator.max_stable_step_size, range(8), method="euler"
    )
    energies = [operator.energy(state).item() for state in steps]
    assert all(later <= now * (1 + 1e-9) for now, later in pairwise(energies))


def test_the_stable_bound_is_sharp() -> None:
    operator = DiffusionOperator(symmetric_weights())
    eigenvector = torch.linalg.eigh(operator.laplacian).eigenvectors[:, -1]
    at_bound = operator.diffuse(eigenvector, operator.max_stable_step_size, 40, method="euler")
    torch.testing.assert_close(at_bound, eigenvector)
    with pytest.warns(StabilityWarning):
        above = operator.diffuse(eigenvector, 1.05 * operator.max_stable_step_size, 40)
    assert above.norm() > 10


@given(seed=st.integers(0, 99), n_steps=st.integers(0, 30), csr=st.booleans())
def test_permuting_the_points_permutes_the_result(seed: int, n_steps: int, *, csr: bool) -> None:
    operator = random_operators(seed)[csr]
    weights = operator.weights.to_dense()
    order = torch.randperm(9, generator=torch.Generator().manual_seed(seed))
    permuted = weights[order][:, order]
    other = DiffusionOperator(permuted.to_sparse_csr() if csr else permuted)
    x, step_size = randn(9, 2, seed=seed), operator.max_convex_step_size
    expected = operator.diffuse(x, step_size, n_steps)[order]
    torch.testing.assert_close(other.diffuse(x[order], step_size, n_steps), expected)


@pytest.mark.parametrize("normalization", ["row", "symmetric", "sinkhorn"])
@given(seed=st.integers(0, 99), n_steps=st.integers(0, 40))
def test_dense_equals_csr(normalization: Normalization, seed: int, n_steps: int) -> None:
    weights = normalize(randn(9, 9, seed=seed).abs(), normalization)
    dense, csr = DiffusionOperator(weights), DiffusionOperator(weights.to_sparse_csr())
    x, step_size = randn(9, 2, seed=seed), dense.max_convex_step_size
    assert csr.max_convex_step_size == pytest.approx(step_size)
    torch.testing.assert_close(csr.degrees, dense.degrees)
    torch.testing.assert_close(csr.laplacian.to_dense(), dense.laplacian)
    expected = dense.diffuse(x, step_size, n_steps)
    torch.testing.assert_close(csr.diffuse(x, step_size, n_steps), expected)
    torch.testing.assert_close(csr.energy(x), dense.energy(x))


@given(
    seed=st.integers(0, 99),
    n_steps=st.integers(0, 500),
    bound=st.sampled_from(["max_convex_step_size", "max_stable_step_size"]),
    tolerance=st.sampled_from([1e-3, 1e-6, 1e-9]),
)
def test_chebyshev_equals_euler_to_its_tolerance(
    seed: int, n_steps: int, bound: str, tolerance: float
) -> None:
    x = randn(9, 3, seed=seed)
    for operator in random_operators(seed):
        step_size = float(getattr(operator, bound))
        euler = operator.diffuse(x, step_size, n_steps, method="euler")
        series = operator.diffuse(x, step_size, n_steps, method="chebyshev", tolerance=tolerance)
        assert ((series - euler).norm(dim=0) <= tolerance * x.norm(dim=0) + 1e-11).all()


@given(seed=st.integers(0, 99), n_steps=st.integers(0, 500))
def test_power_equals_euler(seed: int, n_steps: int) -> None:
    weights = torch.stack([symmetric_weights(9, seed), randn(9, 9, seed=seed).abs()])
    operator = DiffusionOperator(weights)
    x = randn(2, 9, 3, seed=seed)
    power, euler = (
        operator.diffuse(x, operator.max_convex_step_size, n_steps, method=method)
        for method in ("power", "euler")
    )
    torch.testing.assert_close(power, euler)


@pytest.mark.parametrize("method", METHODS)
def test_every_component_tends_to_its_mean(method: DiffusionMethod) -> None:
    weights = torch.block_diag(symmetric_weights(5, 1), symmetric_weights(7, 2))
    operator = DiffusionOperator(weights)
    x = randn(12, 3)
    limit = operator.diffuse(x, operator.max_convex_step_size, 5000, method=method)
    torch.testing.assert_close(limit[:5], x[:5].mean(dim=0).expand(5, 3), rtol=0, atol=1e-5)
    torch.testing.assert_close(limit[5:], x[5:].mean(dim=0).expand(7, 3), rtol=0, atol=1e-5)


@given(seed=st.integers(0, 99), n_steps=st.integers(0, 50), csr=st.booleans())
def test_a_collapsed_operator_takes_all_steps_at_once(
    seed: int, n_steps: int, *, csr: bool
) -> None:
    weights = randn(9, 9, seed=seed).abs()
    operator = DiffusionOperator(weights.to_sparse_csr() if csr else weights)
    x, step_size = randn(9, 2, seed=seed), operator.max_convex_step_size
    expected = operator.diffuse(x, step_size, n_steps, method="euler")
    torch.testing.assert_close(operator.collapse(step_size, n_steps).diffuse(x, 1.0, 1), expected)


def test_a_step_too_long_to_collapse() -> None:
    operator = DiffusionOperator(torch.tensor([[0.0, 0.5], [0.5, 0.0]]))
    with pytest.raises(ValueError, match="collapse") as error:
        operator.collapse(3.0, 2)
    assert str(error.value) == (
        "collapse: `step_size` must be at most `max_convex_step_size` (2), got 3. "
        "Take more, smaller steps."
    )


# --- gradients


@pytest.mark.parametrize("method", ["euler", "chebyshev", "power"])
@pytest.mark.parametrize("layout", ["dense", "csr", "batch"])
def test_gradients_to_features(method: DiffusionMethod, layout: str) -> None:
    weights = symmetric_weights(6)
    operator = DiffusionOperator(
        {"dense": weights, "csr": weights.to_sparse_csr(), "batch": weights.expand(2, 6, 6)}[layout]
    )
    if method == "power" and layout == "csr":
        return
    x = randn(2, 6, 3) if layout == "batch" else randn(6, 3)

    def diffuse(y: Tensor) -> Tensor:
        return operator.diffuse(y, operator.max_convex_step_size, 9, method=method)

    assert torch.autograd.gradcheck(diffuse, (x.requires_grad_(),))
    assert torch.autograd.gradcheck(operator.energy, (x,))


@pytest.mark.parametrize("csr", [False, True])
def test_gradients_through_weights_that_are_not_symmetric(*, csr: bool) -> None:
    weights = normalize(randn(6, 6).abs(), "row")
    operator = DiffusionOperator(weights.to_sparse_csr() if csr else weights)
    x = randn(6, 2).requires_grad_()

    def squared(y: Tensor) -> Tensor:
        return operator.diffuse(y, 0.5, 4).square()

    assert torch.autograd.gradcheck(squared, (x,))
    assert torch.autograd.gradgradcheck(squared, (x,))
    assert torch.autograd.gradcheck(operator.energy, (x,))


@pytest.mark.parametrize("method", ["euler", "chebyshev", "power"])
def test_gradients_to_dense_weights(method: DiffusionMethod) -> None:
    half = randn(2, 4, 4).abs().requires_grad_()
    x = randn(2, 4, 2).requires_grad_()

    def diffuse(w: Tensor, y: Tensor) -> Tensor:
        return DiffusionOperator(w + w.mT).diffuse(y, 0.05, 3, method=method, tolerance=1e-12)

    assert torch.autograd.gradcheck(diffuse, (half, x))


def test_an_operator_can_be_used_for_several_backward_passes() -> None:
    weights = symmetric_weights(5).requires_grad_()
    operator = DiffusionOperator(weights)
    for _ in range(2):
        operator.diffuse(randn(5, 2), 0.1, 3, method="euler").sum().backward()
        operator.energy(randn(5, 2)).backward()
    assert weights.grad is not None


# --- shapes, limits, choices


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 3, 4), (0,)])
def test_features_of_any_shape(method: DiffusionMethod, shape: tuple[int, ...]) -> None:
    operator = DiffusionOperator(symmetric_weights(5))
    x = randn(5, *shape)
    flat = operator.diffuse(x.reshape(5, x[0].numel()), 0.1, 4, method=method)
    assert operator.diffuse(x, 0.1, 4, method=method).shape == x.shape
    torch.testing.assert_close(operator.diffuse(x, 0.1, 4, method=method), flat.reshape(x.shape))
    batch = DiffusionOperator(symmetric_weights(5).expand(2, 5, 5))
    both = batch.diffuse(torch.stack([x, 2 * x]), 0.1, 4, method=method)
    torch.testing.assert_close(both[1], 2 * flat.reshape(x.shape))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("step_size", "n_steps"), [(0.0, 5), (0.1, 0)])
def test_no_diffusion_returns_a_copy(
    method: DiffusionMethod, step_size: float, n_steps: int
) -> None:
    x = randn(5, 2)
    operator = DiffusionOperator(symmetric_weights(5))
    diffused = operator.diffuse(x, step_size, n_steps, method=method)
    assert torch.equal(diffused, x)
    assert diffused.data_ptr() != x.data_ptr()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("weights", [torch.eye(3), torch.zeros(3, 3), torch.ones(1, 1)])
def test_isolated_points_stay(method: DiffusionMethod, weights: Tensor) -> None:
    operator = DiffusionOperator(weights)
    assert operator.max_convex_step_size == operator.max_stable_step_size == float("inf")
    x = torch.arange(len(weights)).unsqueeze(1)
    assert torch.equal(operator.diffuse(x, 7.0, 100, method=method), x.float())


def test_integers_and_numpy() -> None:
    weights = symmetric_weights(5)
    operator = DiffusionOperator(weights.numpy())
    x = np.arange(10).reshape(5, 2)
    expected = operator.diffuse(torch.from_numpy(x).double(), 0.1, 2)
    assert torch.equal(operator.diffuse(x, 0.1, 2), expected)
    single = DiffusionOperator(weights.float())
    assert single.diffuse(x, 0.1, 2).dtype == torch.float32


def test_states_start_from_the_one_before() -> None:
    operator = DiffusionOperator(symmetric_weights())
    x = randn(12, 2)
    steps = [0, 0, 3, 10]
    states = list(operator.states(x, 0.02, steps))
    for step, state in zip(steps, states, strict=True):
        torch.testing.assert_close(state, operator.diffuse(x, 0.02, step, method="euler"))


def test_an_operator_moves_and_is_pickled() -> None:
    operator = DiffusionOperator(symmetric_weights(5).to_sparse_csr())
    x = randn(5, 2)
    expected = operator.diffuse(x, 0.1, 3)
    assert torch.equal(pickle.loads(pickle.dumps(operator)).diffuse(x, 0.1, 3), expected)  # noqa: S301
    single = operator.to(torch.float32)
    torch.testing.assert_close(single.diffuse(x.float(), 0.1, 3), expected.float())
    assert repr(single) == "DiffusionOperator(shape=(5, 5), csr, torch.float32)"


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
@pytest.mark.parametrize("batched", [False, True])
def test_the_same_on_a_gpu(*, batched: bool) -> None:
    points = randn(3, 50, 20) if batched else randn(50, 20)
    operators = [DiffusionOperator(build_weights(p, 7)) for p in (points, points.cuda())]
    expected, found = (
        operator.diffuse(points.to(operator.weights.device), 0.5, 20) for operator in operators
    )
    torch.testing.assert_close(found.cpu(), expected)


# --- numbers that could cancel, overflow or go stale


@pytest.mark.parametrize("csr", [False, True])
def test_energy_does_not_cancel(*, csr: bool) -> None:
    weights = symmetric_weights(6)
    operator = DiffusionOperator(weights.to_sparse_csr() if csr else weights)
    x = randn(6, 2)
    torch.testing.assert_close(operator.energy(x + 1e6), operator.energy(x), rtol=1e-8, atol=0)
    assert operator.energy(torch.full((6, 2), 1e6, dtype=DOUBLE)).item() == 0


@pytest.mark.parametrize("csr", [False, True])
def test_weights_to_oneself_cancel(*, csr: bool) -> None:
    weights = symmetric_weights(6).fill_diagonal_(0)
    heavy = weights.clone().fill_diagonal_(1e20)
    plain, operator = (DiffusionOperator(w.to_sparse_csr() if csr else w) for w in (weights, heavy))
    assert operator.max_convex_step_size == plain.max_convex_step_size
    x = randn(6, 2)
    assert torch.equal(operator.diffuse(x, 0.1, 50), plain.diffuse(x, 0.1, 50))
    directed = weights.triu().fill_diagonal_(1e20)
    assert not DiffusionOperator(directed.to_sparse_csr() if csr else directed).is_symmetric


@pytest.mark.parametrize("method", ["euler", "chebyshev", "power"])
@pytest.mark.parametrize("batched", [False, True])
def test_autocast_does_not_shorten_the_numbers(method: DiffusionMethod, *, batched: bool) -> None:
    weights = symmetric_weights(6).float()
    operator = DiffusionOperator(weights.expand(2, 6, 6) if batched else weights)
    x = randn(2, 6, 3).float() if batched else randn(6, 3).float()
    expected = operator.diffuse(x, 0.05, 40, method=method)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(operator.diffuse(x, 0.05, 40, method=method), expected)


def test_trained_weights_never_go_stale() -> None:
    weights = torch.nn.Parameter(symmetric_weights(4))
    with torch.no_grad():
        operator = DiffusionOperator(weights)
        bound = operator.max_convex_step_size
        weights.mul_(2)
    assert operator.max_convex_step_size == pytest.approx(bound / 2)
    ones = torch.ones(4, dtype=DOUBLE)
    torch.testing.assert_close(operator.diffuse(ones, 0.01, 3), ones)
    constant = symmetric_weights(4)
    frozen = DiffusionOperator(constant)
    constant.zero_()
    assert frozen.max_convex_step_size == pytest.approx(bound)


def test_states_may_be_changed() -> None:
    operator = DiffusionOperator(symmetric_weights(5))
    x = randn(5, 2)
    expected = operator.diffuse(x, 0.05, 2)
    found: list[Tensor] = []
    for state in operator.states(x, 0.05, [0, 1, 2]):
        found.append(state.clone())
        state.zero_()
    torch.testing.assert_close(found[-1], expected)


def test_very_many_steps() -> None:
    pair = DiffusionOperator(torch.tensor([[0.0, 0.5], [0.5, 0.0]]).to_sparse_csr())
    found = pair.diffuse(torch.tensor([0.0, 1.0]), 0.3, 10**9, method="chebyshev")
    torch.testing.assert_close(found, torch.tensor([0.5, 0.5]), rtol=0, atol=1e-4)
    dense = DiffusionOperator(torch.tensor([[0.0, 1.0], [1.0, 0.0]]))
    with pytest.raises(ValueError, match="made the features overflow"):
        dense.diffuse(torch.tensor([0.0, 1.0]), 1 + 9e-7, 10**9, method="power")


def test_nan_is_passed_on() -> None:
    operator = DiffusionOperator(symmetric_weights(5))
    x = randn(5, 2)
    x[3, 0] = torch.nan
    diffused = operator.diffuse(x, 0.05, 2)
    assert diffused[3, 0].isnan()
    assert diffused[:, 1].isfinite().all()


@pytest.mark.parametrize("csr", [False, True])
def test_many_points_without_links(*, csr: bool) -> None:
    weights = torch.eye(300)
    operator = DiffusionOperator(weights.to_sparse_csr() if csr else weights)
    assert operator.max_stable_step_size == float("inf")


def test_a_long_path_has_a_bound_soon() -> None:
    n_points = 5000
    places = np.arange(n_points - 1)
    half = sparse.coo_array((np.ones(n_points - 1), (places, places + 1)), (n_points, n_points))
    operator = DiffusionOperator(sparse.csr_array(half + half.T))
    assert 0.5 <= operator.max_stable_step_size <= 0.5001


def test_copies_and_functional_gradients() -> None:
    operator = DiffusionOperator(symmetric_weights(5).to_sparse_csr())
    x = randn(5, 2)

    def loss(y: Tensor) -> Tensor:
        return operator.diffuse(y, 0.05, 3).square().sum()

    torch.testing.assert_close(
        copy.deepcopy(operator).diffuse(x, 0.05, 3), operator.diffuse(x, 0.05, 3)
    )
    leaf = x.clone().requires_grad_()
    loss(leaf).backward()
    torch.testing.assert_close(torch.func.grad(loss)(x), leaf.grad)


def test_lists_of_numbers() -> None:
    operator = DiffusionOperator(torch.tensor([[0.0, 0.5], [0.5, 0.0]]))
    assert operator.diffuse([0.0, 1.0], 1.0, 1).tolist() == [0.5, 0.5]  # type: ignore[arg-type]
    assert operator.energy([0, 1]).item() == 0.5  # type: ignore[arg-type]


# --- stability and bad input


def test_bounds_have_their_closed_forms() -> None:
    pair = DiffusionOperator(torch.tensor([[5.0, 0.5], [0.5, 0.0]]))
    assert pair.max_convex_step_size == 2.0  # 1 / (5.5 - 5)
    assert pair.max_stable_step_size == pytest.approx(2.0)  # eigenvalues 0 and 1
    cycle = torch.zeros(4, 4)
    for i in range(4):
        cycle[i, (i + 1) % 4] = cycle[(i + 1) % 4, i] = 1
    batch = DiffusionOperator(torch.stack([cycle, 2 * cycle]))
    assert batch.max_convex_step_size == 0.25
    assert batch.max_stable_step_size == pytest.approx(0.25)  # eigenvalues 0, 4, 4, 8


def test_a_bipartite_pair_oscillates_at_the_bound() -> None:
    pair = DiffusionOperator(torch.tensor([[0.0, 1.0], [1.0, 0.0]]))
    x = torch.tensor([0.0, 1.0])
    assert pair.diffuse(x, 1.0, 1).tolist() == [1, 0]
    assert pair.diffuse(x, 1.0, 2).tolist() == [0, 1]


def test_unstable_steps_warn_and_name_the_bound() -> None:
    pair = DiffusionOperator(torch.tensor([[0.0, 0.5], [0.5, 0.0]]))
    with pytest.warns(StabilityWarning) as warned:
        pair.diffuse(torch.tensor([0.0, 1.0]), 3.0, 1)
    assert str(warned[0].message) == (
        "diffuse: `step_size` 3 is above `max_stable_step_size` = 2, up to which diffusion is "
        "known to be stable; features may grow from step to step. Lower `step_size` and raise "
        "`n_steps`."
    )
    assert warned[0].filename == __file__
    directed = DiffusionOperator(torch.tensor([[0.0, 0.5], [0.0, 0.0]]))
    with pytest.warns(StabilityWarning, match="3 is above `max_convex_step_size` = 2"):
        directed.diffuse(torch.tensor([0.0, 1.0]), 3.0, 1)


def test_a_step_between_the_bounds_does_not_warn() -> None:
    operator = DiffusionOperator(symmetric_weights())
    assert operator.max_convex_step_size < operator.max_stable_step_size
    operator.diffuse(randn(12, 1), operator.max_stable_step_size, 3)


def test_overflow_is_an_error_not_a_nan() -> None:
    operator = DiffusionOperator(symmetric_weights())
    with (
        pytest.warns(StabilityWarning),
        pytest.raises(ValueError, match="made the features overflow"),
    ):
        operator.diffuse(randn(12, 1), 100.0, 5000)


def raised_by(call: Callable[[], object]) -> str:
    with pytest.raises(ValueError, match="must be") as error:
        call()
    return str(error.value)


def test_bad_input() -> None:
    operator = DiffusionOperator(symmetric_weights(5))
    directed = DiffusionOperator(randn(5, 5).abs())
    csr = DiffusionOperator(symmetric_weights(5).to_sparse_csr())
    x = randn(5, 2)
    assert raised_by(lambda: operator.diffuse(randn(4, 2), 0.1, 1)) == (
        "diffuse: `x` must be of shape (5, ...), the operator's points first, got shape (4, 2). "
        "Check the order of the axes and which operator belongs to these points."
    )
    assert raised_by(lambda: operator.diffuse(x.float(), 0.1, 1)) == (
        "diffuse: `x` must be torch.float64 like the weights, got torch.float32. "
        "Convert `x`, or use `operator.to(torch.float32)`."
    )
    assert raised_by(lambda: operator.diffuse(x, -0.1, 1)) == (
        "diffuse: `step_size` must be a finite number of at least 0, got -0.1. "
        "Pass a non-negative `step_size`."
    )
    assert raised_by(lambda: operator.diffuse(x, 0.1, -1)) == (
        "diffuse: `n_steps` must be at least 0, got -1. Raise `n_steps`."
    )
    assert raised_by(lambda: operator.diffuse(x, 0.1, 1, tolerance=0)) == (
        "diffuse: `tolerance` must be a finite positive number, got 0. Pass a positive `tolerance`."
    )
    assert raised_by(lambda: operator.diffuse(x, 0.1, 1, method="rk4")) == (  # type: ignore[arg-type]
        "diffuse: `method` must be one of 'auto', 'euler', 'chebyshev', 'power', got 'rk4'. "
        "Choose one of these."
    )
    assert raised_by(lambda: directed.diffuse(x, 0.01, 1, method="chebyshev")) == (
        "diffuse: `weights` must be symmetric, got weights that are not. "
        "Build them with normalization 'symmetric' or 'sinkhorn'."
    )
    assert raised_by(lambda: directed.max_stable_step_size) == (
        "max_stable_step_size: `weights` must be symmetric, got weights that are not. "
        "Build them with normalization 'symmetric' or 'sinkhorn'."
    )
    assert raised_by(lambda: csr.diffuse(x, 0.1, 1, method="power")) == (
        "diffuse: `method` must be 'euler' or 'chebyshev' for CSR weights, got 'power'. "
        "Use 'euler' or 'chebyshev', or dense weights."
    )
    with pytest.warns(StabilityWarning):
        message = raised_by(lambda: operator.diffuse(x, 50.0, 2, method="chebyshev"))
    assert message.startswith("diffuse: `step_size` must be at most `max_stable_step_size` (")
    assert raised_by(lambda: operator.to(torch.int64)) == (
        "to: `target` must be a device, torch.float32 or torch.float64, got torch.int64. Use one."
    )
    assert raised_by(lambda: operator.diffuse(sparse.csr_array(np.eye(5)), 0.1, 1)) == (  # type: ignore[arg-type]
        "diffuse: `x` must be a dense array, got a csr_array. Call `.toarray()` on it."
    )
    assert raised_by(lambda: operator.states(x, 0.1, [2, 1])) == (
        "states: `steps` must be non-decreasing, got [2, 1]. Sort `steps`."
    )
    assert raised_by(lambda: DiffusionOperator(torch.ones(2, 3))) == (
        "DiffusionOperator: `weights` must be square, of shape (N, N) or, dense, (T, N, N), "
        "got shape (2, 3). Pass one row and one column a point."
    )


def test_more_steps_than_a_series_has_room_for() -> None:
    operator = DiffusionOperator(symmetric_weights(5))
    x, message = randn(5, 2), r"steps` must be at most 1,000,000,000, got 9223372036854775807\. Low"
    with pytest.raises(ValueError, match=message):
        operator.diffuse(x, 0.1, 2**63 - 1)
    with pytest.raises(ValueError, match=message):
        operator.collapse(0.1, 2**63 - 1)
    with pytest.raises(ValueError, match=message):
        operator.states(x, 0.1, [0, 2**63 - 1])


def test_an_energy_that_is_too_large_a_number() -> None:
    for weights in (symmetric_weights(5), symmetric_weights(5).to_sparse_csr()):
        operator = DiffusionOperator(weights.double())
        x = 1e308 * torch.tensor([1.0, -1, 1, -1, 1], dtype=torch.float64)
        with pytest.raises(ValueError, match="energy: `x` must be of moderate size, got numbers"):
            operator.energy(x)
        assert operator.energy(torch.full((5,), torch.nan, dtype=torch.float64)).isnan()
