"""A temporal anomaly while it is simulated: it starts, it is active, and it ends."""

from __future__ import annotations

from offnominal.worlds.road.town.incidents import Incident
from offnominal.worlds.road.town.network import Network
from offnominal.worlds.road.town.snapshot import TICKS
from offnominal.worlds.road.town.traffic_state import NO_SCRIPT, Vehicles, Walkers

JAYWALKING_SPEED = 1.8


class ActiveIncident:
    """Makes one actor of a simulation behave anomalously, and notes when its anomaly ends.

    Args:
        incident: The anomaly.
        network: Roads of the town.
        cars: State of the vehicles; the script of the vehicle is written into it.
        walkers: State of the pedestrians.
    """

    def __init__(self, incident: Incident, network: Network, cars: Vehicles, walkers: Walkers) -> None:
        self.incident = incident
        self._network, self._cars, self._walkers = network, cars, walkers
        self._last = incident.stop
        self._entered = False
        if not incident.is_jaywalker:
            self._write_script()

    def _write_script(self) -> None:
        incident, cars = self.incident, self._cars
        # A state of tick t is the result of the decisions at tick t - 1.
        stop = incident.stop if incident.stop is not None else TICKS
        end = stop - 1 if incident.kind == "sudden-braking" else stop
        cars.script[incident.actor] = incident.script
        cars.script_span[incident.actor] = incident.start - 1, end
        cars.script_value[incident.actor] = incident.value

    def begin(self, tick: int) -> None:
        """Let a jaywalker start if the next tick is the first of the anomaly."""
        incident = self.incident
        if incident.is_jaywalker and tick == incident.start - 1:
            self._walkers.jaywalk[incident.actor] = 1
            self._walkers.goal[incident.actor] = incident.value
            self._walkers.rejoin[incident.actor] = incident.rejoin
            self._walkers.speed[incident.actor] = JAYWALKING_SPEED

    def note_end(self, tick: int) -> None:
        """Note the end of an anomaly without a fixed end: a pedestrian has crossed, or a car has left the junction."""
        incident = self.incident
        if self._last is not None or tick <= incident.start:
            return
        if incident.is_jaywalker:
            if self._walkers.jaywalk[incident.actor] == 0:
                self._last = tick - 1
            return
        road, cars, v = self._network.road, self._cars, incident.actor
        left = road[cars.lane[v]] >= 0 and cars.before[v] >= 0 and road[cars.before[v]] < 0
        if left and cars.s[v] > 0.5 * cars.size[v, 0] and self._entered:
            self._last = tick - 1
            cars.script[v] = NO_SCRIPT
        self._entered = self._entered or bool(road[cars.lane[v]] < 0)

    def is_active(self, tick: int) -> bool:
        """Return whether the actor behaves anomalously at a tick."""
        return tick >= self.incident.start and (self._last is None or tick <= self._last)
