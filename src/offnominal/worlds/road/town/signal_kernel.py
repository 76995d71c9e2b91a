"""Traffic lights: fixed cycles, and lights that are kept green for the ego vehicle."""

from __future__ import annotations

from offnominal.core.compilation import compiled_internal
from offnominal.worlds.road.town.network import Network
from offnominal.worlds.road.town.traffic_state import GREEN, RED, YELLOW, Control

GREEN_TIME, YELLOW_TIME, CLEAR_TIME = 14.0, 3.0, 2.0
PHASE_TIME = GREEN_TIME + YELLOW_TIME + CLEAR_TIME
KEPT = 1e9


@compiled_internal
def set_lights(net: Network, control: Control, time: float) -> None:
    """Set all traffic lights for a time in seconds.

    Neighbouring junctions start their cycles at different times.
    """
    for h in range(net.head_junction.shape[0]):
        junction = net.head_junction[h]
        wave = control.wave[junction]
        if wave >= 0:
            control.light[h] = GREEN if wave == h else RED
            control.until_green[h] = 0.0 if wave == h else KEPT
            continue
        phases = net.phases[junction]
        cycle = phases * PHASE_TIME
        now = time + 7.0 * junction
        now -= cycle * int(now / cycle)
        since = now - net.head_phase[h] * PHASE_TIME
        if since < 0.0:
            since += cycle
        if since < GREEN_TIME:
            control.light[h] = GREEN
            control.until_green[h] = 0.0
        else:
            control.light[h] = YELLOW if since < GREEN_TIME + YELLOW_TIME else RED
            control.until_green[h] = cycle - since
