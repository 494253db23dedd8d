"""`diffresnet reproduce`: the tables and figures of the paper, ours beside theirs."""

import typer

from diffresnet.cli.lazy import LOOK, add_commands

app = typer.Typer(
    **LOOK,
    help="Compute the tables and figures of the paper, and show them beside what it reports.",
    no_args_is_help=True,
    add_completion=False,
)
COMMANDS = {
    "ablation": "diffresnet.cli.reproduce.fewshot:ablation",
    "depth": "diffresnet.cli.reproduce.nodes:depth",
    "fewshot": "diffresnet.cli.reproduce.fewshot:fewshot",
    "n-top": "diffresnet.cli.reproduce.fewshot:n_top",
    "nodes": "diffresnet.cli.reproduce.nodes:nodes",
    "steps": "diffresnet.cli.reproduce.fewshot:steps",
    "strength": "diffresnet.cli.reproduce.fewshot:strength",
    "synthetic": "diffresnet.cli.reproduce.synthetic:synthetic",
    "theory": "diffresnet.cli.reproduce.theory:theory",
    "time": "diffresnet.cli.reproduce.fewshot:time",
    "tsne": "diffresnet.cli.reproduce.fewshot:tsne",
    "xor": "diffresnet.cli.reproduce.xor:xor",
}
add_commands(app, COMMANDS)
