"""Every point of every published grid makes a detector."""

import tomllib
from importlib.resources import files

import pytest

from offnominal.detectors import rows as deep

pytestmark = pytest.mark.long

SPACES = tomllib.loads((files(deep) / "spaces.toml").read_text())


@pytest.mark.parametrize("method", SPACES)
def test_every_value_is_accepted(method):
    name = method.partition("-")[0]
    space = SPACES[method]
    for argument, values in space.items():
        assert values, argument
        for value in values:
            made = getattr(deep, name)(**{argument: value})
            assert made.get_params()[argument] == value


def test_every_detector_has_a_space():
    classes = {name: getattr(deep, name) for name in deep.__all__ if name != "DeepRowDetector"}
    networks = {name for name, each in classes.items() if issubclass(each, deep.DeepRowDetector)}
    assert {method.partition("-")[0] for method in SPACES} == networks
