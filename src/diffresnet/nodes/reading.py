"""A graph with features and labels, from the files that users have."""

from pathlib import Path

from diffresnet._support.checks import refuse
from diffresnet._support.words import some
from diffresnet.files.arrays import read_arrays
from diffresnet.files.frames import TABLES, check_file
from diffresnet.files.labels import DEFAULT_LABEL
from diffresnet.files.links import read_graph
from diffresnet.files.points import read_points
from diffresnet.nodes.citation import CHECKSUMS, find_citation_graph, recognize
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.standardization import CODE_STEPS, StandardStep, standardize

WHAT = "GRAPH"
LINK_STEPS: tuple[StandardStep, ...] = ("undirected", "without-loops", "largest-component")
FEATURE_STEPS: tuple[StandardStep, ...] = ("binary-features", "row-features")


def read_node_graph(
    name: str, nodes: Path | None, *, id_column: str | None, label_column: str | None
) -> NodeGraph:
    """Read a graph by the name of a citation graph, from an .npz file, or from links and nodes.

    Args:
        name: of a citation graph, or a file: .npz, or .csv or .parquet with links between the ids
            in `nodes`.
        nodes: features and labels, as `read_points` reads them.
        id_column: of `nodes`.
        label_column: of `nodes`.

    Raises:
        ValueError: if something in a file is wrong.
        OSError: if a graph cannot be downloaded.
    """
    if name in CHECKSUMS and not Path(name).is_file():
        if nodes is not None:
            remedy = "Leave it out, or name a file of links."
            refuse("--nodes", "left out with a citation graph", nodes, remedy)
        return NodeGraph.from_file(find_citation_graph(name))
    if not Path(name).suffix and not Path(name).exists():
        refuse(WHAT, f"a file, or one of {some(list(CHECKSUMS))}", name, "Check the name.")
    suffix = check_file(Path(name), WHAT, (".npz", *TABLES))
    if nodes is None:
        if suffix != ".npz":
            remedy = "Pass --nodes FILE with an id, a label and features for each node."
            refuse("--nodes", "given with a table of links", "nothing", remedy)
        return NodeGraph.from_file(name)
    if suffix == ".npz" and "attr_shape" in read_arrays(Path(name), WHAT, wanted=_is_shape):
        must = "left out with an .npz file that has features itself"
        refuse("--nodes", must, nodes, "Leave it out.")
    points = read_points(
        nodes, id_column=id_column, label_column=label_column, need_labels=True, what="--nodes"
    )
    if points.labels is None:
        must = f"a file with a column '{label_column or DEFAULT_LABEL}'"
        refuse("--nodes", must, nodes, "Name the labels by --label-column.")
    links = read_graph(Path(name), points.ids, WHAT, "--nodes")
    return NodeGraph.from_arrays(links, points.features, points.labels)


def _is_shape(name: str) -> bool:
    return name == "attr_shape"


def parse_steps(text: str | None, graph: NodeGraph) -> tuple[StandardStep, ...]:
    """Return the steps that standardize the graph, "none" for none.

    By default they are those of the authors' code for its own graphs. Of others, links keep their
    weights, and features that are no counts of words stay as they are.
    """
    if text is None:
        if recognize(standardize(graph)) is not None:
            return CODE_STEPS
        values = graph.features.data
        are_counts = bool((values >= 0).all() and (values == values.round()).all())
        return LINK_STEPS + (FEATURE_STEPS if are_counts else ())
    if text == "none":
        return ()
    names = text.split(",")
    found: tuple[StandardStep, ...] = tuple(
        step for name in names for step in CODE_STEPS if step == name
    )
    if len(found) < len(names):
        must = f"'none', or of {some(CODE_STEPS, 10)}"
        refuse("--standardize", must, f"'{text}'", "Join them by commas.")
    return found


def standardized(graph: NodeGraph, steps: tuple[StandardStep, ...]) -> NodeGraph:
    """Take the steps, and refuse a graph that diffusion cannot use."""
    done = standardize(graph, steps)
    links = done.adjacency
    if abs(links - links.T).nnz:
        must, remedy = "undirected", "Leave 'undirected' among the steps of --standardize."
        refuse(WHAT, must, "links of one direction", remedy)
    if links.nnz == 0:
        got, remedy = f"{graph.n_nodes} nodes without any", "Classify features alone by classify."
        refuse(WHAT, "a graph with links", got, remedy)
    if done.n_classes < 2:
        got = f"{done.n_classes} among {done.n_nodes} nodes"
        refuse(WHAT, "a graph of two classes or more", got, "Label nodes of each class.")
    return done
