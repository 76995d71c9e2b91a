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


def test_importing_offnominal_loads_none_of_its_packages():
    code = "import sys, offnominal; print(*(name for name in sys.modules if name.startswith('offnominal.')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {"offnominal._gymnasium", "offnominal._version"}


def test_every_exported_name_exists_and_there_are_about_thirty():
    assert all(hasattr(off, name) for name in off.__all__)
    assert len(off.__all__) <= 40


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = off.nothing


@pytest.mark.parametrize("name", EVERY_PACKAGE)
def test_exported_functions_do_not_shadow_modules(name):
    package = importlib.import_module(name)
    submodules = {info.name for info in pkgutil.iter_modules(package.__path__)}
    for submodule in submodules & {*getattr(package, "__all__", ()), *vars(package)}:
        assert isinstance(getattr(package, submodule), ModuleType), f"{name}.{submodule}"
