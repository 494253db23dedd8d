import subprocess
import sys


def test_the_module_is_the_command() -> None:
    command = [sys.executable, "-m", "diffresnet.cli", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.startswith("diffresnet ")


def test_so_is_the_package() -> None:
    command = [sys.executable, "-m", "diffresnet", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.startswith("diffresnet ")
