"""The connection to a CARLA server, with the checks that its answers can be used."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from offnominal.core.checks import integer_in, number_in, text
from offnominal.core.errors import MissingDependency
from offnominal.worlds.road.carla.errors import (
    CarlaError,
    CarlaUnreachable,
    CarlaVersionMismatch,
    NotOnServer,
    server_errors,
)

# They share the semantic tags of the published labels; earlier and later versions have others.
VERSIONS = ("0.9.14", "0.9.15", "0.9.16")
LOADING_TIMEOUT = 120.0


@dataclass(frozen=True)
class Server:
    """A CARLA server.

    Args:
        carla: The module ``carla``.
        client: Its client.
        timeout: Seconds after which a call or a sensor has failed.
    """

    carla: Any
    client: Any
    timeout: float


def carla_module() -> Any:
    """Return the module ``carla``.

    Raises:
        MissingDependency: It is not installed.
    """
    try:
        import carla
    except ImportError:
        raise MissingDependency(
            "the CARLA back end needs the package carla in the version of the server; install it with "
            f"`pip install carla=={VERSIONS[-1]}`."
        ) from None
    return carla


def connect(host: str = "127.0.0.1", port: int = 2000, timeout: float = 20.0) -> Server:
    """Connect to a server and check its version.

    Args:
        host: Name or address of the machine.
        port: Port of the server.
        timeout: Seconds after which a call has failed.

    Raises:
        MissingDependency: The package ``carla`` is not installed.
        CarlaUnreachable: No server answers.
        CarlaVersionMismatch: The server has another version than the client, or one that is not supported.
    """
    text("host", host)
    integer_in("port", port, 1, 65_535)
    number_in("timeout", timeout, 0.1, 3600.0)
    carla = carla_module()
    try:
        client = carla.Client(host, port)
        client.set_timeout(timeout)
        version = client.get_server_version()
    except RuntimeError as error:
        raise CarlaUnreachable(
            f"no CARLA server answers at {host}:{port}; start it with `./CarlaUE4.sh -RenderOffScreen`, or give "
            f"another host or port ({error})."
        ) from error
    _check_versions(client.get_client_version(), version)
    return Server(carla, client, timeout)


def _check_versions(client: str, server: str) -> None:
    """Raise unless both versions have the same three numbers, and are supported; builds may add a suffix."""
    ours, theirs = _numbers(client), _numbers(server)
    if theirs not in VERSIONS:
        raise CarlaVersionMismatch(f"the CARLA server has version {server}; expected one of {', '.join(VERSIONS)}.")
    if ours != theirs:
        raise CarlaVersionMismatch(
            f"the CARLA server has version {server}, but the package carla {client}; install the package with "
            f"`pip install carla=={theirs}`."
        )


def _numbers(version: str) -> str:
    found = re.match(r"\d+\.\d+\.\d+", version)
    return found.group() if found else version


def load_town(server: Server, name: str) -> Any:
    """Load a map in its initial state and return its world.

    Args:
        server: The server.
        name: Name of the map, such as ``"Town05"``.

    Raises:
        NotOnServer: The server does not have the map.
    """
    client = server.client
    with server_errors("list its maps"):
        maps = sorted({path.rpartition("/")[2] for path in client.get_available_maps()})
    if name not in maps:
        raise NotOnServer(f"the CARLA server has no map {name}; it has {', '.join(maps)}. Install the additional maps.")
    try:
        client.set_timeout(max(server.timeout, LOADING_TIMEOUT))
        with server_errors(f"load {name}"):
            world = client.load_world(name)
    finally:
        client.set_timeout(server.timeout)
    loaded = world.get_map().name.rpartition("/")[2]
    if loaded != name:
        raise CarlaError(f"the CARLA server was asked for the map {name} and has loaded {loaded}.")
    return world
