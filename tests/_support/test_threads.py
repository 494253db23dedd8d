import torch

from diffresnet._support.threads import limited_threads


def test_threads_are_given_back() -> None:
    before = torch.get_num_threads()
    with limited_threads(1):
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == before
    with limited_threads(None):
        assert torch.get_num_threads() == before
