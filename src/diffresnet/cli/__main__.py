"""`python -m diffresnet.cli`, for programs such as `torchrun` that start modules."""

from diffresnet.cli import app

app(prog_name="diffresnet")
