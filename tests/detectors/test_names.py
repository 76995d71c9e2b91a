"""All detectors are attributes of `offnominal.detectors`, and are imported on first use."""

import subprocess
import sys

import pytest

import offnominal as off
from offnominal.core.errors import MissingDependency
from offnominal.detectors.catalogue import detectors

LIGHT = """
import sys
import offnominal as off
names = dir(off.detectors), off.detectors.KNN, off.detectors.rows.LOF, off.detectors.make_detector("KNN")
print("torch" in sys.modules)
"""
WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None
import offnominal as off
for name in ("PEDM", "VAE", "LDM"):
    try:
        getattr(off.detectors, name)
    except off.OffnominalError as error:
        print(type(error).__name__, error)
try:
    off.detectors.make_detector("VAE")
except off.OffnominalError as error:
    print(type(error).__name__, error)
"""


def output_of(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def test_every_name_is_an_attribute():
    pytest.importorskip("torch", reason="torch is not installed")
    for name in off.detectors.__all__:
        assert getattr(off.detectors, name) is not None
    assert set(off.detectors.__all__) <= set(dir(off.detectors))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'Nobody'"):
        off.detectors.Nobody  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.long
def test_classical_detectors_do_not_import_torch():
    assert output_of(LIGHT) == "False\n"


def test_a_network_without_torch_says_how_to_install_it():
    lines = output_of(WITHOUT_TORCH).splitlines()
    assert len(lines) == 4
    for line in lines:
        assert line.startswith(MissingDependency.__name__)
        assert "pip install offnominal[train]" in line


def test_every_registered_row_detector_is_an_attribute():
    for spec in detectors:
        if "row_detector" in spec.options:
            assert spec.options["row_detector"].partition(":")[2] in off.detectors.__all__
