"""Temporal anomalies: each simulation equals its nominal twin up to the onset, and the truth says who and when."""

import numpy as np
import pytest

from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.town import TEMPORAL_ANOMALIES, TICKS, AnomalyNotPossible, TownSimulation

pytestmark = pytest.mark.long

CASES = [
    ("sudden-braking", "small-town"),
    ("cut-in", "grid"),
    ("wrong-way", "small-town"),
    ("jaywalker", "downtown"),
    ("swerving-car", "rural"),
    ("stopped-car", "boulevard"),
    ("light-ignored", "grid"),
]


def run_pair(town, anomaly, seed=0, vehicles=60, pedestrians=60):
    pair = []
    for nominal in (False, True):
        simulation = TownSimulation(town)
        first = simulation.reset(seed, vehicles=vehicles, pedestrians=pedestrians, anomaly=anomaly, nominal=nominal)
        pair.append((simulation, [first, *simulation.run()]))
    return pair


@pytest.mark.parametrize(("anomaly", "town"), CASES)
def test_a_simulation_equals_its_nominal_twin_up_to_the_onset(anomaly, town):
    (faulty, states), (nominal, twins) = run_pair(town, anomaly)
    incident = faulty.incident
    assert incident is not None
    assert nominal.incident is None
    assert not any(twin.is_anomalous for twin in twins)
    for tick in range(incident.start):
        assert states[tick].position.tobytes() == twins[tick].position.tobytes()
        assert states[tick].heading.tobytes() == twins[tick].heading.tobytes()
        assert not states[tick].is_anomalous
    differing = [t for t in range(TICKS + 1) if states[t].position.tobytes() != twins[t].position.tobytes()]
    assert incident.start <= differing[0] <= incident.start + 2
    active = [state.tick for state in states if state.is_anomalous]
    assert active[0] == incident.start
    assert active == list(range(active[0], active[-1] + 1))
    actor = incident.actor + (len(faulty.cars.lane) if incident.is_jaywalker else 0)
    for state in states[active[0] : active[-1] + 1]:
        assert np.flatnonzero(state.anomalous).tolist() == [actor]
        assert state.label[actor] == Label.TEMPORAL_ANOMALY
        assert not np.any(np.delete(state.label, actor) == Label.TEMPORAL_ANOMALY)


def test_sudden_braking_has_the_published_ticks():
    (_, states), _ = run_pair("small-town", "sudden-braking")
    active = [state.tick for state in states if state.is_anomalous]
    assert active == list(range(140, 171))
    assert states[142].acceleration[1] == pytest.approx(-8.0, abs=0.5) or states[142].speed[1] == 0.0
    assert states[100].label[1] == 114


def test_a_jaywalker_reaches_the_other_side():
    (simulation, _), _ = run_pair("downtown", "jaywalker")
    assert simulation.walkers.jaywalk.max() == 0
    assert simulation.incident is not None


def test_a_car_cuts_in_before_the_ego_vehicle():
    (simulation, states), _ = run_pair("grid", "cut-in")
    incident = simulation.incident
    assert incident is not None
    state = states[incident.start + 18]
    lane = simulation.town.graph.to_lane(*map(float, state.position[0]), float(state.heading[0])).lane
    other = simulation.town.graph.to_lane(*map(float, state.position[incident.actor]), lane=lane)
    assert abs(other.d) < 1.0


def test_an_anomaly_without_actors_is_a_named_error():
    with pytest.raises(AnomalyNotPossible, match="jaywalker"):
        TownSimulation("residential").reset(0, vehicles=0, pedestrians=0, anomaly="jaywalker")


def test_all_temporal_anomalies_are_tested():
    assert {anomaly for anomaly, _ in CASES} == set(TEMPORAL_ANOMALIES)


@pytest.mark.slow
@pytest.mark.parametrize("anomaly", TEMPORAL_ANOMALIES)
def test_temporal_anomalies_are_possible_in_all_towns_that_have_their_place(anomaly):
    possible = 0
    for town in ("small-town", "roundabout", "grid", "boulevard", "downtown"):
        try:
            TownSimulation(town).reset(1, anomaly=anomaly)
            possible += 1
        except AnomalyNotPossible:
            continue
    assert possible >= 3
