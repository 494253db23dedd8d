"""What the theory says of a set of points, in sentences."""

from diffresnet._support.words import count
from diffresnet.theory import Separation, TheoryAnalysis


def describe_structure(found: TheoryAnalysis) -> list[str]:
    """Say whether the points are structured as Proposition 1 asks."""
    parts, span = found.subclasses, found.n_top_range
    lines = [
        f"The graph of {found.n_top} neighbors has {count(parts.n_components, 'component')}; "
        f"subclasses, these split by class: {parts.n_subclasses}.",
        f"L, the smallest distance between two of them, is {parts.min_distance:.4g}; D, the "
        f"largest diameter, {parts.max_diameter:.4g}; their hulls are "
        f"{found.min_hull_distance:.4g} apart.",
    ]
    if parts.are_structured:
        lines.append("Structured: no link between subclasses, and each of them is connected.")
    else:
        lines.append(
            f"Not structured: {parts.n_crossing_links} links between subclasses, "
            f"{parts.n_scattered} subclasses in pieces. Diffusion will mix classes there."
        )
    if span.exists:
        lines.append(f"These subclasses are structured for n_top from {span.low} to {span.high}.")
    else:
        lines.append(
            f"No n_top makes them so: each is connected from {span.low} on, and links between "
            f"them come above {span.high}."
        )
    return lines


def describe_stability(found: TheoryAnalysis) -> list[str]:
    """Say whether the steps are stable, and how fast they are."""
    report = found.stability
    if report.is_convex:
        verdict = "Stable: hulls grow at no step"
    elif report.is_stable:
        verdict = "Stable: features do not grow, but hulls may"
    else:
        verdict = "Not stable: features may grow"
    lines = [
        f"{verdict} (step size {report.step_size:.4g}; convex up to "
        f"{report.max_convex_step_size:.4g}, stable up to {report.max_stable_step_size:.4g}).",
        f"A step leaves {report.contraction:.6g} of the slowest mode (lambda_2 "
        f"{report.second_eigenvalue:.4g}, lambda_max {report.largest_eigenvalue:.4g}).",
    ]
    if report.oscillates:
        lines.append(
            "Some mode turns around for ever and never fades, as on a bipartite component: take a "
            "smaller step size."
        )
    n_steps = report.count_steps(1e-3)
    if n_steps is not None:
        lines.append(f"After {count(n_steps, 'step')} a thousandth of it is left.")
    return lines


def describe_separation(found: TheoryAnalysis) -> list[str]:
    """Say what Theorems 1 and 2 give, before and after diffusion."""
    last = len(found.growth.ratios) - 1
    lines = [
        f"Theorem 2, bound '{one.bound}': L/D must be {one.required:.4g}, "
        + (f"reached at step {one.step}." if one.step is not None else f"not within {last} steps.")
        for one in found.reached
    ]
    shown = [found.raw] if found.diffused is found.raw else [found.raw, found.diffused]
    return [*lines, *(_describe_network(one) for one in shown)]


def _describe_network(one: Separation) -> str:
    when = "Raw points" if one.step == 0 else f"After {count(one.step, 'step')}"
    if one.flow is None:
        return f"{when}: {one.direction}, so that there is no network to write down."
    verdict = "separates" if one.flow.separates else f"gets {one.flow.n_wrong} points wrong on"
    return (
        f"{when}: {one.direction}. The network of Theorem 1 {verdict} the classes with "
        f"{count(one.flow.n_layers, 'layer')} and {one.flow.n_variables} variables."
    )
