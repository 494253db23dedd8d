from diffresnet.nodes.diffresnet_method import TrainedDiffResNet
from diffresnet.nodes.kernel_method import KernelDiffResNet
from diffresnet.nodes.method import NodeMethod


def test_ours_are_methods() -> None:
    methods: list[NodeMethod] = [TrainedDiffResNet(), KernelDiffResNet()]
    assert [method.is_random for method in methods] == [True, False]
