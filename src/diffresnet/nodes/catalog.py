"""The methods for nodes by their names."""

from collections.abc import Iterable
from dataclasses import replace
from importlib import import_module
from typing import Literal, TypeAlias, get_args

from diffresnet._support.checks import check_choice, fail
from diffresnet._support.extras import needs_extra
from diffresnet.nodes.baselines.appnp import Appnp
from diffresnet.nodes.baselines.coin import Coin
from diffresnet.nodes.baselines.convolution import PUBLISHED
from diffresnet.nodes.baselines.correct_and_smooth import CorrectAndSmooth
from diffresnet.nodes.baselines.filters import Gpr, Sgc, Sign
from diffresnet.nodes.baselines.flow import CHOSEN
from diffresnet.nodes.baselines.label_propagation import LabelPropagation
from diffresnet.nodes.baselines.mlp import Mlp
from diffresnet.nodes.baselines.tuned_gcn import TunedGcn
from diffresnet.nodes.channel_method import ChannelDiffResNet
from diffresnet.nodes.diffresnet_method import TrainedDiffResNet
from diffresnet.nodes.kernel_method import KernelDiffResNet
from diffresnet.nodes.method import NodeMethod
from diffresnet.nodes.self_training import SelfTrained

NodeSolver: TypeAlias = Literal["train", "kernel"]

DIFFUSION = "diffresnet"
KERNEL = "kernel"
REFITTED = "kernel-refitted"
DIFFUSION_KERNEL = "diffusion-kernel"
SELF_TRAINED = "self-trained"
NO_DIFFUSION = "no-diffresnet"
LABELS_ALONE = "label-propagation"
BASELINES: dict[str, NodeMethod] = {
    "mlp": Mlp(),
    **PUBLISHED,
    "appnp": Appnp(),
    **CHOSEN,
    "gcn-tuned": TunedGcn(),
    "sgc": Sgc(),
    "sign": Sign(),
    "gpr": Gpr(),
    "coin": Coin(),
    "correct-and-smooth": CorrectAndSmooth(),
    LABELS_ALONE: LabelPropagation(),
}
METHOD_NAMES = (
    DIFFUSION,
    KERNEL,
    REFITTED,
    DIFFUSION_KERNEL,
    SELF_TRAINED,
    NO_DIFFUSION,
    *BASELINES,
)
NEEDING_GRAPHS = (*PUBLISHED, "appnp", *CHOSEN, "gcn-tuned")


def check_installed(names: Iterable[str]) -> None:
    """Raise before anything runs if methods need the extra `graphs`, which is not installed."""
    for name in names:
        if name in NEEDING_GRAPHS:
            with needs_extra(name, "graphs"):
                for module in ("torch_geometric", "torchdiffeq"):
                    import_module(module)


def make_method(
    name: str, trained: TrainedDiffResNet | None = None, *, solver: NodeSolver = "train"
) -> NodeMethod:
    """Return a method.

    Args:
        name: one of `METHOD_NAMES`; ``"kernel"`` is ``"diffresnet"`` by the solver of that name;
            ``"kernel-refitted"`` learns from validation nodes, too, once they have chosen;
            ``"diffusion-kernel"`` is the kernel of the paper's network, which always diffuses;
            ``"self-trained"`` is for one to five labels per class.
        trained: settings of Diff-ResNet, and of No-Diff-ResNet but for its steps; the paper's for
            Cora by default. The kernel chooses its own.
        solver: of Diff-ResNet: ``"train"`` the paper's network, or ``"kernel"`` with channels.

    Raises:
        ValueError: if there is no such method, or it has no kernel.

    Examples:
        >>> make_method("gcn").name, make_method("diffresnet", solver="kernel").name
        ('GCN', 'Diff-ResNet, channels')
    """
    check_choice("make_method", "name", name, METHOD_NAMES)
    check_choice("make_method", "solver", solver, get_args(NodeSolver))
    settings = trained or TrainedDiffResNet()
    if solver == "kernel" and name not in (DIFFUSION, KERNEL):
        remedy = "Use solver 'train' for the others."
        fail("make_method", "solver", f"'train' for {name!r}", "'kernel'", remedy)
    if solver == "kernel" or name == KERNEL:
        return ChannelDiffResNet()
    if name == REFITTED:
        return ChannelDiffResNet(refit=True)
    if name == DIFFUSION_KERNEL:
        return KernelDiffResNet()
    if name == SELF_TRAINED:
        return SelfTrained()
    if name == DIFFUSION:
        return settings
    return replace(settings, n_steps=0) if name == NO_DIFFUSION else BASELINES[name]
