"""The actors that a run has created on a server; all of them are destroyed at its end."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from offnominal.worlds.road.carla.errors import NotOnServer, server_errors


class Actors:
    """Creates actors and destroys them.

    Args:
        world: World of the server.
    """

    def __init__(self, world: Any) -> None:
        self._world = world
        self._created: list[Any] = []

    def try_spawn(self, blueprint: Any, transform: Any, *, attach_to: Any = None) -> Any:
        """Create an actor and return it, or None if its place is not free."""
        with server_errors(f"create a {blueprint.id}"):
            if attach_to is None:
                actor = self._world.try_spawn_actor(blueprint, transform)
            else:
                actor = self._world.try_spawn_actor(blueprint, transform, attach_to=attach_to)
        if actor is not None:
            self._created.append(actor)
        return actor

    def spawn(self, blueprint: Any, transform: Any, *, attach_to: Any = None, noun: str) -> Any:
        """Create an actor and return it.

        Args:
            blueprint: Its blueprint.
            transform: Its pose; relative to the actor it is attached to, if any.
            attach_to: Actor that it is attached to.
            noun: What it is, for the error message.

        Raises:
            NotOnServer: Its place is not free.
        """
        actor = self.try_spawn(blueprint, transform, attach_to=attach_to)
        if actor is None:
            at = transform.location
            raise NotOnServer(
                f"the CARLA server could not place the {noun} ({blueprint.id}) at x={at.x:.1f}, y={at.y:.1f}, "
                f"z={at.z:.1f}, because the place is not free."
            )
        return actor

    def destroy(self) -> None:
        """Stop all sensors and controllers and destroy all actors, the last one first.

        Errors of the server are ignored: it may be gone, and its other actors are to be destroyed all the same.
        """
        for actor in reversed(self._created):
            with suppress(RuntimeError):
                if actor.type_id.startswith(("sensor.", "controller.")):
                    actor.stop()
        for actor in reversed(self._created):
            with suppress(RuntimeError):
                actor.destroy()
        self._created.clear()
