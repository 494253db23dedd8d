"""`python -m diffresnet`, for those whose shell does not find the command."""

from diffresnet.cli import app

if __name__ == "__main__":  # documentation tools import every module
    app(prog_name="diffresnet")
