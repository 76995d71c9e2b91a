"""Traffic lights in front of some vehicles are kept green, and all others at the same junction red."""

from __future__ import annotations

from typing import Any

AHEAD = 50.0


class GreenWave:
    """Keeps traffic lights green.

    Args:
        carla: The module ``carla``.
        world: World of the server.
    """

    def __init__(self, carla: Any, world: Any) -> None:
        self._states = carla.TrafficLightState
        self._world, self._map = world, world.get_map()
        self._frozen: dict[int, Any] = {}

    def update(self, vehicles: list[Any]) -> None:
        """Set the traffic lights in front of vehicles; those of junctions that lie behind work as usual again."""
        held: dict[int, Any] = {}
        for vehicle in vehicles:
            waypoint = self._map.get_waypoint(vehicle.get_location())
            lights = self._world.get_traffic_lights_from_waypoint(waypoint, AHEAD)
            if not lights or lights[0].id in held:
                continue
            for light in lights[0].get_group_traffic_lights():
                green = light.id == lights[0].id
                light.set_state(self._states.Green if green else self._states.Red)
                light.freeze(True)
                held[light.id] = light
        self._unfreeze(light for id, light in self._frozen.items() if id not in held)
        self._frozen = held

    def end(self) -> None:
        """Let all traffic lights work as usual."""
        self._unfreeze(self._frozen.values())
        self._frozen = {}

    @staticmethod
    def _unfreeze(lights: Any) -> None:
        for light in lights:
            light.freeze(False)
