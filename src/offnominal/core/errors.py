"""Named errors: each says what was given, what was expected and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class OffnominalError(Exception):
    """Base of every error this package raises on purpose."""


class UnknownName(OffnominalError, LookupError):
    """A name that no registry, table or space knows."""


class InvalidParameter(OffnominalError, ValueError):
    """A parameter of the wrong type or outside its range."""


class InvalidSchedule(InvalidParameter):
    """A schedule that could never switch its fault on as described."""


class InvalidChannels(InvalidParameter):
    """Channels that the observation or the action does not have."""


class InvalidEpisode(InvalidParameter):
    """Arrays that do not make an episode: not T + 1 observations around T transitions."""


class InvalidScores(InvalidParameter):
    """Scores that cannot be used: none, no numbers, or not one vector per episode with one score per step."""


class InvalidAction(OffnominalError, ValueError):
    """An action of the wrong shape, type or with a non-finite entry."""


class InvalidState(OffnominalError, RuntimeError):
    """A call that makes no sense now, such as stepping before the first reset."""


class NotFitted(InvalidState):
    """A detector or an alarm that is asked before it has learned anything."""


class UnsupportedEnvironment(OffnominalError, TypeError):
    """An environment without the spaces or the physics that were asked for."""


class UnsupportedEstimator(OffnominalError, TypeError):
    """An estimator of another package that cannot keep the contract of a detector."""


class SimulationDiverged(OffnominalError, ArithmeticError):
    """The physics became non-finite or unstable; the state is not to be trusted from this step on."""


class ModuleNotAllowed(OffnominalError, PermissionError):
    """A file names a class of a package that it must not choose to import."""


class MissingDependency(OffnominalError, ImportError):
    """An optional package that the call needs is not installed."""


class DamagedFile(OffnominalError, ValueError):
    """A file whose content is not what is said of it."""


class UnsupportedFormat(DamagedFile):
    """A file of another version of its format than this version of the package reads."""


class MissingFile(OffnominalError, FileNotFoundError):
    """A file or folder that should be there and is not."""


class InaccessibleFile(OffnominalError, OSError):
    """A file or folder that the system does not let us read or write: permissions, a full disk, an impossible path."""


class AlreadyExists(OffnominalError, FileExistsError):
    """Something else stands where a file or folder is to be written."""


class LawBroken(OffnominalError, AssertionError):
    """An object does not keep a law of its kind."""


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
