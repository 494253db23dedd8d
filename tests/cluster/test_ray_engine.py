import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import diffresnet
from diffresnet.cluster import classify
from diffresnet.cluster.engine import Handles, Items
from diffresnet.cluster.ray_engine import (
    RayEngine,
    check_versions,
    connected,
    on_loopback,
    place_evenly,
    running_on,
    version,
)
from diffresnet.measuring.runs import run_all
from tests.cluster.examples import (
    FEATURES,
    largest_difference,
    make_job,
    predictions,
    write_labels,
    write_points,
)

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sockets that Ray leaves behind
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning:ray.*"),
]


@pytest.fixture
def points(tmp_path: Path) -> Path:
    return write_points(tmp_path / "points", 2, FEATURES[:300])


def listening_addresses(pids: set[int]) -> set[str]:
    """Return where processes listen, as the kernel's tables say."""
    inodes = set[str]()
    for pid in pids:
        with suppress(OSError):  # a process or a file that is gone
            for link in Path(f"/proc/{pid}/fd").iterdir():
                target = str(link.readlink())
                if target.startswith("socket:["):
                    inodes.add(target[8:-1])
    found = set[str]()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in inodes:
                found.add(fields[1].rsplit(":", 1)[0])
    return found


def test_a_cluster_of_this_machine_gives_the_same_and_listens_to_it_alone(
    tmp_path: Path, points: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ray", reason="needs the extra cluster")
    labels = write_labels(tmp_path / "labels.csv")
    with connected("auto", 2) as engine:
        found = classify(points, labels, out=tmp_path / "ray", cluster="auto")
        assert engine.n_workers == 2
        check_that_nobody_listens_outside()
        assert os.environ["RAY_USAGE_STATS_ENABLED"] == "0"
        with pytest.raises(ZeroDivisionError):
            engine.map(divmod, [(1, 0)])
        monkeypatch.setattr(diffresnet, "__version__", "9.9")  # here, but not in the workers
        with pytest.raises(ValueError, match=r"workers have diffresnet 9.9 on .*, got diff"):
            connected().__enter__()
        monkeypatch.undo()
        with running_on("auto"):
            shared = np.arange(5)
            runs = run_all(np.dot, [(shared, one * shared) for one in range(9)], n_jobs=1)
            assert sorted(runs) == [(one, 30 * one) for one in range(9)]
    classify(points, labels, out=tmp_path / "here", cluster="here")
    here, there = (predictions(tmp_path / name) for name in ("here", "ray"))
    assert found.n_points == 300
    assert largest_difference(here, there) < 1e-5


def check_that_nobody_listens_outside() -> None:
    if sys.platform == "linux":
        found_at = listening_addresses({os.getpid(), *_descendants(os.getpid())})
        assert found_at
        assert found_at <= {"0100007F", "0000000000000000FFFF00000100007F"}


def _descendants(root: int) -> list[int]:
    found = list[int]()
    for thread in Path(f"/proc/{root}/task").glob("*/children"):
        with suppress(OSError):
            found += map(int, thread.read_text().split())
    return [*found, *(one for pid in found for one in _descendants(pid))]


def test_without_the_extra(tmp_path: Path, points: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    labels = write_labels(tmp_path / "labels.csv")
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'diffresnet\[cluster\]'"):
        classify(points, labels, out=tmp_path / "out", cluster="auto")


def test_an_address_where_no_cluster_answers(tmp_path: Path, points: Path) -> None:
    pytest.importorskip("ray", reason="needs the extra cluster")
    labels = write_labels(tmp_path / "labels.csv")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    message = "the address of a Ray cluster, host:port, or auto, got"
    for given in (address, "nonsense", "ray://127.0.0.1:1"):
        with pytest.raises(ValueError, match=message):
            classify(points, labels, out=tmp_path / "out", cluster=given)


def test_workers_of_another_version() -> None:
    check_versions([version(), version()])
    other = "diffresnet 0.0.1 on Python 3.9.0"
    with pytest.raises(ValueError, match=r"got diffresnet 0.0.1 on Python 3.9.0. Install the same"):
        check_versions([version(), other])


class NodeName:
    """Knows the node that it is on."""

    def get(self) -> str:
        import ray  # noqa: PLC0415

        return ray.get_runtime_context().get_node_id()


def own_pid(_: object) -> int:
    return os.getpid()


class Disturbed(RayEngine):
    """An engine under which something happens before a certain call."""

    def __init__(self, ray: Any, when: int, what: Any) -> None:
        super().__init__(ray)
        self.n_calls, self.when, self.what = 0, when, what

    def call(self, handles: Handles, method: str, items: Items, n_parcels: int = 0) -> list[Any]:
        self.n_calls += 1
        if self.n_calls == self.when:
            self.what(handles)
        return super().call(handles, method, items, n_parcels)


@pytest.fixture(scope="module")
def nodes() -> Iterator[Any]:
    """A cluster of three nodes, on the loopback address of this machine."""
    pytest.importorskip("ray", reason="needs the extra cluster")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray  # noqa: PLC0415
    from ray.cluster_utils import Cluster  # noqa: PLC0415

    head = {"num_cpus": 1, "include_dashboard": False, "object_store_memory": 2**27}
    with on_loopback(ray):
        cluster = Cluster(initialize_head=True, head_node_args=head)
        for _ in range(2):
            cluster.add_node(num_cpus=1, object_store_memory=2**27)
        ray.init(address=cluster.address, log_to_driver=False)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("undisturbed")
    points = write_points(folder / "points", 3)
    make_job(folder / "work", points, n_shards=3, n_blocks=3).run()
    return points, folder / "work" / "parts"


@pytest.mark.slow
@pytest.mark.usefixtures("nodes")
def test_several_nodes(tmp_path: Path, undisturbed: tuple[Path, Path]) -> None:
    points, whole = undisturbed
    with connected() as engine:
        assert engine.n_workers == 3
        check_that_nobody_listens_outside()
        hosts = engine.start(NodeName, [()] * 3)
        assert len(set(engine.call(hosts, "get", [()] * 3))) == 3
        engine.stop(hosts)
        make_job(tmp_path / "work", points, engine, n_shards=3, n_blocks=3).run()
    found = predictions(tmp_path / "work" / "parts")
    assert largest_difference(predictions(whole), found) < 1e-5


@pytest.mark.slow
@pytest.mark.usefixtures("nodes")
@pytest.mark.parametrize("when", [8, 60, 150])
def test_a_worker_killed_in_the_middle(
    tmp_path: Path, undisturbed: tuple[Path, Path], when: int
) -> None:
    import ray  # noqa: PLC0415

    def kill(handles: Handles) -> None:
        found: Any = ray.get(handles[1].__ray_call__.remote(own_pid))
        os.kill(found, signal.SIGKILL)

    points, whole = undisturbed
    engine = Disturbed(ray, when, kill)
    outcome = make_job(tmp_path / "work", points, engine, n_shards=3, n_blocks=3).run()
    assert outcome.n_restarts == 1
    found = predictions(tmp_path / "work" / "parts")
    assert largest_difference(predictions(whole), found) < 1e-5


@pytest.mark.slow
def test_a_driver_killed_in_the_middle(tmp_path: Path, undisturbed: tuple[Path, Path]) -> None:
    """With six shards and two blocks, as two workers have where shards may be that small."""
    points, _ = undisturbed
    make_job(tmp_path / "work", points, n_shards=6, n_blocks=2).run()
    labels = write_labels(tmp_path / "labels.csv")
    command = (
        f"from diffresnet.cluster import classify, settings\n"
        f"settings.SMALLEST_SHARD = 100\n"
        f"classify({str(points)!r}, {str(labels)!r}, out={str(tmp_path / 'out')!r}, n_workers=2)"
    )
    process = subprocess.Popen([sys.executable, "-c", command])  # noqa: S603
    deadline = time.monotonic() + 300
    while not (tmp_path / "out.work" / "rounds" / "0.json").exists():
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.05)
    process.kill()
    process.wait()
    assert not (tmp_path / "out").exists()
    subprocess.run([sys.executable, "-c", command], check=True)  # noqa: S603
    whole = predictions(tmp_path / "work" / "parts")
    assert largest_difference(whole, predictions(tmp_path / "out")) < 1e-5


@pytest.mark.slow
def test_a_node_lost_in_the_middle(
    nodes: Any, tmp_path: Path, undisturbed: tuple[Path, Path]
) -> None:
    """The last test with these nodes: one of them is gone afterwards."""
    import ray  # noqa: PLC0415

    def lose(_: Sequence[Any]) -> None:
        nodes.remove_node(next(iter(nodes.worker_nodes)), allow_graceful=False)

    points, whole = undisturbed
    engine = Disturbed(ray, 60, lose)
    outcome = make_job(tmp_path / "work", points, engine, n_shards=3, n_blocks=3).run()
    assert outcome.n_restarts >= 1
    assert engine.n_workers == 2
    found = predictions(tmp_path / "work" / "parts")
    assert largest_difference(predictions(whole), found) < 1e-5


@pytest.mark.parametrize(
    ("error", "message"),
    [
        ("AuthenticationError", r"got 127.0.0.1:\d+ \(no token is here\). If it asks for a token"),
        ("ConnectionError", r"got 127.0.0.1:\d+ \(nobody there\). If it asks for a token, set RAY"),
    ],
)
def test_a_cluster_that_asks_for_a_token(
    monkeypatch: pytest.MonkeyPatch, error: str, message: str
) -> None:
    ray = pytest.importorskip("ray", reason="needs the extra cluster")

    def refuse(**_: Any) -> None:
        raise getattr(ray.exceptions, error, ConnectionError)("nobody there.\nAnd more.")

    monkeypatch.setattr(ray, "init", refuse)
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        with (
            pytest.raises(ValueError, match=message),
            connected(f"127.0.0.1:{server.getsockname()[1]}"),
        ):
            pass


def test_objects_are_placed_by_the_processors_of_nodes() -> None:
    assert place_evenly([2, 0, 4], 3) == [0, 2, 2]
    assert place_evenly([1, 1, 1], 7) == [0, 0, 0, 1, 1, 2, 2]
    assert place_evenly([0], 2) == [0, 0]
    assert place_evenly([3], 0) == []
