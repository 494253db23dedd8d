"""Few-shot methods, one file each: a batch of episodes in, scores of the queries out."""

from diffresnet.fewshot.methods.bavardage import Bavardage
from diffresnet.fewshot.methods.diff_resnet import DiffResNetMethod, Solver
from diffresnet.fewshot.methods.ep_net import EpNet
from diffresnet.fewshot.methods.ilpc import Ilpc
from diffresnet.fewshot.methods.label_spreading import LabelSpreading
from diffresnet.fewshot.methods.laplacian_shot import LaplacianShot
from diffresnet.fewshot.methods.nearest_prototype import NearestPrototype
from diffresnet.fewshot.methods.proto_lp import ProtoLp
from diffresnet.fewshot.methods.pt_map import PtMap
from diffresnet.fewshot.methods.soft_kmeans import SoftKMeans
from diffresnet.fewshot.methods.task_graph import TaskGraph
from diffresnet.fewshot.methods.tim import Tim
from diffresnet.fewshot.methods.unem import Unem

__all__ = [
    "Bavardage",
    "DiffResNetMethod",
    "EpNet",
    "Ilpc",
    "LabelSpreading",
    "LaplacianShot",
    "NearestPrototype",
    "ProtoLp",
    "PtMap",
    "SoftKMeans",
    "Solver",
    "TaskGraph",
    "Tim",
    "Unem",
]
