import json
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from diffresnet.studio.serving import HOST, Place, bind
from tests.studio.studios import write_clusters


def test_a_port_that_is_taken_is_refused() -> None:
    first = bind(Place())
    port = first.getsockname()[1]
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        bind(Place(port=port))
    assert str(refused.value) == (
        f"--port must be one that is free, got {port}, taken. Choose another, or close a studio."
    )
    second = bind(Place())
    assert second.getsockname()[1] != port
    first.close()
    second.close()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.com"])  # noqa: S104
def test_others_may_not_reach_it_unasked(host: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        bind(Place(host=host))
    assert str(refused.value).startswith("--host must be 127.0.0.1, this machine alone, got")
    assert "--allow-remote" in str(refused.value)


def test_an_address_of_another_machine_is_refused() -> None:
    with pytest.raises(ValueError, match="--host and --port must be an address of this machine"):
        bind(Place(host="192.0.2.1", allow_remote=True))


def start(path: Path) -> tuple["subprocess.Popen[str]", str]:
    """Start a studio in a process of its own, and return its address."""
    command = [sys.executable, "-m", "diffresnet.cli", "studio", str(path), "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603
    assert process.stdout is not None
    said = process.stdout.readline()
    assert said.startswith(f"The studio is at http://{HOST}:")
    return process, said.split()[-1]


def talk(address: str, path: str, content: object = None, cookie: str = "") -> tuple[bytes, str]:
    body = None if content is None else json.dumps(content).encode()
    headers = {"Content-Type": "application/json", "Cookie": cookie}
    request = urllib.request.Request(address + path, body, headers)  # noqa: S310
    with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
        return answer.read(), answer.headers.get("Set-Cookie", "").split(";")[0]


def ready(address: str) -> tuple[str, str]:
    """Return the base and the cookie of a studio, once it is open."""
    base, token = address.split("/#token=")
    cookie = talk(base, "/api/session", {"token": token})[1]
    for _ in range(600):
        project = json.loads(talk(base, "/api/project", cookie=cookie)[0])
        if project["stage"] == "ready":
            return base, cookie
        time.sleep(0.1)
    raise AssertionError("it did not open")


@pytest.mark.slow
def test_a_killed_server_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    path = write_clusters(tmp_path)
    process, address = start(path)
    base, cookie = ready(address)
    for row, name in enumerate("abc"):
        command = {"kind": "add_class", "name": name, "selection": {"rows": [30 * row]}, "tab": ""}
        talk(base, "/api/gestures", command, cookie)
    later = {"kind": "label", "class": 1, "selection": {"rows": [35]}, "tab": ""}
    talk(base, "/api/gestures", later, cookie)  # a first look; nothing is learned from it yet
    process.send_signal(signal.SIGKILL)
    process.communicate()
    process, address = start(path)
    base, cookie = ready(address)
    project = json.loads(talk(base, "/api/project", cookie=cookie)[0])
    assert [one["name"] for one in project["classes"]] == ["a", "b", "c"]
    assert [one["n_labels"] for one in project["classes"]] == [1, 2, 1]
    assert project["version"] == 4
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode in (0, 130)


@pytest.mark.slow
def test_a_studio_ends_quietly_while_a_tab_listens(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "diffresnet.cli", "studio", str(write_clusters(tmp_path))]
    with subprocess.Popen(  # noqa: S603
        [*command, "--no-browser"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        base, cookie = ready(process.stdout.readline().split()[-1])
        request = urllib.request.Request(f"{base}/api/events", headers={"Cookie": cookie})  # noqa: S310
        with urllib.request.urlopen(request, timeout=60) as events:  # noqa: S310
            assert events.readline() == b"event: project\n"
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=60)[1]
    assert process.returncode in (0, 130)
    assert said == ""


def test_loopback_only(tmp_path: Path) -> None:
    found = bind(Place())
    assert found.getsockname()[0] == HOST
    assert found.family == socket.AF_INET
    found.close()
    assert not list(tmp_path.iterdir())
