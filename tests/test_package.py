"""The top level of the package: few names, lazy packages, and no function that hides a module."""

import importlib
import pkgutil
import subprocess
import sys
from types import ModuleType

import pytest

import offnominal as off

PACKAGES = sorted(
    {info.name for info in pkgutil.iter_modules(off.__path__) if info.ispkg} - {"cli"},
)
EVERY_PACKAGE = ["offnominal"] + [
    info.name for info in pkgutil.walk_packages(off.__path__, "offnominal.") if info.ispkg
]


@pytest.mark.parametrize("name", PACKAGES)
def test_every_package_is_an_attribute_of_offnominal(name):
    assert getattr(off, name) is importlib.import_module(f"offnominal.{name}")
    assert name in dir(off)


def loaded_after(statement):
    """Return the modules of the package that a new interpreter has loaded after a statement."""
    program = f"import sys\n{statement}\nprint(*[name for name in sys.modules if name.startswith('offnominal')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_offnominal_loads_none_of_its_packages():
    needed = {"offnominal", "offnominal._gymnasium", "offnominal.core", "offnominal.core.lazy_imports"}
    assert loaded_after("import offnominal") == needed


@pytest.mark.parametrize("package", ["detectors", "kinds", "reports", "studies"])
def test_importing_a_large_package_loads_nothing_else_of_it(package):
    assert not {
        name for name in loaded_after(f"import offnominal.{package}") if name.startswith(f"offnominal.{package}.")
    }


@pytest.mark.long
def test_a_comparison_of_own_logs_loads_no_runner_store_or_page():
    loaded = loaded_after("from offnominal import compare")
    assert "offnominal.reports.comparison" in loaded
    assert not {f"offnominal.{name}" for name in ("studies.runner", "studies.store", "reports.page")} & loaded


def test_every_exported_name_exists_and_there_are_about_thirty():
    assert all(hasattr(off, name) for name in off.__all__)
    assert len(off.__all__) <= 40


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = off.nothing  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", EVERY_PACKAGE)
def test_exported_functions_do_not_shadow_modules(name):
    package = importlib.import_module(name)
    submodules = {info.name for info in pkgutil.iter_modules(package.__path__)}
    for submodule in submodules & {*getattr(package, "__all__", ()), *vars(package)}:
        assert isinstance(getattr(package, submodule), ModuleType), f"{name}.{submodule}"
