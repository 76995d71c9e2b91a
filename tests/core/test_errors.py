"""Named errors can be caught as ours and as what Python calls them, and know the right name."""

import pytest

from offnominal.core import errors
from offnominal.core.errors import OffnominalError, did_you_mean

KINDS = {
    "UnknownName": LookupError,
    "InvalidParameter": ValueError,
    "WrongArgument": TypeError,
    "InvalidSchedule": ValueError,
    "InvalidChannels": ValueError,
    "InvalidEpisode": ValueError,
    "InvalidLog": ValueError,
    "InvalidScores": ValueError,
    "InvalidAction": ValueError,
    "InvalidState": RuntimeError,
    "NotFitted": RuntimeError,
    "UnsupportedEnvironment": TypeError,
    "UnsupportedEstimator": TypeError,
    "SimulationDiverged": ArithmeticError,
    "ModuleNotAllowed": PermissionError,
    "ModuleFailed": ImportError,
    "UnsupportedExport": TypeError,
    "InexactExport": TypeError,
    "MissingDependency": ImportError,
    "DamagedFile": ValueError,
    "UnsupportedFormat": ValueError,
    "MissingFile": FileNotFoundError,
    "MissingProvenance": ValueError,
    "InaccessibleFile": OSError,
    "AlreadyExists": FileExistsError,
    "QueryTimeout": TimeoutError,
    "AddressInUse": OSError,
    "LawBroken": AssertionError,
}
WORLDS = ("SAP-Goal0-v0", "SAP-Goal1-v0", "MJC-HalfCheetah-v0")


@pytest.mark.parametrize("name", KINDS)
def test_an_error_is_ours_and_of_a_builtin_kind(name):
    error = getattr(errors, name)
    assert issubclass(error, OffnominalError)
    assert issubclass(error, KINDS[name])


def test_every_error_is_listed_here():
    ours = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, OffnominalError) and value is not OffnominalError
    }
    assert ours == set(KINDS)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("SAP-Goal0", "SAP-Goal0-v0"),
        ("sap-goal1-v0", "SAP-Goal1-v0"),
        ("halfcheetah", "MJC-HalfCheetah-v0"),
        ("MJC-HalfCheeta-v0", "MJC-HalfCheetah-v0"),
    ],
)
def test_the_nearest_known_name_is_suggested_as_it_is_written(given, meant):
    assert did_you_mean(given, WORLDS) == f" Did you mean {meant!r}?"


@pytest.mark.parametrize("known", [WORLDS, ()])
def test_nothing_is_suggested_when_nothing_is_near(known):
    assert did_you_mean("zzz", known) == ""
