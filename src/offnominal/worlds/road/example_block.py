"""An example block of a town, for sheets, benchmarks and tests of sensors."""

from __future__ import annotations

import numpy as np

from offnominal.sensing.light import Sky
from offnominal.sensing.scene import Instance, Scene
from offnominal.worlds.road.assets.asset import Asset
from offnominal.worlds.road.assets.buildings import building
from offnominal.worlds.road.assets.draws import Draws
from offnominal.worlds.road.assets.ground import (
    Strip,
    crossing,
    line,
    road_lines,
    road_surface,
    sidewalks,
    stop_line,
    terrain,
)
from offnominal.worlds.road.assets.people import pedestrian
from offnominal.worlds.road.assets.street_furniture import (
    bench,
    bus_stop,
    litter_bin,
    street_lamp,
    traffic_light,
    traffic_sign,
)
from offnominal.worlds.road.assets.two_wheelers import bicycle, motorcycle
from offnominal.worlds.road.assets.vegetation import tree
from offnominal.worlds.road.assets.vehicles import bus, car, truck
from offnominal.worlds.road.labels import Label

LANE, WALK, REACH = 3.5, 3.0, 180.0
EDGE = LANE + 2.2
STYLES = ("apartments", "old town", "brick", "office", "apartments", "tower")


class _Block:
    """Collects instances and numbers the objects."""

    def __init__(self) -> None:
        self.instances: list[Instance] = []
        self.objects = 0

    def put(self, asset: Asset, x: float = 0.0, y: float = 0.0, yaw: float = 0.0, z: float = 0.0) -> None:
        self.objects += 1
        self.instances += asset.placed((x, y, z), yaw, identity=self.objects)


def example_block(seed: int = 0) -> Scene:
    """Return a crossing of two streets with about 430 instances; the main street runs along x."""
    block, draws = _Block(), Draws(seed, "block")
    _ground(block)
    _houses(block, draws)
    _traffic(block, draws)
    _furniture(block, draws)
    for k in range(100):
        side, x = k % 2 * 2 - 1, draws.between(-150.0, 150.0)
        if abs(x) > EDGE + WALK:
            y = side * (EDGE + draws.between(0.6, 2.4))
            block.put(pedestrian(seed + k, phase=draws.between(0.0, 1.0)), x, y, 180.0 * draws.whole(0, 1), 0.12)
    return Scene(tuple(block.instances), sky=Sky(label=int(Label.SKY)))


def _ground(block: _Block) -> None:
    main = [np.array(((a, 0.0), (b, 0.0))) for a, b in ((-REACH, -EDGE), (EDGE, REACH))]
    side = [np.array(((0.0, a), (0.0, b))) for a, b in ((-REACH, -EDGE), (EDGE, REACH))]
    block.put(terrain())
    whole = [np.array(((-REACH, 0.0), (REACH, 0.0))), np.array(((0.0, -REACH), (0.0, REACH)))]
    block.put(road_surface([Strip(path, EDGE, -EDGE) for path in whole]))
    marks = [line(path, 0.0, dash=(3.0, 4.5)) for path in (*main, *side)]
    marks += [line(path, s * LANE) for path in (*main, *side) for s in (1, -1)]
    for s in (1, -1):
        marks += crossing((s * (EDGE + 2.5), -EDGE + 0.3), (s * (EDGE + 2.5), EDGE - 0.3))
        marks += crossing((-EDGE + 0.3, s * (EDGE + 2.5)), (EDGE - 0.3, s * (EDGE + 2.5)))
        marks += [stop_line((s * (EDGE + 5.0), 0.1 * s), (s * (EDGE + 5.0), s * LANE))]
        marks += [stop_line((-0.1 * s, s * (EDGE + 5.0)), (-s * LANE, s * (EDGE + 5.0)))]
    block.put(road_lines(marks))
    walks = [Strip(path, a, a - WALK) for path in (*main, *side) for a in (EDGE + WALK, -EDGE)]
    block.put(sidewalks(walks))


def _houses(block: _Block, draws: Draws) -> None:
    for street in range(2):
        for k in range(44):
            side, place = k % 2 * 2 - 1, k // 2
            along = (place - 10.5) * 15.0
            if abs(along) < 14.0 or (street == 1 and abs(along) < 32.0):
                continue
            style = STYLES[draws.whole(0, len(STYLES) - 1)]
            made = building(draws.whole(0, 9), style=style, width=14.2, depth=12.0)
            away = side * (EDGE + WALK + 0.8 + 0.5 * made.size[0])
            x, y, yaw = (along, away, -90.0 * side) if street == 0 else (away, along, 90.0 + 90.0 * side)
            block.put(made, x, y, yaw)
            if street == 0 and abs(along) > 40.0:
                behind = building(draws.whole(0, 9), style="tower" if place % 5 == 0 else "apartments", storeys=6)
                block.put(behind, x, side * (abs(away) + 26.0), yaw)
                block.put(tree(draws.whole(0, 11)), x, side * (abs(away) + 14.0))


def _traffic(block: _Block, draws: Draws) -> None:
    for k in range(64):
        side = k % 2 * 2 - 1
        parked = k >= 28
        x = -165.0 + (18.5 * (k // 2) if parked else 24.0 * (k // 2)) + draws.between(-4.0, 4.0)
        x -= 0.0 if not parked else 14 * 18.5
        if abs(x) < EDGE + 7.0:
            continue
        y = side * (LANE + 1.15 if parked else 0.5 * LANE)
        yaw = 90.0 * (1 + side)
        kind = draws.whole(0, 14)
        large = not parked and kind <= 2
        made = (bus(k) if kind == 0 else truck(k)) if large else car(k)
        block.put(made, x, y, yaw)
    for k, x in enumerate((-44.0, -21.0, 27.0, 70.0)):
        block.put(bicycle(k, phase=0.3 * k), x, -LANE + 0.5, 0.0)
        block.put(motorcycle(k), -x, 1.9, 180.0)


def _furniture(block: _Block, draws: Draws) -> None:
    for k in range(48):
        side, x = k % 2 * 2 - 1, -170.0 + 14.5 * (k // 2)
        if abs(x) < EDGE + 3.0:
            continue
        block.put(tree(draws.whole(0, 11)), x, side * (EDGE + 0.7), draws.between(0.0, 360.0), 0.12)
        block.put(street_lamp(), x + 6.0, side * (EDGE + 0.4), -90.0 * side, 0.12)
    for s in (1, -1):
        block.put(traffic_light("green", arm=4.0), s * (EDGE + 1.0), -s * (EDGE + 0.7), 90.0 + 90.0 * s, 0.12)
        block.put(traffic_light("red"), -s * (EDGE + 0.7), -s * (EDGE + 1.0), -90.0 * s, 0.12)
        block.put(traffic_sign("crossing"), s * (EDGE + 6.0), s * (EDGE + 0.5), 90.0 - 90.0 * s, 0.12)
        block.put(traffic_sign("speed_50"), s * 40.0, s * (EDGE + 0.5), 90.0 - 90.0 * s, 0.12)
        block.put(bench(), s * 30.0, s * (EDGE + 2.4), -90.0 * s, 0.12)
        block.put(litter_bin(), s * 32.5, s * (EDGE + 2.4), 0.0, 0.12)
        block.put(bus_stop(), s * 52.0, -s * (EDGE + 1.9), 90.0 * s, 0.12)
