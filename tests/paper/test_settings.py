import pytest

from diffresnet.paper import settings


def test_numbers_of_appendix_e1() -> None:
    assert (settings.XOR.n_top, settings.XOR.bandwidth, settings.XOR.step_size) == (20, 0.5, 1.0)
    assert settings.XOR_STEPS == (0, 1, 10, 20, 200)


@pytest.mark.parametrize(
    ("name", "n_top", "n_steps", "learning_rate"),
    [("moon", 25, 60, 1.0), ("circle", 50, 200, 1.0), ("spiral", 25, 900, 0.8)],
)
def test_numbers_of_the_planar_sets(
    name: str, n_top: int, n_steps: int, learning_rate: float
) -> None:
    found = settings.SYNTHETIC[name]
    assert (found.diffusion.n_top, found.n_steps, found.learning_rate) == (
        n_top,
        n_steps,
        learning_rate,
    )
    assert (found.diffusion.bandwidth, found.diffusion.step_size) == (0.5, 1.0)
