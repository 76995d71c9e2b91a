"""Many robots: scores of the batch, alarms of samples, missing readings, changes of the model, exact restarts."""

import json

import numpy as np
import pytest

from offnominal.alarms import ACI, EpisodeCusum, EpisodeMaximum, ModeThresholds
from offnominal.core.errors import DamagedFile, InvalidParameter, UnknownName
from offnominal.detectors import make_detector
from offnominal.detectors.observation_limits import MAX_SCORE
from offnominal.watch import AlarmRule, Deployment, Fleet, InvalidSample, Rules, write_deployment

from .streams import RATE, interleaved, samples, stream


def feed(fleet, found, received=1000.0):
    events = []
    for sample in found:
        events += fleet.take(sample, received + sample.get("time", 0.0))
    return events


def scores_of(fleet, found):
    scores = []
    for sample in found:
        fleet.take(sample, 0.0)
        scores.append(fleet.robots[sample["robot"]].score)
    return scores


def test_scores_and_alarms_are_those_of_the_batch(deployment, detector, alarm, faulty):
    fleet = Fleet(deployment)
    for number, episode in enumerate(faulty[:5]):
        found = samples(episode, f"r{number}")
        scores = scores_of(fleet, found)
        assert scores[0] is None
        np.testing.assert_allclose(scores[1:], detector.score([episode])[0], atol=1e-5)
    fleet = Fleet(deployment)
    for number, episode in enumerate(faulty):
        events = feed(fleet, samples(episode, f"r{number}"))
        told = [event for event in events if (event.alarm, event.kind) == ("score", "raised")]
        (first,) = alarm.first_alarms(detector.score([episode]))
        assert (told[0].step if told else None) == first


def test_robots_do_not_influence_each_other(deployment, nominal, faulty):
    streams = [stream([nominal[0], faulty[0]], "a"), stream(faulty[1:3], "b", begin=0.007)]
    alone = [event.to_dict() for each in streams for event in feed(Fleet(deployment), each) if event.robot]
    together = [event.to_dict() for event in feed(Fleet(deployment), interleaved(streams)) if event.robot]
    assert len(together) > 2
    assert sorted(together, key=str) == sorted(alone, key=str)


def test_an_episode_starts_where_a_sample_says_so(deployment, detector, nominal):
    fleet = Fleet(deployment)
    scores = scores_of(fleet, stream(nominal[:2]))
    second = len(nominal[0]) + 1
    assert scores[second] is None
    np.testing.assert_allclose(scores[second + 1 :], detector.score(nominal[1:2])[0], atol=1e-5)
    assert fleet.robots["r1"].episode == 1


def test_an_adaptive_alarm_keeps_what_it_learned_over_episodes_and_restarts(tmp_path, detector, calibration, nominal):
    alarm = ACI(0.1, gamma=0.05, recent=30).fit(detector.score(calibration))
    write_deployment(tmp_path / "adaptive", detector, alarm, calibration, rate=RATE)
    deployment = Deployment.load(tmp_path / "adaptive")
    expected = alarm.history(detector.score(nominal))
    fleet, found = Fleet(deployment), list(stream(nominal))
    raised = set()
    for number, sample in enumerate(found):
        if number == len(found) // 2:
            fleet, before = Fleet(deployment), fleet
            fleet.restore(json.loads(json.dumps(before.to_dict())), 1000.0)
        fleet.take(sample, 1000.0)
        robot = fleet.robots["r1"]
        if robot.statistic is not None and robot.statistic > alarm.threshold_:
            raised.add(robot.episode)
    assert raised == set(np.flatnonzero(expected.raised).tolist())
    assert np.unique(expected.thresholds).size > 3
    state = fleet.robots["r1"]._state.alarm
    # The last episode goes on, so it is not yet learned from.
    assert np.isclose(alarm.thresholds(state)[0], expected.thresholds[-1])


def test_alarms_that_need_more_than_samples_are_refused(tmp_path, detector, calibration):
    scores = detector.score(calibration)
    modes = ModeThresholds(0.3).fit(scores, np.arange(len(scores)) % 2)
    with pytest.raises(InvalidParameter, match="a mode at each step"):
        write_deployment(tmp_path / "refused", detector, modes, calibration, rate=RATE)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("mark", ["start", "end"])
def test_a_pause_between_episodes_is_no_gap(deployment, nominal, mark):
    first, second = samples(nominal[0]), samples(nominal[1], first=len(nominal[0]) + 1, begin=30.0)
    if mark == "end":
        del second[0]["start"]
        first[-1]["end"] = True
    fleet = Fleet(deployment)
    assert not feed(fleet, first + second)
    assert fleet.robots["r1"].episode == 1
    second[0].pop("start", None)
    first[-1].pop("end", None)
    assert "gap" in {event.alarm for event in feed(Fleet(deployment), first + second)}


def test_the_evidence_names_the_faulty_channel(deployment, nominal):
    found = samples(nominal[0])
    found[5]["observation"][7] += 30.0
    events = [event for event in feed(Fleet(deployment), found) if event.alarm == "score" and event.kind == "raised"]
    assert next(iter(events[0].evidence)) == "o7"
    assert events[0].recent[-1] == events[0].score > events[0].threshold
    assert events[0].to_cloud_event("/here")["data"]["evidence"]["o7"] > 0


def test_late_and_duplicate_samples_change_nothing(deployment, nominal, faulty):
    found = stream([nominal[0], faulty[0]])
    expected = [event.to_dict() for event in feed(Fleet(deployment), found)]
    fleet = Fleet(deployment)
    twice = [each for sample in found for each in (sample, sample)] + found
    assert [event.to_dict() for event in feed(fleet, twice)] == expected
    assert fleet.counts["duplicate"] == 2 * len(found)
    fleet = Fleet(deployment)
    feed(fleet, [found[0], found[1], found[3], found[2], found[2]])
    assert (fleet.counts["late"], fleet.counts["duplicate"], fleet.counts["lost"]) == (1, 1, 1)


def test_the_transition_over_lost_samples_has_no_score(deployment, detector, nominal):
    found = samples(nominal[0])
    fleet = Fleet(deployment)
    events = feed(fleet, [found[0], found[1], found[4]])
    assert fleet.robots["r1"].score is None
    assert fleet.robots["r1"].step == 4
    assert fleet.counts["unscored"] == 3
    assert [(event.alarm, event.kind, event.value) for event in events] == [("gap", "raised", 2.0)]


def readings(events):
    return [(event.alarm, event.kind) for event in events]


def test_channels_out_of_range_stuck_and_invalid(deployment, nominal):
    found = stream(nominal[:6])
    for sample in found:
        sample.pop("start", None)
    assert not any(deployment.checks.observation[index].constant for index in (0, 4))
    for sample in found[10:14]:
        sample["observation"][0] = 1e6
    held = found[20]["observation"][4]
    for sample in found[20:60]:
        sample["observation"][4] = held
    found[30]["observation"][5] = None
    events = readings(feed(Fleet(deployment), found))
    assert ("range:o0", "raised") in events
    assert ("stuck:o4", "raised") in events
    assert ("invalid:o5", "raised") in events
    assert {alarm for alarm, _ in events} <= {"range:o0", "stuck:o4", "invalid:o5", "score"}


def test_nominal_streams_raise_no_alarm_of_channels_or_times(deployment, nominal):
    fleet = Fleet(deployment)
    events = feed(fleet, interleaved([stream(nominal, f"r{number}", begin=0.001 * number) for number in range(3)]))
    assert not [event for event in events if event.alarm != "score"]
    assert fleet.counts["samples"] == 3 * sum(len(each) + 1 for each in nominal)


@pytest.mark.parametrize("missing", ["alarm", "hold", "mask"])
def test_missing_readings_are_treated_as_named(deployment, nominal, missing):
    found = samples(nominal[0])
    assert len(found) > 10
    for sample in found[4:10]:
        sample["observation"][2] = None
    fleet = Fleet(deployment, Rules(missing=missing, most_held=3))
    scores = np.array(scores_of(fleet, found)[1:])
    largest = np.flatnonzero(scores >= MAX_SCORE).tolist()
    # Transition t leads from sample t to sample t + 1.
    assert largest == {"alarm": [*range(3, 10)], "hold": [*range(6, 10)], "mask": []}[missing]
    assert "invalid:o2" in fleet.robots["r1"].lines


def test_masked_channels_have_the_nominal_mean(deployment, nominal):
    masked, plain = samples(nominal[0]), samples(nominal[0])
    mean = deployment.checks.observation[2].mean
    for one, other in zip(masked[4:7], plain[4:7], strict=True):
        one["observation"][2], other["observation"][2] = None, mean
    ours = scores_of(Fleet(deployment, Rules(missing="mask")), masked)
    assert ours == scores_of(Fleet(deployment), plain)


def test_a_silent_robot_is_stale_and_recovers(deployment, nominal):
    fleet = Fleet(deployment)
    found = samples(nominal[0])
    feed(fleet, found[:3], 100.0)
    assert not fleet.tick(100.5)
    (event,) = fleet.tick(102.0)
    assert (event.alarm, event.kind, event.received) == ("stale", "raised", 102.0)
    assert readings(fleet.take(found[3], 103.0)) == [("stale", "cleared")]
    fleet.take({"robot": "r1", "seq": 4, "end": True}, 103.1)
    assert not fleet.tick(1000.0)


def test_hysteresis_of_the_score(deployment, nominal, detector):
    scores = detector.score(nominal[:1])[0]
    threshold = float(np.sort(scores)[-2])
    rules = Rules(score=AlarmRule(hysteresis=0.9999), chattering_raises=100)
    events = feed(Fleet(deployment, rules, threshold=threshold), samples(nominal[0]))
    assert [event.kind for event in events] == ["raised"]
    rules = Rules(score=AlarmRule(), chattering_raises=100)
    assert len(feed(Fleet(deployment, rules, threshold=threshold), samples(nominal[0]))) >= 1


def test_operators_acknowledge_and_shelve(deployment, faulty):
    fleet = Fleet(deployment)
    feed(fleet, samples(faulty[0]))
    assert fleet.robots["r1"].lines["score"].state == "active"
    (event,) = fleet.acknowledge("r1", "score", 2000.0)
    assert (event.kind, event.state) == ("acknowledged", "acknowledged")
    assert not fleet.acknowledge("r1", "score", 2000.0)
    (event,) = fleet.shelve("r1", "gap", 60.0, 2000.0)
    assert event.shelved
    assert ("gap", "unshelved") not in readings(fleet.tick(2059.0))
    assert ("gap", "unshelved") in readings(fleet.tick(2060.0))
    fleet.shelve("r1", "range:o1", 60.0, 2100.0)
    assert readings(fleet.unshelve("r1", "range:o1", 2101.0)) == [("range:o1", "unshelved")]
    with pytest.raises(UnknownName, match="no robot"):
        fleet.acknowledge("r2", "score", 0.0)
    for wrong in ("scores", "range:oo", "range"):
        with pytest.raises(UnknownName, match="no alarm"):
            fleet.shelve("r1", wrong, 1.0, 0.0)
    with pytest.raises(InvalidParameter):
        fleet.shelve("r1", "score", 1e9, 0.0)


def test_many_alarms_are_a_flood(deployment, faulty):
    rules = Rules(flood_starts=3, flood_ends=2, flood_minutes=1.0, stale=AlarmRule(enabled=False))
    fleet, events = Fleet(deployment, rules), []
    for number, episode in enumerate(faulty[:8]):
        events += feed(fleet, samples(episode, f"r{number}"), 100.0)
    assert [event.kind for event in events if not event.robot] == ["flood_started"]
    assert [event.kind for event in fleet.tick(500.0) if not event.robot] == ["flood_ended"]
    assert sum(fleet.alarms.values()) >= 4


INVALID = [
    None,
    [1.0],
    {},
    {"observation": "no", "action": [0, 0]},
    {"observation": [0.0] * 25, "action": [0, 0]},
    {"observation": [0.0] * 26},
    {"observation": [0.0] * 25 + ["1.0"], "action": [0, 0]},
    {"observation": [0.0] * 25 + [True], "action": [0, 0]},
    {"observation": [0.0] * 25 + [[1.0]], "action": [0, 0]},
    {"observation": [0.0] * 25 + [10**400], "action": [0, 0]},
    {"observation": {"o99": 1.0}, "action": [0, 0]},
    {"robot": "", "observation": [0.0] * 26, "action": [0, 0]},
    {"robot": "a\nb", "observation": [0.0] * 26, "action": [0, 0]},
    {"robot": 1, "observation": [0.0] * 26, "action": [0, 0]},
    {"robot": "x" * 101, "observation": [0.0] * 26, "action": [0, 0]},
    {"session": 3, "observation": [0.0] * 26, "action": [0, 0]},
    {"seq": -1, "observation": [0.0] * 26, "action": [0, 0]},
    {"seq": 1.5, "observation": [0.0] * 26, "action": [0, 0]},
    {"seq": True, "observation": [0.0] * 26, "action": [0, 0]},
    {"seq": 2**70, "observation": [0.0] * 26, "action": [0, 0]},
    {"time": "now", "observation": [0.0] * 26, "action": [0, 0]},
    {"time": float("nan"), "observation": [0.0] * 26, "action": [0, 0]},
    {"time_ns": "12x", "observation": [0.0] * 26, "action": [0, 0]},
    {"start": 1, "observation": [0.0] * 26, "action": [0, 0]},
]


@pytest.mark.parametrize("wrong", INVALID, ids=range(len(INVALID)))
def test_poisoned_samples_are_refused_and_change_nothing(deployment, nominal, faulty, wrong):
    found = stream([nominal[0], faulty[0]])
    expected = [event.to_dict() for event in feed(Fleet(deployment), found)]
    fleet, events = Fleet(deployment), []
    for sample in found:
        events += feed(fleet, [sample])
        with pytest.raises(InvalidSample):
            fleet.take(wrong, 0.0)
    assert [event.to_dict() for event in events] == expected
    assert fleet.counts["refused"] == len(found)
    assert list(fleet.robots) == ["r1"]


def test_readings_can_be_named_and_times_be_nanoseconds(deployment, nominal):
    plain = samples(nominal[0])
    named = [
        {
            "robot": "r1",
            "seq": sample["seq"],
            "time_ns": str(round(sample["time"] * 1e9)),
            "observation": {f"o{index}": value for index, value in enumerate(sample["observation"])},
            "action": {"a1": sample["action"][1], "a0": sample["action"][0]},
            "battery": 0.7,
        }
        for sample in plain
    ]
    assert scores_of(Fleet(deployment), named) == scores_of(Fleet(deployment), plain)


def test_there_are_only_so_many_robots(deployment, nominal):
    fleet = Fleet(deployment, Rules(most_robots=2))
    found = samples(nominal[0])
    for robot in ("a", "b"):
        fleet.take({**found[0], "robot": robot}, 0.0)
    with pytest.raises(InvalidSample, match="one more than 2"):
        fleet.take({**found[0], "robot": "c"}, 0.0)
    fleet.take({"robot": "a", "seq": 1, "end": True}, 0.0)
    fleet.take({**found[0], "robot": "c"}, 0.0)
    assert list(fleet.robots) == ["b", "c"]
    fleet.begin_recalibration("b", 0.0)
    for robot in ("b", "c"):
        fleet.take({"robot": robot, "seq": 1, "end": True}, 0.0)
    fleet.take({**found[0], "robot": "d"}, 0.0)
    assert list(fleet.robots) == ["b", "d"]


def test_after_a_restart_everything_goes_on_as_before(deployment, nominal, faulty):
    """At every tenth sample a new fleet goes on from plain data; scores and events are those of one without."""
    found = interleaved([stream([nominal[n], faulty[n], nominal[n + 1]], f"r{n}", begin=0.003 * n) for n in range(3)])
    found[20]["observation"][3] = None
    found[33]["time"] = 0.0
    del found[40]
    expected, fleet = [], Fleet(deployment)
    for sample in found:
        events = [event.to_dict() for event in fleet.take(sample, 50.0)]
        expected.append((events, fleet.robots[sample["robot"]].score))
    restarted = Fleet(deployment)
    for number, sample in enumerate(found):
        if number % 10 == 0:
            state = json.loads(json.dumps(restarted.to_dict()))
            restarted = Fleet(deployment)
            restarted.restore(state, 50.0)
        events = [event.to_dict() for event in restarted.take(sample, 50.0)]
        assert (events, restarted.robots[sample["robot"]].score) == expected[number]
    assert restarted.counts == fleet.counts


def test_damaged_states_are_refused(deployment, faulty):
    fleet = Fleet(deployment)
    feed(fleet, samples(faulty[0]))
    state = json.loads(json.dumps(fleet.to_dict()))
    robot = state["robots"]["r1"]
    wrong = [
        {"model": "other"},
        {"robots": {"r1": {**robot, "scorer": {}}}},
        {"robots": {"r1": {**robot, "numbers": [1]}}},
        {"robots": {"r1": {**robot, "readings": {}}}},
        {"robots": {"r1": {**robot, "lines": {"nothing": {}}}}},
        {"robots": 3},
        {"counts": {"a": "b"}},
        {"flood": None},
    ]
    for change in wrong:
        with pytest.raises(DamagedFile):
            Fleet(deployment).restore({**state, **change}, 0.0)


def test_a_threshold_changes_between_two_samples(deployment, nominal):
    fleet = Fleet(deployment)
    found = samples(nominal[0])
    assert not feed(fleet, found[:5])
    (event,) = fleet.set_threshold(-1.0, 0.0)
    assert (event.kind, event.threshold) == ("threshold_changed", -1.0)
    assert readings(feed(fleet, found[5:6])) == [("score", "raised")]
    fleet.set_threshold(None, 0.0)
    assert fleet.scorer.threshold == deployment.manifest.threshold


def test_another_fit_of_the_model_keeps_the_state(tmp_path, deployment, alarm, calibration, nominal):
    other = make_detector("Mahalanobis", view="window", window_length=3).fit(calibration)
    write_deployment(tmp_path / "b", other, EpisodeMaximum(0.2).fit(other.score(calibration)), calibration, rate=RATE)
    changed = Deployment.load(tmp_path / "b")
    fleet, found = Fleet(deployment), samples(nominal[0])
    feed(fleet, found[:6])
    (event,) = fleet.change(changed, 0.0)
    assert (event.kind, event.value, event.model) == ("model_changed", 0.0, changed.manifest.model_digest)
    scores = scores_of(fleet, found[6:])
    np.testing.assert_allclose(scores, other.score(nominal[:1])[0][5:], atol=1e-5)


def test_another_kind_of_model_starts_anew_and_other_channels_are_refused(tmp_path, deployment, calibration, nominal):
    other = make_detector("Time").fit(calibration)
    alarm = EpisodeCusum(0.1).fit(other.score(calibration))
    write_deployment(tmp_path / "b", other, alarm, calibration, rate=RATE)
    fleet, found = Fleet(deployment), samples(nominal[0])
    feed(fleet, found[:6])
    (event,) = fleet.change(Deployment.load(tmp_path / "b"), 0.0)
    assert event.value == 1.0
    assert scores_of(fleet, found[6:8]) == [0.0, 1.0]
    write_deployment(tmp_path / "c", other, alarm, calibration, actions=["left", "right"])
    with pytest.raises(InvalidParameter, match="left, right"):
        fleet.change(Deployment.load(tmp_path / "c"), 0.0)
