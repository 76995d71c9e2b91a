"""A recorded frame of a scenario, and the ground truth of its anomaly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from offnominal.core.errors import InvalidParameter
from offnominal.sensing.shapes import Triple
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.rig_frame import RigFrame
from offnominal.worlds.road.scenarios.anomaly import ContentAnomaly, TemporalAnomaly
from offnominal.worlds.road.scenes.hit import Hit
from offnominal.worlds.road.town.snapshot import Snapshot


@dataclass(frozen=True, eq=False)
class DrivingFrame:
    """One recorded frame of a scenario.

    Args:
        number: Number of the frame, from 0.
        tick: Tick of the simulation.
        sensors: Images and point clouds of all sensors of the rig.
        state: State of all actors.
        position: Position of the ego vehicle on the ground, m.
        yaw: Direction of the ego vehicle, degrees to the left.
    """

    number: int
    tick: int
    sensors: RigFrame
    state: Snapshot
    position: Triple
    yaw: float


@dataclass(frozen=True)
class AnomalyTruth:
    """Ground truth of the anomaly of a scenario.

    Args:
        name: Name of the object, or kind of the temporal anomaly.
        label: Semantic label while it is active.
        instance: Instance id of the object or of the road user.
        first_tick: First tick at which it is active.
        last_tick: Last tick at which it is active.
        size: Length, width and height of the object or road user, m.
        position: Its position when it becomes active, m; an object's after it has dropped or toppled over and before a
            vehicle hits it, with the height of its base.
        distance: Distance of a content anomaly from the start of the route, m; None for a temporal anomaly.
        hits: Hits of an object by vehicles, in the order of time.
    """

    name: str
    label: Label
    instance: int
    first_tick: int
    last_tick: int
    size: Triple
    position: Triple
    distance: float | None = None
    hits: tuple[Hit, ...] = ()

    @classmethod
    def of(
        cls,
        anomaly: ContentAnomaly | TemporalAnomaly,
        state: Snapshot,
        ticks: Sequence[int],
        height: float = 0.0,
        *,
        hits: Sequence[Hit] = (),
    ) -> AnomalyTruth:
        """Return the ground truth.

        Args:
            anomaly: The anomaly.
            state: State in which its actor is the first that is anomalous.
            ticks: Ticks at which it is active.
            height: Height of the base of the object above the ground, m.
            hits: Hits of the object by vehicles.
        """
        if not len(ticks):
            raise InvalidParameter("there are no ticks; expected those at which the anomaly is active.")
        row = int(state.anomalous.argmax())
        x, y = (float(each) for each in state.position[row])
        a, b, c = (float(each) for each in state.size[row])
        return cls(
            name=anomaly.name if isinstance(anomaly, ContentAnomaly) else anomaly.kind,
            label=anomaly.label,
            instance=int(state.instance[row]),
            first_tick=ticks[0],
            last_tick=ticks[-1],
            size=(a, b, c),
            position=(x, y, height),
            distance=anomaly.distance if isinstance(anomaly, ContentAnomaly) else None,
            hits=tuple(hits),
        )
