import os
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
import torch
from torch import nn

from diffresnet.encoders.checkpoint import Checkpoint
from diffresnet.encoders.processes import (
    choose_device,
    process_count,
    process_group,
    process_rank,
    sum_over_processes,
    synchronize,
)
from tests.encoders.examples import make_drawings

TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone"]


def test_alone_there_is_one_process() -> None:
    assert (process_count(), process_rank()) == (1, 0)
    assert sum_over_processes(torch.ones(2)).tolist() == [1, 1]
    network = nn.Sequential(nn.BatchNorm2d(3))
    assert type(synchronize(network)[0]) is nn.BatchNorm2d  # pyright: ignore[reportIndexIssue]
    assert choose_device("cpu") == torch.device("cpu")


def test_each_process_of_a_machine_has_its_own_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_RANK", "3")
    monkeypatch.setattr(torch, "empty", Mock())  # whatever devices there are
    assert choose_device("cuda") == torch.device("cuda", 3)
    assert choose_device("cpu") == torch.device("cpu")


@pytest.mark.parametrize("size", ["2", "many"])
def test_other_processes_are_not_waited_for_unless_torchrun_started_them(
    monkeypatch: pytest.MonkeyPatch, size: str
) -> None:
    monkeypatch.setenv("WORLD_SIZE", size)
    message = f"WORLD_SIZE must be set by `torchrun`, got '{size}' without it. Start by `torchrun`"
    with pytest.raises(ValueError, match=message), process_group(torch.device("cpu")):
        pass
    for one in ("1", ""):
        monkeypatch.setenv("WORLD_SIZE", one)
        with process_group(torch.device("cpu")):
            assert process_count() == 1


@pytest.mark.parametrize("name", ["cuda:99", "nonsense", "meta"])
def test_a_device_that_is_not_there(name: str) -> None:
    with pytest.raises(ValueError, match=f"must be a device that torch has here, got '{name}'"):
        choose_device(name)


NORMALIZATION = """
import torch
from torch import nn
from diffresnet.encoders.processes import process_group, process_rank, synchronize
with process_group(torch.device("cpu")):
    torch.manual_seed(0)
    images = torch.randn(5, 3, 4, 4) * 2 + 1
    weights = torch.randn(5, 3, 4, 4)
    nn.init.normal_((plain := nn.BatchNorm2d(3)).weight)
    synced = synchronize(nn.Sequential(plain))[0]
    plain = nn.BatchNorm2d(3)
    plain.load_state_dict(synced.state_dict())
    whole = images.clone().requires_grad_()
    (plain(whole) * weights).sum().backward()
    mine = slice(0, 2) if process_rank() == 0 else slice(2, 5)
    part = images[mine].clone().requires_grad_()
    out = synced(part)
    (out * weights[mine]).sum().backward()
    torch.testing.assert_close(out, plain.train()(images)[mine], rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(part.grad, whole.grad[mine], rtol=1e-4, atol=1e-5)
    plain.reset_running_stats()
    plain(images)
    torch.testing.assert_close(synced.running_mean, plain.running_mean)
    torch.testing.assert_close(synced.running_var, plain.running_var)
    assert synced.num_batches_tracked == 1
    synced.eval(), plain.eval()
    torch.testing.assert_close(synced(part), plain(images)[mine])
"""


def _run(command: list[str]) -> None:
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)  # noqa: S603
    assert done.returncode == 0, done.stderr[-2000:] + done.stdout[-2000:]


def test_normalization_over_two_processes_is_that_of_one(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(NORMALIZATION)
    _run([*TORCHRUN, "--nproc-per-node", "2", str(program)])


def _compare_with_one(data: Path, words: list[str], rtol: float, atol: float) -> None:
    words = ["-m", "diffresnet.cli", "train-backbone", "--data", str(data), *words]
    words += ["--backbone", "conv4", "--learning-rate", "0.05"]
    one, two = data.with_name("one.pt"), data.with_name("two.pt")
    _run([sys.executable, *words, "--out", str(one)])
    _run([*TORCHRUN, "--nproc-per-node", "2", *words, "--out", str(two)])
    first, second = Checkpoint.load(one).weights, Checkpoint.load(two).weights
    assert first.keys() == second.keys()
    for name, weight in first.items():
        torch.testing.assert_close(second[name], weight, rtol=rtol, atol=atol)


def test_two_processes_train_the_weights_of_one(tmp_path: Path) -> None:
    pixels, labels = make_drawings(6, 11).reshape(-1, 16, 16), np.repeat(np.arange(6), 11)
    np.savez(tmp_path / "a.npz", images=pixels, labels=labels)
    words = ["--epochs", "2", "--batch-size", "22"]
    _compare_with_one(tmp_path / "a.npz", words, rtol=1e-3, atol=1e-4)


def test_two_processes_take_the_step_of_one_on_photographs(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    pixels = random.integers(0, 256, (40, 84, 84, 3)).astype(np.uint8)
    np.savez(tmp_path / "a.npz", images=pixels, labels=np.repeat(np.arange(4), 10))
    words = ["--epochs", "1", "--batch-size", "40"]
    _compare_with_one(tmp_path / "a.npz", words, rtol=1e-5, atol=1e-6)
