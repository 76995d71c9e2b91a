"""Tests and doctests that need an optional package are skipped where it is not installed, with its name as reason."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Generator, Iterator
from importlib.util import find_spec
from pathlib import Path
from pkgutil import resolve_name

import pytest
from _pytest.doctest import DoctestItem

pytest_plugins = ["cpu_limit"]
OPTIONAL = (
    "PIL",
    "ale_py",
    "axe_playwright_python",
    "duckdb",
    "h5py",
    "httpx",
    "imageio",
    "imageio_ffmpeg",
    "matplotlib",
    "mcap",
    "mcap_ros2",
    "minari",
    "mlflow",
    "open_clip",
    "optuna",
    "pandas",
    "playwright",
    "pygame",
    "pyod",
    "ray",
    "rosbags",
    "sb3_contrib",
    "stable_baselines3",
    "starlette",
    "tensorboard",
    "timm",
    "torch",
    "torchvision",
    "uvicorn",
    "wandb",
    "websockets",
)
"""What the extras of this package install, as it is imported."""
LONG_DOCTESTS = (
    "src/offnominal/agents/",
    "src/offnominal/alarms/",
    "src/offnominal/calibration/",
    "src/offnominal/detectors/",
    "src/offnominal/kinds/",
    "src/offnominal/laws/",
    "src/offnominal/papers/",
    "src/offnominal/reports/",
    "src/offnominal/sensing/",
    "src/offnominal/studies/",
    "src/offnominal/watch/",
    "src/offnominal/worlds/arm/",
    "src/offnominal/worlds/road/",
)
"""Folders of the package with long doctests. Its modules import no pytest, so they cannot have the mark `long`."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that renews what examples of the documentation print."""
    parser.addoption(
        "--renew-printed", action="store_true", help="write what the examples of the documentation print into its pages"
    )


def pytest_collection_modifyitems(items: list[pytest.Item], config: pytest.Config) -> None:
    """Mark the long doctests, and run the example of a public function in its module only."""
    items[:] = [item for item in items if not is_reexported(item)]
    for item in items:
        if item.path.relative_to(config.rootpath).as_posix().startswith(LONG_DOCTESTS):
            item.add_marker(pytest.mark.long)


def is_reexported(item: pytest.Item) -> bool:
    """Return whether a doctest is that of a function of another module: a package wraps its public functions."""
    if not isinstance(item, DoctestItem) or item.path.name != "__init__.py":
        return False
    value = resolve_name(item.dtest.name)
    return inspect.isfunction(value) and inspect.getsourcefile(inspect.unwrap(value)) != str(item.path)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Skip a module that cannot be imported without an optional package."""
    report = yield
    call: pytest.CallInfo[object] | None = getattr(report, "call", None)
    if report.failed and call is not None and call.excinfo and (name := absent_package(call.excinfo.value)):
        forget_module(collector.path)
        report.outcome = "skipped"
        report.longrepr = (str(collector.path), 0, f"Skipped: {reason(name)}")
    return report


def forget_module(path: Path) -> None:
    """Remove the half-imported module that pytest leaves behind, so that others who import it get an error."""
    for name, module in list(sys.modules.items()):
        if getattr(module, "__file__", None) == str(path):
            del sys.modules[name]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Generator[None, None, None]:
    """Skip a test whose fixtures need an optional package."""
    yield from skipping()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, None, None]:
    """Skip a test that needs an optional package."""
    yield from skipping()


def skipping() -> Generator[None, None, None]:
    """Turn an error of the block into a skip if an absent package caused it."""
    try:
        yield
    except Exception as error:
        if name := absent_package(error):
            pytest.skip(reason(name))
        raise


def reason(name: str) -> str:
    """Return why a test is skipped."""
    return f"{name} is not installed"


def absent_package(error: BaseException) -> str | None:
    """Return the optional package whose absence caused an error, or None."""
    for each in causes(error):
        if isinstance(each, ModuleNotFoundError):
            package = (each.name or "").partition(".")[0]
            if package in OPTIONAL and find_spec(package) is None:
                return package
    return None


def causes(error: BaseException) -> Iterator[BaseException]:
    """Return an error, what it was raised from, and what failed in a doctest."""
    yield error
    for each in (error.__cause__, error.__context__):
        if each is not None:
            yield from causes(each)
    for failure in getattr(error, "failures", ()):
        yield from causes(failure)
    if exc_info := getattr(error, "exc_info", None):
        yield from causes(exc_info[1])
