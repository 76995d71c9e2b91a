"""The state of a town at one tick, for everything outside the simulation."""

from __future__ import annotations

from dataclasses import dataclass

from offnominal.core.checks import require_shape
from offnominal.core.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All moving actors at one tick: the ego vehicle first, then vehicles, pedestrians and objects.

    Args:
        tick: Number of ticks since the reset.
        instance: (n,): instance ids; an actor keeps its id, also in the nominal twin.
        kind: (n,): names of the kinds, such as ``sedan``, ``bus`` or ``pedestrian``.
        label: (n,): semantic labels; behaviour agents, the ego vehicle and active anomalies have their own.
        position: (n, 2): centres in metres.
        heading: (n,): radians, counter-clockwise from x.
        speed: (n,): m/s.
        acceleration: (n,): m/s² along the heading.
        size: (n, 3): length, width, height in metres.
        lights: (heads,): state of the traffic lights: 0 green, 1 yellow, 2 red.
        controls: Throttle, steering and brake of the ego vehicle in the last tick, each as a share of its maximum.
        anomalous: (n,): which actors behave anomalously at this tick, or are anomalies.
    """

    tick: int
    instance: IntArray
    kind: tuple[str, ...]
    label: IntArray
    position: FloatArray
    heading: FloatArray
    speed: FloatArray
    acceleration: FloatArray
    size: FloatArray
    lights: IntArray
    controls: tuple[float, float, float]
    anomalous: BoolArray

    def __post_init__(self) -> None:
        n = len(self.kind)
        for name in ("instance", "label", "heading", "speed", "acceleration", "anomalous"):
            require_shape(name, getattr(self, name), n)
        require_shape("position", self.position, n, 2)
        require_shape("size", self.size, n, 3)
        require_shape("lights", self.lights, "heads")

    @property
    def is_recorded(self) -> bool:
        """Whether the tick is after the warm-up, and so a frame of the scenario."""
        return self.tick > WARM_UP

    @property
    def frame(self) -> int:
        """Number of the frame, from 0; negative during the warm-up."""
        return self.tick - WARM_UP - 1

    @property
    def is_anomalous(self) -> bool:
        """Whether any anomaly is active at this tick."""
        return bool(self.anomalous.any())


EGO = 0
"""Row of the ego vehicle in a state."""
WARM_UP = 15
FRAMES = 200
TICKS = WARM_UP + FRAMES
TICK_SECONDS = 0.1
