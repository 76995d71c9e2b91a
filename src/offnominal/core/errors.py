"""Errors of this package. Messages say what was given, what was expected and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class OffnominalError(Exception):
    """Base class of all errors of this package."""


class UnknownName(OffnominalError, LookupError):
    """A name is not in the registry, table or space."""


class InvalidParameter(OffnominalError, ValueError):
    """A parameter has the wrong type or is out of range."""


class WrongArgument(InvalidParameter, TypeError):
    """An argument of a public function or method is of another type than documented, empty, or not finite."""


class InvalidSchedule(InvalidParameter):
    """A schedule can never activate its fault."""


class InvalidChannels(InvalidParameter):
    """The observation or action does not have these channels."""


class InvalidEpisode(InvalidParameter):
    """Arrays are not an episode of T transitions and T + 1 observations."""


class InvalidLog(InvalidParameter):
    """A log cannot be read as episodes; the message names the row or the column."""


class InvalidScores(InvalidParameter):
    """Anomaly scores are empty, not numeric, or not one vector per episode with one score per step."""


class InvalidAction(OffnominalError, ValueError):
    """An action has the wrong shape or type, or a non-finite entry."""


class InvalidState(OffnominalError, RuntimeError):
    """A call is not possible in the current state, such as a step before the first reset."""


class NotFitted(InvalidState):
    """A detector or an alarm is used before it is fitted."""


class UnsupportedEnvironment(OffnominalError, TypeError):
    """An environment does not have the required spaces or physics."""


class UnsupportedEstimator(OffnominalError, TypeError):
    """An estimator of another package does not satisfy the contract of a detector."""


class UnsupportedExport(OffnominalError, TypeError):
    """A detector or an alarm cannot be written to ONNX; the message says why."""


class InexactExport(UnsupportedExport):
    """An ONNX file would give other scores or alarms than the detector; it is not written."""


class SimulationDiverged(OffnominalError, ArithmeticError):
    """The physics became non-finite or unstable; the state is invalid from this step on."""


class ModuleNotAllowed(OffnominalError, PermissionError):
    """A file names a class of a package that files are not allowed to import."""


class ModuleFailed(OffnominalError, ImportError):
    """A module of another package raises an error when it is imported."""


class MissingDependency(OffnominalError, ImportError):
    """An optional package is required and not installed."""


class DamagedFile(OffnominalError, ValueError):
    """The content of a file is invalid or does not have the expected hash."""


class UnsupportedFormat(DamagedFile):
    """A file has a format version that this version of the package does not read."""


class MissingFile(OffnominalError, FileNotFoundError):
    """A file or folder is missing."""


class MissingProvenance(OffnominalError, ValueError):
    """Results that are to be published do not say which version and commit computed them."""


class InaccessibleFile(OffnominalError, OSError):
    """A file or folder cannot be read or written: permissions, a full disk, an impossible path."""


class AlreadyExists(OffnominalError, FileExistsError):
    """The target of a write already exists."""


class QueryTimeout(OffnominalError, TimeoutError):
    """A query takes longer than it may."""


class AddressInUse(OffnominalError, OSError):
    """Another program listens at the address and port of a server."""


class LawBroken(OffnominalError, AssertionError):
    """An object violates a law of its kind."""


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """Return ``" Did you mean 'x'?"`` for the known name nearest to the given one, or an empty string.

    Example:
        >>> did_you_mean("observation/noize", ["action/noise", "observation/noise"])
        " Did you mean 'observation/noise'?"
    """
    names = {name.lower(): name for name in known}
    longer = sorted(name for name in names if name.startswith(given.lower()))
    near = longer or difflib.get_close_matches(given.lower(), names, n=1, cutoff=0.5)
    return f" Did you mean {names[near[0]]!r}?" if near else ""
