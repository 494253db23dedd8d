"""Table "graph" (Section 5.2): every method on the same splits of the citation graphs."""

from collections.abc import Mapping, Sequence
from functools import partial
from math import nan

from diffresnet.measuring.statistics import percent, percent_interval
from diffresnet.nodes.catalog import make_method
from diffresnet.nodes.protocol import NodeResult, compare
from diffresnet.paper.nodes.plan import SOURCE, NodePlan
from diffresnet.paper.published import NODE_ACCURACY, NODE_GRAPHS
from diffresnet.paper.settings import NODE_SETTINGS
from diffresnet.report.files import Report
from diffresnet.report.intervals import draw_intervals
from diffresnet.report.page import Heading, Paragraph, Picture, Table
from diffresnet.report.panels import in_all_formats

Results = Mapping[str, Sequence[NodeResult]]
"""By graph, one of each method."""


def report_nodes(plan: NodePlan, methods: Sequence[str]) -> Report:
    """Compute the table and show it beside the paper's."""
    results = {
        name: [plan.run(name, make_method(method, NODE_SETTINGS[name])) for method in methods]
        for name in plan.graphs
    }
    panels = {
        name.capitalize(): {
            "ours": {one.method: percent_interval(one.of_splits()) for one in found},
        }
        for name, found in results.items()
    }
    pictures = in_all_formats("nodes", partial(draw_intervals, panels))
    summary, differences = _accuracies(results), _differences(results)
    first = next(iter(results.values()))[0].method
    parts = [
        Paragraph(f"Table 'graph' of {SOURCE}, computed anew, every row by us. {plan.describe()}"),
        Paragraph(
            "Ours: percent ± deviation over all runs, as in the paper. The paper: 100 splits, 20 "
            "initializations; its rows of CGNN, GDE and GRAND come from another protocol (larger "
            "validation sets), so they are not like for like. A method that is not random has one "
            "run a split."
        ),
        summary,
        Picture(pictures["nodes.png"], "image/png", "Mean accuracy, 95 % interval over splits."),
        Heading("Paired differences"),
        Paragraph(f"{first} minus each other method, split by split, with the 95 % interval."),
        differences,
    ]
    numbers = {
        "command": plan.command("nodes", "--methods", ",".join(methods)),
        "results": {name: [one.to_json() for one in found] for name, found in results.items()},
        "published_graphs": NODE_GRAPHS,
        "published_percent": NODE_ACCURACY,
    }
    return Report("Citation graphs", parts, pictures, numbers, [summary, differences])


def _accuracies(results: Results) -> Table:
    heads = [f"{name.capitalize()}, {who}" for name in results for who in ("ours", "the paper")]
    rows: list[list[str]] = []
    for found in zip(*results.values(), strict=True):
        cells: list[str] = []
        for name, one in zip(results, found, strict=True):
            cells.append(percent(one.mean, one.std if len(one.runs) > 1 else nan, digits=1))
            published, place = NODE_ACCURACY.get(one.method), NODE_GRAPHS.index(name)
            cells.append("{} ± {}".format(*published[place]) if published else "-")
        rows.append([found[0].method, *cells])
    return Table(["method", *heads], rows)


def _differences(results: Results) -> Table:
    rows: list[list[str]] = []
    for found in zip(*results.values(), strict=True):
        pairs = zip(results.values(), found, strict=True)
        differences = [compare(firsts[0], one) for firsts, one in pairs]
        cells = [percent(one.difference, one.ci95, sign=True, digits=1) for one in differences]
        seconds = " / ".join(f"{one.seconds_per_run:.3g}" for one in found)
        rows.append([found[0].method, *cells, seconds])
    heads = [name.capitalize() for name in results]
    return Table(["the first minus", *heads, "seconds per run"], rows)
