import pytest

from diffresnet.nodes.catalog import METHOD_NAMES, make_method
from diffresnet.nodes.channel_method import ChannelDiffResNet
from diffresnet.nodes.diffresnet_method import TrainedDiffResNet
from diffresnet.nodes.kernel_method import KernelDiffResNet


def test_every_name() -> None:
    made = [make_method(name) for name in METHOD_NAMES]
    assert len({method.name for method in made}) == len(METHOD_NAMES)


def test_settings() -> None:
    given = TrainedDiffResNet(0.4, 10, 0.3)
    assert make_method("diffresnet", given) is given
    assert make_method("no-diffresnet", given) == TrainedDiffResNet(0.4, 0, 0.3)
    assert isinstance(make_method("diffresnet", solver="kernel"), ChannelDiffResNet)
    assert make_method("kernel-refitted") == ChannelDiffResNet(refit=True)
    assert make_method("diffusion-kernel") == KernelDiffResNet()


def test_wrong_names() -> None:
    with pytest.raises(ValueError, match="make_method: `name` must be one of 'diffresnet'"):
        make_method("resnet")
    with pytest.raises(ValueError, match="`solver` must be 'train' for 'gcn', got 'kernel'"):
        make_method("gcn", solver="kernel")
