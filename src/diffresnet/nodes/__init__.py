"""Node classification: graphs, splits, Diff-ResNet and baselines, and a protocol that finishes."""

from diffresnet.nodes.adaptation import ProportionsAdapted
from diffresnet.nodes.catalog import METHOD_NAMES, make_method
from diffresnet.nodes.channel_method import ChannelDiffResNet
from diffresnet.nodes.citation import find_citation_graph
from diffresnet.nodes.deep_diffresnet import DeepDiffResNet
from diffresnet.nodes.diffresnet_method import TrainedDiffResNet
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.kernel_method import KernelDiffResNet
from diffresnet.nodes.method import NodeMethod
from diffresnet.nodes.protocol import NodeResult, compare, run_protocol
from diffresnet.nodes.splits import GivenSplit, Split, SplitProtocol
from diffresnet.nodes.standardization import CODE_STEPS, standardize
from diffresnet.nodes.training import NodeSchedule

__all__ = [
    "CODE_STEPS",
    "METHOD_NAMES",
    "ChannelDiffResNet",
    "DeepDiffResNet",
    "GivenSplit",
    "KernelDiffResNet",
    "NodeGraph",
    "NodeMethod",
    "NodeResult",
    "NodeSchedule",
    "ProportionsAdapted",
    "Split",
    "SplitProtocol",
    "TrainedDiffResNet",
    "compare",
    "find_citation_graph",
    "make_method",
    "run_protocol",
    "standardize",
]
