"""A Ray cluster of two nodes computes the same cells as local processes."""

import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager

import pytest

from offnominal.core.directories import DATA_VARIABLE
from offnominal.core.errors import MissingDependency
from offnominal.kinds import AlarmEntry, Cell, DataEntry
from offnominal.studies import Store, run_cell, run_study, same_results

pytestmark = pytest.mark.long

WORLD = "SAP-Goal0-v0"
DATA = DataEntry(episodes=6, validation=6, anomalies=("action/offset",), levels=("strong",))
DETECTORS = """
import os
import signal
import time
from pathlib import Path

import ray
from offnominal.detectors.baselines import Time


class Raises(Time):
    def _fit(self, episodes, validation, seed):
        raise ZeroDivisionError("as it was asked to")


class Dies(Time):
    def _fit(self, episodes, validation, seed):
        os.kill(os.getpid(), signal.SIGKILL)


class Where(Time):
    def __init__(self, folder):
        self.folder = folder

    def _fit(self, episodes, validation, seed):
        Path(self.folder, ray.get_runtime_context().get_node_id()).touch()
        time.sleep(1.0)
"""


def silent(line):
    pass


def small_cell(name, detector=""):
    alarms = (AlarmEntry("largest", "Maximum"),)
    return Cell(WORLD, name, detector or name, data=DATA, alarms=alarms, replicates=10)


@contextmanager
def node(log, *options):
    """A node of a cluster, in a process that takes all of the node with it when it ends."""
    command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--block", "--num-cpus=1", *options]
    with log.open("w", encoding="utf-8") as output:
        process = subprocess.Popen([*command, "--object-store-memory=100000000"], stdout=output, stderr=output)
    try:
        until = time.monotonic() + 120.0
        while "Ray runtime started" not in log.read_text(encoding="utf-8"):
            assert process.poll() is None, log.read_text(encoding="utf-8")
            assert time.monotonic() < until, "the node did not start within two minutes"
            time.sleep(0.2)
        yield
    finally:
        process.terminate()
        process.wait(timeout=60)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Address of two nodes with one processor each."""
    pytest.importorskip("ray", reason="ray is not installed")
    logs = tmp_path_factory.mktemp("ray")
    with socket.socket() as free, pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        patch.setenv("RAY_AUTH_MODE", "disabled")
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv(DATA_VARIABLE, str(logs / "data"))
        # Paths of sockets must be short, and pytest's folders are deep.
        place = stack.enter_context(tempfile.TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True))
        head = ["--head", f"--port={port}", "--include-dashboard=false", f"--temp-dir={place}"]
        stack.enter_context(node(logs / "head.log", "--node-ip-address=127.0.0.1", *head))
        stack.enter_context(node(logs / "second.log", f"--address=127.0.0.1:{port}"))
        yield f"127.0.0.1:{port}"


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Detectors that no package has."""
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "detectors_on_ray.py").write_text(DETECTORS, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path / "path")
    return "detectors_on_ray"


@pytest.mark.slow
def test_results_are_those_of_this_machine(cluster, elsewhere, tmp_path):
    good = [small_cell(name) for name in ("KNN", "Mahalanobis", "Time")]
    bad = [small_cell(name, f"{elsewhere}:{name}") for name in ("Raises", "Dies")]
    store = Store(tmp_path / "store")
    outcome = run_study([*bad, *good], store, ray=cluster, report=silent)
    assert outcome.computed == 3
    assert [failure.error for failure in outcome.failures] == ["ZeroDivisionError", "WorkerKilled"]
    for cell, key in zip(good, outcome.keys[2:], strict=True):
        here = run_cell(cell)
        assert here.key == key
        assert same_results(store.rows([key]), here.rows)
        assert store.examples([key]).equals(here.examples.replace_schema_metadata(None))
    again = run_study(good, store, ray=cluster, report=silent)
    assert (again.computed, again.reused) == (0, 3)


@pytest.mark.slow
def test_both_nodes_work(cluster, elsewhere, tmp_path):
    nodes = tmp_path / "nodes"
    nodes.mkdir()
    where = small_cell("Where", f"{elsewhere}:Where").replace(parameters={"folder": str(nodes)})
    outcome = run_study([where.replace(seed=seed) for seed in range(6)], tmp_path / "store", ray=cluster, report=silent)
    assert outcome.computed == 6
    assert len(list(nodes.iterdir())) == 2


def test_without_ray_the_error_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingDependency, match=r"offnominal\[ray\]"):
        run_study([small_cell("Time")], tmp_path, ray="auto")
    assert not (tmp_path / "cells").exists()
