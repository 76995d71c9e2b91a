"""Shared by all tests."""

from __future__ import annotations

import fcntl
import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

import offnominal
from offnominal.core import directories as home
from offnominal.core.directories import DATA_VARIABLE

from .blank_figures import blank_figures
from .hostile.attack_counts import pytest_terminal_summary  # noqa: F401 - the main process collects no tests

SOURCE = Path(offnominal.__file__).parent
USERS_HOME = home.find_data_home() or Path("nowhere")
PUBLIC = ("images", "tabular")
LOCKED: set[str] = set()
"""Kernels that this process compiles."""


def pytest_configure() -> None:
    """Prepare the caches of Python and Numba. No test fails because the machine is busy."""
    settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("untimed")
    gc.disable()  # until all tests are collected
    drop_old_kernels()


def pytest_collection_finish() -> None:
    """Let the garbage collector ignore modules and collected tests, which live as long as the process."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(10_000, 10, 10)


def drop_old_kernels() -> None:
    """Drop compiled kernels that are older than any of their sources: a cache does not see changes in what it calls."""
    kernels = [path for path in SOURCE.rglob("*.py") if "compiled" in path.read_text(encoding="utf-8")]
    newest = max(path.stat().st_mtime for path in kernels)
    for cached in SOURCE.rglob("*.nb[ic]"):
        with suppress(FileNotFoundError):
            if cached.stat().st_mtime < newest:
                cached.unlink()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave Pong out where its emulator is not installed."""
    if find_spec("ale_py") is None:
        skip = pytest.mark.skip(reason="Pong needs ale-py, which the extra `atari` installs")
        for item in items:
            if "OOD-Pong-v0" in item.name:
                item.add_marker(skip)


@pytest.fixture(scope="session", autouse=True)
def data_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what tests generate out of the user's data home."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(DATA_VARIABLE, str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture(scope="session", autouse=True)
def kernels_compiled_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let one of the processes of a parallel run compile a kernel while the others wait for its machine code."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        yield
        return
    folder = tmp_path_factory.getbasetemp().parent / "kernels"
    folder.mkdir(exist_ok=True)
    compile_here = Dispatcher.compile

    def compile_once(kernel: Any, signature: Any) -> Any:
        with global_compiler_lock, locked(kernel, folder):
            return compile_here(kernel, signature)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Dispatcher, "compile", compile_once)
        yield


@contextmanager
def locked(kernel: Any, folder: Path) -> Iterator[None]:
    """Keep other processes from compiling a kernel. A kernel waits only for kernels that it calls: no deadlock."""
    cache = getattr(kernel._cache, "_cache_file", None)
    name = "" if cache is None else f"{crc32(cache._index_path.encode())} {cache._index_name}"
    if not name or name in LOCKED:  # its machine code is not stored, or it calls itself
        yield
        return
    with (folder / name).open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        LOCKED.add(name)
        try:
            yield
        finally:
            LOCKED.remove(name)


MARKUP = "<b onmouseover=alert(1)>KNN</b>"
"""Name of a detector of the small run."""


@pytest.fixture(scope="session")
def small_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with one run: three detectors on four faults of a world; title and a name contain markup."""
    from offnominal.kinds import AlarmEntry, DataEntry, Study
    from offnominal.studies import DetectorEntry, run, runner
    from offnominal.studies.code import Sources

    from .studies.cases import PoolHere

    folder = tmp_path_factory.mktemp("small") / "runs"
    study = Study(
        "small",
        title="A <script>alert(1)</script> & study",
        summary="Which detector is <i>best</i>?",
        worlds=("SAP-Goal0-v0",),
        detectors=(DetectorEntry("Mahalanobis"), DetectorEntry(MARKUP, "KNN"), DetectorEntry("Time")),
        alarms=(AlarmEntry("3 sigma", "ThreeSigma"), AlarmEntry("episode maximum", "EpisodeMaximum", {"alpha": 0.5})),
        data=DataEntry(episodes=8, anomalies=("action/offset", "observation/noise"), levels=("medium", "strong")),
        replicates=60,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "LocalPool", lambda workers, peak_mb: PoolHere(Sources()))
        run(study, folder=folder / "small", store=folder / "store", workers=1)
    return folder


@pytest.fixture(name="blank_figures")
def figures_are_blank() -> Iterator[None]:
    """Figures of reports are blank images."""
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    with blank_figures():
        yield


@pytest.fixture(scope="session", params=["cpu", "cuda"])
def device(request: pytest.FixtureRequest) -> str:
    """Return the name of each device in turn; a GPU only where torch has one."""
    if request.param == "cuda" and not has_gpu():
        pytest.skip("torch sees no GPU here")
    name: str = request.param
    return name


def has_gpu() -> bool:
    """Return whether torch is installed and has a GPU."""
    if find_spec("torch") is None:
        return False

    import torch

    return torch.cuda.is_available()


@pytest.fixture
def public_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a data home with the public files of the user's own, if there are any; what is written stays out of it."""
    for folder in PUBLIC:
        if (USERS_HOME / folder).is_dir():
            (tmp_path / folder).symlink_to(USERS_HOME / folder)
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    return tmp_path
