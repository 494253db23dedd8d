import subprocess
import sys


def test_the_module_is_the_command() -> None:
    command = [sys.executable, "-m", "diffresnet.cli", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.startswith("diffresnet ")
