"""`diffresnet reproduce`: the tables and figures of the paper, ours beside theirs."""

import typer

from diffresnet.cli.lazy import add_commands

app = typer.Typer(
    help="Compute the tables and figures of the paper, and show them beside what it reports.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback()
def main() -> None:
    """Compute the tables and figures of the paper, and show them beside what it reports."""


COMMANDS = {
    "ablation": (
        "diffresnet.cli.reproduce.tables:ablation",
        'Compare prototypes, diffusion, a network, and both (Table "ablation").',
    ),
    "depth": (
        "diffresnet.cli.reproduce.nodes:depth",
        'Compare GCN and Diff-ResNet with 2 to 32 layers (Figure "graph").',
    ),
    "fewshot": (
        "diffresnet.cli.reproduce.tables:fewshot",
        'Compare every method with its own transforms (Table "fewshot").',
    ),
    "n-top": (
        "diffresnet.cli.reproduce.curves:n_top",
        'Vary how many neighbors each point is linked to (Figure "n_top").',
    ),
    "nodes": (
        "diffresnet.cli.reproduce.nodes:nodes",
        'Compare every method on the citation graphs (Table "graph").',
    ),
    "steps": (
        "diffresnet.cli.reproduce.curves:steps",
        'Vary the number of steps at the same strength, 5 (Figure "steps").',
    ),
    "strength": (
        "diffresnet.cli.reproduce.curves:strength",
        'Vary how much is diffused: steps times step size (Figure "strength").',
    ),
    "synthetic": (
        "diffresnet.cli.reproduce.synthetic:synthetic",
        "Show diffusion on the XOR, moon, circle and spiral sets (Section 5.1, Appendix E.1).",
    ),
    "theory": (
        "diffresnet.cli.reproduce.theory:theory",
        "Show the growth of L/D, a directed graph that breaks Proposition 1, and hinges.",
    ),
    "time": (
        "diffresnet.cli.reproduce.curves:time",
        'Measure seconds per task by number of steps and by solver (Figure "time").',
    ),
    "tsne": (
        "diffresnet.cli.reproduce.tables:tsne",
        'Draw one task before and after diffusion, by t-SNE (Figure "tsne").',
    ),
    "xor": (
        "diffresnet.cli.reproduce.xor:xor",
        "Diffuse the XOR set, print L, D and L/D along the way, and draw it.",
    ),
}
add_commands(app, COMMANDS)
