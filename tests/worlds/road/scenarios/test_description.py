"""Descriptions of scenarios accept what is possible and name what is not."""

import pytest

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.scenarios import (
    TEMPORAL_KINDS,
    ContentAnomaly,
    InvalidScenario,
    Place,
    Scenario,
    TemporalAnomaly,
    Timing,
)

pytestmark = pytest.mark.long

BASE = {"id": "first", "town": "grid", "weather": "CLEAR_NOON", "seed": 3, "vehicles": 20, "pedestrians": 10}


def test_published_names_are_the_same_scenario():
    assert Scenario(**BASE) == Scenario(**BASE | {"town": "Town05", "weather": "ClearNoon"})


def test_timing_is_published():
    timing = Timing()
    assert (timing.ticks, timing.frames, timing.tick) == (215, 200, 0.1)
    first, last = TemporalAnomaly("sudden-braking", "vehicle.sedan", lead_distance=7).ticks
    active = [tick for tick in timing.frame_ticks if first <= tick <= last]
    assert len(active) / timing.frames == pytest.approx(0.155)


def test_scenario_survives_conversion_to_plain_data():
    scenario = Scenario(
        **BASE,
        anomaly=ContentAnomaly("cow", 80.0, yaw=90.0),
        start=Place(1.0, 2.0),
        route=((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)),
        timing=Timing(record_every=4),
        extra={"note": [1]},
    )
    assert Scenario.from_dict(scenario.to_dict()) == scenario
    assert scenario.type == "content"
    assert scenario.anomaly.label is Label.ANIMAL
    hash(scenario)


@pytest.mark.parametrize("kind", TEMPORAL_KINDS)
def test_every_temporal_anomaly_can_be_described(kind):
    actor = "walker.pedestrian" if kind == "jaywalker" else "vehicle.sedan"
    lead = 9 if kind in ("sudden-braking", "stopped-car", "swerving-car") else None
    scenario = Scenario(**BASE, anomaly=TemporalAnomaly(kind, actor, lead_distance=lead))
    assert scenario.type == "temporal"
    assert Scenario.from_dict(scenario.to_dict()) == scenario


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"town": "gird"}, UnknownName, "no town named 'gird'. Did you mean 'grid'?"),
        ({"town": "Town08"}, UnknownName, "Choose one of small-town"),
        ({"town": None}, InvalidParameter, "the name of a town is None"),
        ({"town": ["grid"]}, InvalidParameter, "the name of a town is"),
        ({"weather": "CLEAR_NON"}, UnknownName, "Did you mean 'CLEAR_NOON'?"),
        ({"weather": {}}, InvalidParameter, "the name of a weather is {}"),
        ({"rig": "steroe"}, UnknownName, "Did you mean 'stereo'?"),
        ({"behaviour": "agressive"}, UnknownName, "Did you mean 'aggressive'?"),
        ({"id": "../up"}, InvalidParameter, "the id of a scenario is '../up'"),
        ({"seed": -1}, InvalidParameter, "seed -1 is outside"),
        ({"seed": 1.5}, InvalidParameter, "expected an integer"),
        ({"vehicles": -1}, InvalidParameter, "the number of vehicles is -1; expected an integer from 0 to 1000"),
        ({"pedestrians": "many"}, InvalidParameter, "the number of pedestrians is 'many'"),
        ({"anomaly": "cow"}, InvalidParameter, "the anomaly is 'cow'; expected a ContentAnomaly"),
        ({"route": ((0.0, 0.0, 0.0),)}, InvalidParameter, "at least two points"),
        ({"route": ((0.0, 0.0, 0.0), (1.0, 0.0))}, InvalidParameter, "point 1 of the route"),
    ],
)
def test_wrong_entry_of_a_scenario_is_named(change, error, message):
    with pytest.raises(error) as raised:
        Scenario(**BASE | change)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ContentAnomaly("cwo", 80.0), "Did you mean 'cow'?"),
        (lambda: ContentAnomaly("cow", -1.0), "the distance of an object is -1.0; expected a number in [0, 1000]"),
        (lambda: ContentAnomaly("cow", float("nan")), "the distance of an object is nan"),
        (lambda: ContentAnomaly("cow", 80.0, lateral_offset=30.0), "the lateral offset of an object is 30.0"),
        (lambda: ContentAnomaly("cow", 80.0, placement="roof"), "expected one of 'lane', 'unstable', 'air'"),
        (lambda: ContentAnomaly("cow", 80.0, height=-1.0), "the height of an object is -1.0"),
        (lambda: TemporalAnomaly("braking", "vehicle.sedan"), "no temporal anomaly named 'braking'"),
        (lambda: TemporalAnomaly("cut-in", "walker.pedestrian"), "begins with 'vehicle.'"),
        (lambda: TemporalAnomaly("jaywalker", "vehicle.sedan"), "begins with 'walker.'"),
        (lambda: TemporalAnomaly("sudden-braking", "vehicle.sedan"), "the lead_distance of the anomaly"),
        (lambda: TemporalAnomaly("cut-in", "vehicle.sedan", lead_distance=9), "leave it out"),
        (lambda: TemporalAnomaly("cut-in", "vehicle.sedan", ticks=(90, 80)), "the last tick of an anomaly is 80"),
        (lambda: TemporalAnomaly("cut-in", "vehicle.sedan", ticks=(90,)), "the first and the last tick"),
        (lambda: Timing(record_every=3), "expected a divisor of the 200 recorded ticks"),
        (lambda: Timing(tick=0.0), "tick is 0.0"),
        (lambda: Place(float("inf"), 0.0), "the x of a place is inf"),
    ],
)
def test_wrong_part_of_a_scenario_is_named(make, message):
    with pytest.raises((InvalidParameter, UnknownName)) as raised:
        make()
    assert message in str(raised.value)


def test_anomaly_after_the_last_tick_is_refused():
    late = TemporalAnomaly("cut-in", "vehicle.sedan", ticks=(140, 170))
    with pytest.raises(InvalidScenario, match="begins at tick 140, but the scenario ends at tick 35"):
        Scenario(**BASE, anomaly=late, timing=Timing(recorded_ticks=20))
