"""Errors of the CARLA back end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from offnominal.core.errors import OffnominalError


class CarlaError(OffnominalError, RuntimeError):
    """A CARLA server answers a call with an error."""


class CarlaUnreachable(CarlaError, ConnectionError):
    """No CARLA server answers at the host and port."""


class CarlaTimeout(CarlaError, TimeoutError):
    """A CARLA server or one of its sensors does not answer in time."""


class CarlaVersionMismatch(CarlaError):
    """The CARLA server has another version than its client package, or a version that is not supported."""


class NotOnServer(CarlaError, LookupError):
    """A CARLA server does not have a map, a blueprint or a place that a scenario needs."""


@contextmanager
def server_errors(doing: str) -> Iterator[None]:
    """Turn errors of the client library into named ones; it raises RuntimeError for all of them.

    Args:
        doing: What is done, for the message.

    Example:
        >>> with server_errors("load Town05"):
        ...     raise RuntimeError("time-out of 2000ms while waiting for the simulator")
        Traceback (most recent call last):
            ...
        offnominal.worlds.road.carla.errors.CarlaTimeout: the CARLA server did not load Town05 in time; ...
    """
    try:
        yield
    except OffnominalError:
        raise
    except RuntimeError as error:
        if "time-out" in str(error):
            raise CarlaTimeout(
                f"the CARLA server did not {doing} in time; check that it still runs, or give a longer timeout."
            ) from error
        raise CarlaError(f"the CARLA server could not {doing}: {error}") from error
    except (IndexError, ValueError) as error:
        raise CarlaError(f"the CARLA client could not {doing}: {error}") from error
