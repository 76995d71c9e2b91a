"""A live run steps episode after episode; faults start and stop on command, and detectors notice them."""

from __future__ import annotations

import numpy as np
import pytest

from offnominal.anomalies import Fault
from offnominal.core.errors import InvalidChannels, InvalidParameter, InvalidState, UnknownName
from offnominal.web.live_run import MOST_FAULTS, FaultOrder, LiveRun, LiveSettings
from offnominal.web.nominal_fit import fit_nominal

pytestmark = pytest.mark.long

WORLD = "SAP-Goal0-v0"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fits")


@pytest.fixture
def run(folder):
    settings = LiveSettings(WORLD, detectors=("KNN", "Mahalanobis"), seed=3)
    started = LiveRun(settings, fit_nominal(settings, folder=folder))
    yield started
    started.close()


def steps(run, n):
    return [run.step() for _ in range(n)]


def events(run, kind):
    return [event for event in run.take_events() if event["type"] == kind]


OFFSET = FaultOrder(Fault("observation/offset", 2.0, "start"))


def test_fault_raises_scores_and_alarm_and_clearing_ends_it(run):
    before = steps(run, 4)
    assert not any(step.message["active"] or any(step.message["raised"]) for step in before)
    run.start_fault(OFFSET)
    during = steps(run, 3)
    assert all(step.message["active"] for step in during)
    assert min(during[0].message["relative"]) > 1.0 > max(before[-1].message["relative"])
    run.stop_fault()
    after = steps(run, 2)
    assert not any(step.message["active"] for step in after)
    recorded = run.take_events()
    assert [(event["state"], event["t"]) for event in recorded if event["type"] == "fault"] == [("on", 4), ("off", 7)]
    alarms = [event for event in recorded if event["type"] == "alarm"]
    assert {(alarm["detector"], alarm["delay"], alarm["false"]) for alarm in alarms} == {(0, 0, False), (1, 0, False)}


def test_environment_records_the_event_of_a_fault(run):
    steps(run, 2)
    run.start_fault(FaultOrder(Fault("observation/offset", 2.0, "start", channels=[1])))
    steps(run, 2)
    run.stop_fault()
    steps(run, 1)
    (event,) = run.events
    assert (event.anomaly, event.onset, event.end, event.channels) == ("observation/offset", 2, 4, (1,))


def test_a_duration_ends_a_fault_and_an_episode_does_not(run):
    run.start_fault(FaultOrder(OFFSET.fault, duration=3))
    run.reset(seed=5)
    active = [step.message["active"] for step in steps(run, 5)]
    assert active == [True, True, True, False, False]
    assert [event["state"] for event in events(run, "fault")] == ["on", "off"]


def test_a_delay_is_counted_from_the_injection_also_in_later_episodes(run):
    steps(run, 4)
    run.start_fault(OFFSET)
    steps(run, 3)
    run.reset(seed=5)
    run.take_events()
    steps(run, 1)
    alarms = events(run, "alarm")
    assert [(alarm["t"], alarm["n"], alarm["delay"]) for alarm in alarms] == [(0, 7, 3), (0, 7, 3)]


def test_episodes_follow_each_other_and_a_seed_repeats_them(run):
    first = [step.message for step in steps(run, 60)]
    assert [event["episode"] for event in events(run, "episode")][:2] == [0, 1]
    assert {message["episode"] for message in first} >= {0, 1}
    run.reset(seed=3)
    again = [step.message for step in steps(run, 5)]
    assert [each["observation"] for each in again] == [each["observation"] for each in first[:5]]
    assert [each["scores"] for each in again] == [each["scores"] for each in first[:5]]


def test_evidence_names_the_faulty_channels(run):
    steps(run, 2)
    run.start_fault(FaultOrder(Fault("observation/offset", 5.0, "start", channels=[4])))
    steps(run, 1)
    found = run.explain(1)()
    assert sum(channel["share"] for channel in found["channels"]) <= 1.0 + 1e-6
    name = str(run.env.unwrapped.world.card.observation[4])
    assert found["channels"][0]["name"] == name


def test_fallback_takes_over_from_the_step_after_an_alarm(folder):
    settings = LiveSettings(WORLD, detectors=("KNN",), fallback="stop", seed=3)
    run = LiveRun(settings, fit_nominal(settings, folder=folder))
    run.start_fault(OFFSET)
    over = [step.message["handed_over"] for step in steps(run, 3)]
    assert over == [False, True, True]
    assert np.all(run._action() == 0.0)
    run.stop_fault()
    run.reset()
    assert not run.step().message["handed_over"]


def test_second_fit_comes_from_disk_with_the_same_thresholds(folder):
    settings = LiveSettings(WORLD, detectors=("KNN", "Mahalanobis"))
    told = []
    first = fit_nominal(settings, folder=folder, report=lambda text, share: told.append(text))
    told.clear()
    second = fit_nominal(settings, folder=folder, report=lambda text, share: told.append(text))
    assert [each.alarm.threshold_ for each in first.monitors] == [each.alarm.threshold_ for each in second.monitors]
    assert told == ["Fitting the alarms"]


def test_a_damaged_file_is_fitted_again(tmp_path):
    settings = LiveSettings(WORLD, detectors=("HBOS",))
    before = fit_nominal(settings, folder=tmp_path).monitors[0].alarm.threshold_
    for path in tmp_path.rglob("*.safetensors"):
        path.write_bytes(b"damaged")
    assert fit_nominal(settings, folder=tmp_path).monitors[0].alarm.threshold_ == before


def test_wrong_orders_are_refused_and_the_run_goes_on(run):
    with pytest.raises(InvalidChannels):
        run.start_fault(FaultOrder(Fault("observation/offset", 1.0, "start", channels=[99])))
    with pytest.raises(UnknownName):
        run.start_fault(FaultOrder(Fault("dynamics/no_such", 1.0, "start")))
    with pytest.raises(InvalidParameter):
        FaultOrder(OFFSET.fault, duration=0)
    for _ in range(MOST_FAULTS):
        run.start_fault(OFFSET)
    with pytest.raises(InvalidState, match="clear one"):
        run.start_fault(OFFSET)
    assert run.stop_fault() == MOST_FAULTS
    assert run.step().message["active"] is False


@pytest.mark.parametrize(
    "wrong",
    [{"policy": "none"}, {"fallback": "x"}, {"detectors": ()}, {"rate": 0.0}, {"alarm": "Bell"}, {"detectors": ("X",)}],
)
def test_wrong_settings_are_named_errors(wrong):
    with pytest.raises((InvalidParameter, UnknownName)):
        LiveSettings(WORLD, **wrong)


def test_worlds_without_named_channels_are_not_offered():
    with pytest.raises(InvalidParameter, match="choose from"):
        LiveSettings("OOD-Pong-v0")
