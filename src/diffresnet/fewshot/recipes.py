"""Every few-shot method by its name, with the transforms and settings that its authors give it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from torch import Tensor

from diffresnet._support.checks import check_choice, fail
from diffresnet.fewshot.episodes import Episodes, EpisodeShape
from diffresnet.fewshot.methods import (
    Bavardage,
    DiffResNetMethod,
    EpNet,
    Ilpc,
    LabelSpreading,
    LaplacianShot,
    NearestPrototype,
    ProtoLp,
    PtMap,
    SoftKMeans,
    Solver,
    Tim,
    Unem,
)
from diffresnet.fewshot.transforms import TRANSFORMS

MANY_SHOTS = 3
"""From this many shots on, settings that are published for five shots are used; below, for one."""


class Method(Protocol):
    """Classifies the queries of a batch of episodes."""

    def __call__(self, episodes: Episodes, /) -> Tensor:
        """Return scores (T, n_query, n_classes), the largest for the likeliest class."""
        ...


@dataclass(frozen=True)
class Recipe:
    """A method, and what is done to the features before it.

    Attributes:
        name: of the recipe.
        method: classifies episodes.
        transforms: names of the transforms that come first; see `TRANSFORMS`. Any may be tried.
        ending: names of those that follow and belong to the method, such as ``"rectify"``.
    """

    name: str
    method: Method
    transforms: tuple[str, ...] = ()
    ending: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in (*self.transforms, *self.ending):
            check_choice("Recipe", "transforms", name, tuple(TRANSFORMS))


TITLES: Mapping[str, str] = {
    "nearest-prototype": "nearest prototype",
    "simpleshot": "SimpleShot",
    "laplacianshot": "LaplacianShot",
    "convection": "Convection",
    "external": "External Convection-Diffusion",
    "diffresnet": "Diff-ResNet (Internal Convection-Diffusion)",
    "diffresnet-proportions": "Diff-ResNet, proportions unknown",
    "epnet": "EPNet",
    "pt-ncm": "PT+NCM",
    "bd-cspn": "BD-CSPN",
    "soft-kmeans": "soft k-means",
    "kmeans-proportions": "soft k-means, proportions unknown",
    "ease": "EASE + soft k-means",
    "tim": "TIM",
    "alpha-tim": "alpha-TIM",
    "pt-map": "PT-MAP",
    "pt-map-bpa": "PT-MAP + BPA",
    "protolp": "protoLP",
    "ilpc": "iLPC",
    "bavardage": "BAVARDAGE",
    "unem": "UNEM",
    "label-spreading": "label spreading (LGC)",
}
"""Every recipe, and how it is called in tables."""

ASSUME_BALANCE = frozenset({"pt-map", "pt-map-bpa", "protolp", "ilpc", "tim"})
"""Those that presume as many queries of every class."""

PAPER_TRANSFORMS = ("center", "l2", "shift")

UNEVEN_BALANCE = -0.5
"""`balance` for queries whose proportions are not known to be even; see `proportions`."""


def proportional_network(
    balance: float,
    *,
    prototype_weight: float = 0.2,
    solver: Solver = "kernel",
) -> DiffResNetMethod:
    """Return Diff-ResNet that presumes `balance`, in its prototypes and in its answer."""
    return DiffResNetMethod(
        n_steps=4,
        prototype_weight=prototype_weight,
        refinement=SoftKMeans(20.0, 25, 0.3, balance),
        identity_weight=4.0,
        undiffused_part=0.5,
        balance=balance,
        solver=solver,
    )


def make_recipe(name: str, shape: EpisodeShape, *, solver: Solver = "kernel") -> Recipe:
    """Return a method with published settings for tasks of this shape.

    They are those of its authors, or of the authors' code (`laplacianshot`: lambda .5, which its
    authors choose on validation classes). Those whose name ends in ``-proportions`` are ours: they
    presume even classes if the shape says that queries are balanced, and estimate the proportions
    if it does not.

    Args:
        name: one of `TITLES`.
        shape: of the tasks; some methods have other settings for five shots than for one.
        solver: of the methods that train a network.

    Raises:
        ValueError: if there is no such method.

    Examples:
        >>> make_recipe("simpleshot", EpisodeShape()).transforms
        ('center', 'l2')
    """
    check_choice("make_recipe", "name", name, tuple(TITLES))
    many = shape.n_support >= MANY_SHOTS * shape.n_ways
    rectify = ("rectify",)
    balance = math.inf if shape.dirichlet is None else UNEVEN_BALANCE
    recipes = [
        Recipe("nearest-prototype", NearestPrototype()),
        Recipe("simpleshot", NearestPrototype(), ("center", "l2")),
        Recipe("laplacianshot", LaplacianShot(squared=True), PAPER_TRANSFORMS, rectify),
        Recipe("convection", DiffResNetMethod(n_steps=0, solver=solver), PAPER_TRANSFORMS),
        Recipe(
            "external",
            DiffResNetMethod(n_steps=0, output_laplacian_weight=0.01, solver=solver),
            PAPER_TRANSFORMS,
        ),
        Recipe(
            "diffresnet",
            DiffResNetMethod(n_steps=3, prototype_weight=0.5, solver=solver)
            if many
            else DiffResNetMethod(n_steps=6, solver=solver),
            PAPER_TRANSFORMS,
            rectify if many else (),
        ),
        Recipe(
            "diffresnet-proportions",
            proportional_network(balance, prototype_weight=0.05 if many else 0.2, solver=solver),
            ("center", "l2"),
        ),
        Recipe("epnet", EpNet()),
        Recipe("pt-ncm", NearestPrototype(), ("power", "l2")),
        Recipe("bd-cspn", NearestPrototype("cosine"), PAPER_TRANSFORMS, rectify),
        Recipe("soft-kmeans", SoftKMeans(), ("center", "l2")),
        Recipe("kmeans-proportions", SoftKMeans(20.0, 25, 0.3, balance), ("center", "l2")),
        Recipe("ease", SoftKMeans(10.0, 40, 0.2), ("power", "l2"), ("ease", "l2")),
        Recipe("tim", Tim(), ("l2",)),
        Recipe("alpha-tim", Tim(7.0 if many else 2.0, 1.0, 1.0), ("l2",)),
        Recipe("pt-map", PtMap(), ("power", "l2", "center-own", "l2")),
        Recipe("pt-map-bpa", PtMap(), ("power", "l2", "center-own", "l2"), ("bpa", "l2")),
        Recipe("protolp", ProtoLp(), ("power", "l2", "center-task", "l2")),
        Recipe("ilpc", Ilpc(), ("power", "l2", "center-own", "l2")),
        Recipe("bavardage", Bavardage(), ("center", "l2")),
        Recipe("unem", Unem(), ("center", "l2")),
        Recipe("label-spreading", LabelSpreading(), PAPER_TRANSFORMS),
    ]
    return next(recipe for recipe in recipes if recipe.name == name)


def with_steps(recipe: Recipe, n_steps: int) -> Recipe:
    """Return a recipe of Diff-ResNet with another number of diffusion steps.

    Raises:
        ValueError: if the recipe does not diffuse.
    """
    method = recipe.method
    if not (isinstance(method, DiffResNetMethod) and method.n_steps > 0):
        remedy = "Leave the steps out, or choose 'diffresnet'."
        fail("with_steps", "recipe", "of Diff-ResNet", repr(recipe.name), remedy)
    return replace(recipe, method=replace(method, n_steps=n_steps))


def with_balance(recipe: Recipe, balance: float) -> Recipe:
    """Return a recipe that presumes something else of the proportions of the queries.

    Raises:
        ValueError: if the method has no such setting, or the number is below -1.

    Examples:
        >>> with_balance(make_recipe("pt-map", EpisodeShape()), 0.0).method
        PtMap(sharpness=10.0, rate=0.2, n_rounds=20, balance=0.0)
    """
    method = recipe.method
    if not isinstance(method, DiffResNetMethod | SoftKMeans | PtMap):
        must = "of Diff-ResNet, soft k-means or PT-MAP"
        remedy = "Leave the balance out, or choose 'diffresnet-proportions'."
        fail("with_balance", "recipe", must, repr(recipe.name), remedy)
    if isinstance(method, DiffResNetMethod) and method.refinement is not None:
        method = replace(method, refinement=replace(method.refinement, balance=balance))
    return replace(recipe, method=replace(method, balance=balance))
