import torch

from diffresnet.paper.synthetic.experiment import MAKERS, RECIPES, SyntheticRun
from diffresnet.paper.synthetic.seeds import SeedStudy, study_seeds


def make_study() -> SeedStudy:
    accuracies = ((0.5, 1.0, 1.0), (0.5, 1.0, 0.6), (0.5, 0.6, 0.7), (0.5, 0.7, 0.5))
    accuracies = (*accuracies, (0.5, 0.6, 0.0))
    dead, diverged = (0, 0, 0, 1, 0), (False, False, False, False, True)
    runs = zip(accuracies, dead, diverged, strict=True)
    return SeedStudy("moon", "program", True, tuple(SyntheticRun(a, {}, n, d) for a, n, d in runs))


def test_summaries() -> None:
    study = make_study()
    assert study.at(1) == {"mean_accuracy": 0.78, "n_successes": 2}
    assert study.failures() == {
        "n_failed": 4,
        "n_diverged": 1,
        "n_with_dead_units": 1,
        "n_thrown_out_by_the_step": 1,
        "n_not_there_yet": 1,
    }
    assert study.to_json((0, 2))["by_epoch"]["2"]["n_successes"] == 1


def test_every_set_and_recipe_is_studied() -> None:
    n_threads = torch.get_num_threads()
    studies = study_seeds(1, 1)
    assert torch.get_num_threads() == n_threads
    found = {(study.name, study.recipe, study.diffused) for study in studies}
    assert found == {(n, r, d) for n in MAKERS for r in RECIPES for d in (True, False)}
    assert all(len(study.runs[0].accuracies) == 2 for study in studies)
