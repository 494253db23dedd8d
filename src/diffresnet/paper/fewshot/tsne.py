"""Figure "tsne" (Section 5.3): the points of one task, before and after diffusion."""

from dataclasses import dataclass
from typing import Any

import torch
from sklearn.manifold import TSNE
from torch import Tensor

from diffresnet._support.threads import limited_threads
from diffresnet._support.words import count
from diffresnet.diffusion.operator import DiffusionOperator
from diffresnet.fewshot import Episodes, EpisodeSampler
from diffresnet.fewshot.methods import NearestPrototype
from diffresnet.paper.fewshot.ablation_methods import ablation_network
from diffresnet.paper.fewshot.plan import SOURCE, TaskPlan, task_shape
from diffresnet.paper.settings import FEWSHOT_SHOTS
from diffresnet.report.embedding import Embedding, draw_embeddings
from diffresnet.report.files import Report
from diffresnet.report.page import Heading, Paragraph, Picture, Table
from diffresnet.report.panels import in_all_formats
from diffresnet.theory import distance_diameter_ratio

PERPLEXITY = 20.0
RANDOM_STATE = 0


@dataclass(frozen=True)
class TaskView:
    """The points of a task, before or after diffusion.

    Attributes:
        n_steps: of diffusion; 0 before it.
        points: (N, d), the labeled ones first.
        labels: (N,) between 0 and the number of classes of the task.
        class_names: of these.
        n_shots: labels of each class.
    """

    n_steps: int
    points: Tensor
    labels: Tensor
    class_names: tuple[str, ...]
    n_shots: int

    @property
    def n_support(self) -> int:
        """Labeled points."""
        return self.n_shots * len(self.class_names)

    @property
    def accuracy(self) -> float:
        """Part of the queries whose nearest prototype is that of their class."""
        n_support, n_classes = self.n_support, len(self.class_names)
        support, query = self.points[None, :n_support], self.points[None, n_support:]
        episodes = Episodes(support, query, self.labels[None, :n_support], n_classes)
        right = NearestPrototype()(episodes).argmax(dim=-1) == self.labels[n_support:]
        return float(right.double().mean())

    @property
    def between_within_ratio(self) -> float:
        """The mean distance of points of two classes, divided by that within a class."""
        distances = torch.cdist(self.points, self.points)
        alike = self.labels[:, None] == self.labels
        others = ~torch.eye(len(self.labels), dtype=torch.bool)
        return float(distances[~alike].mean() / distances[alike & others].mean())

    @limited_threads(1)
    def embed(self) -> Embedding:
        """Return the points in the plane, by t-SNE."""
        perplexity = min(PERPLEXITY, (len(self.points) - 1) / 3)
        model = TSNE(perplexity=perplexity, random_state=RANDOM_STATE)
        planar = torch.from_numpy(model.fit_transform(self.points.numpy()))
        title = ", ".join(self.words)
        return Embedding(title, planar, self.labels, self.n_support, self.class_names)

    @property
    def words(self) -> tuple[str, str]:
        """The number of shots, and before or after how many steps."""
        when = f"after {count(self.n_steps, 'step')}" if self.n_steps else "before diffusion"
        return count(self.n_shots, "shot"), when

    def to_json(self) -> dict[str, Any]:
        """Return the numbers, for a file."""
        return {
            "n_shots": self.n_shots,
            "n_steps": self.n_steps,
            "classes": list(self.class_names),
            "distance_diameter_ratio": distance_diameter_ratio(self.points, self.labels),
            "between_within_ratio": self.between_within_ratio,
            "nearest_prototype_accuracy": self.accuracy,
        }

    def to_row(self) -> list[str]:
        """Return the cells of a table."""
        ratios = self.between_within_ratio, distance_diameter_ratio(self.points, self.labels)
        return [*self.words, *(f"{ratio:.2f}" for ratio in ratios), f"{100 * self.accuracy:.1f}"]


def view_task(plan: TaskPlan, n_shots: int, task: int) -> tuple[TaskView, TaskView]:
    """Draw the task of this number, and diffuse it with the steps of the ablation."""
    sampler = EpisodeSampler(plan.bank, task_shape(n_shots), split=plan.split, seed=plan.seed)
    indices = sampler.draw([task])
    points = Episodes.fill(indices, plan.bank.features, plan.bank.base_mean()).points
    network = ablation_network(n_shots, "kernel")
    operator = DiffusionOperator(network.graph.weights(points, points @ points.mT))
    diffused = operator.diffuse(points, network.step_size, network.n_steps)
    labels = torch.cat([indices.support_labels[0], indices.query_labels[0]])
    names = tuple(plan.bank.class_names[int(which)] for which in indices.classes[0])
    return (
        TaskView(0, points[0], labels, names, n_shots),
        TaskView(network.n_steps, diffused[0], labels, names, n_shots),
    )


def report_tsne(plan: TaskPlan, *, task: int) -> Report:
    """Draw one task of each number of shots, before and after diffusion."""
    pairs = [view_task(plan, n_shots, task) for n_shots in FEWSHOT_SHOTS]
    views = [view for pair in pairs for view in pair]
    embeddings = [[view.embed() for view in pair] for pair in pairs]
    pictures = in_all_formats("tsne", lambda kind: draw_embeddings(embeddings, kind))
    heads = ["task", "features", "between/within", "L/D", "nearest prototype (%)"]
    summary = Table(heads, [view.to_row() for view in views])
    caption = "Stars: labeled points. Circles: queries. Colors: classes."
    where = "" if plan.split is None else f" of the split '{plan.split}'"
    parts = [
        Paragraph(
            f"Figure 'tsne' of {SOURCE}, taken as they are. "
            f"Task {task} with seed {plan.seed}{where} of {plan.name}; graph, steps and step size "
            "are those of the ablation. The points are diffused without a network, and brought to "
            f"the plane by t-SNE (perplexity {PERPLEXITY:g}, random state {RANDOM_STATE})."
        ),
        Heading("Ours"),
        Paragraph(
            "The numbers are of the features themselves. Between/within: the mean distance between "
            "points of two classes, divided by that between points of one. L/D: the smallest "
            "distance between two classes, divided by the largest diameter of one; it also falls "
            "where a single point is linked to another class. Last: queries that are nearest to "
            "the mean of their class's labeled points."
        ),
        Paragraph(
            "The paper finds points of a class drawn together by diffusion, more visibly for one "
            "shot than for five, and a class that falls into two subclasses."
        ),
        Picture(pictures["tsne.png"], "image/png", caption),
        summary,
    ]
    numbers = {
        "command": plan.command("tsne", "--task", str(task)),
        "results": [view.to_json() for view in views],
    }
    return Report("One task, before and after diffusion", parts, pictures, numbers, [summary])
