import pytest

from diffresnet.fewshot import EpisodeShape, make_recipe
from diffresnet.fewshot.methods import DiffResNetMethod, TaskGraph
from diffresnet.learning.tasks import Schedule
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


def test_numbers_of_appendix_e3() -> None:
    assert TaskGraph(n_top=7, bandwidth_rank=4) == settings.FEWSHOT_GRAPH
    assert Schedule() == settings.FEWSHOT_SCHEDULE
    assert settings.ABLATION_STEPS == {1: 10, 5: 5}
    weights = settings.LABEL_LAPLACIAN_WEIGHT, settings.OUTPUT_LAPLACIAN_WEIGHT
    assert weights == (0.5, 0.01)


@pytest.mark.parametrize("n_shots", [1, 5])
def test_the_recipe_has_the_numbers_of_the_table(n_shots: int) -> None:
    method = make_recipe("diffresnet", EpisodeShape(n_shots=n_shots)).method
    assert isinstance(method, DiffResNetMethod)
    assert method.n_steps == settings.FEWSHOT_STEPS["miniImageNet"][n_shots]
    assert method.prototype_weight == settings.FEWSHOT_PROTOTYPE_WEIGHT[n_shots]
    assert method.step_size == settings.FEWSHOT_STEP_SIZE
    assert (method.graph, method.schedule) == (settings.FEWSHOT_GRAPH, settings.FEWSHOT_SCHEDULE)


def test_numbers_of_appendix_e2() -> None:
    found = {
        name: (one.step_size, one.n_steps, one.dropout)
        for name, one in settings.NODE_SETTINGS.items()
    }
    assert found == {
        "cora": (0.25, 20, 0.25),
        "citeseer": (0.2, 20, 0.35),
        "pubmed": (0.4, 10, 0.3),
    }
    schedule = settings.NODE_SETTINGS["cora"].schedule
    assert (schedule.learning_rate, schedule.weight_decay, schedule.patience) == (0.01, 5e-4, 50)
