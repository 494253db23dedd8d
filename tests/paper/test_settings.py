from diffresnet.paper import settings


def test_numbers_of_appendix_e1() -> None:
    assert (settings.XOR.n_top, settings.XOR.bandwidth, settings.XOR.step_size) == (20, 0.5, 1.0)
    assert settings.XOR_STEPS == (0, 1, 10, 20, 200)
