"""Faults in recordings are those of injected environments."""

from dataclasses import replace

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box

import offnominal as off
from offnominal.anomalies import anomalies
from offnominal.anomalies.sensor_failures import SENSOR_FAILURES, Dropped, Frozen
from offnominal.cli import main
from offnominal.core.errors import InvalidChannels, InvalidParameter, UnsupportedEnvironment
from offnominal.datasets import OpenLoopFault, inject_log
from offnominal.laws import check_anomaly

STEPS = 60
PARAMETERS = {
    "observation/drift": 0.03,
    "observation/noise": 0.4,
    "observation/offset": -0.7,
    "observation/quantisation": 0.25,
    "observation/scaling": 1.3,
    "observation/temporal_noise": 0.5,
    "observation/frozen": 3,
    "observation/drop": 0.3,
}
SCHEDULES = {
    "onset": 20,
    "random": "random",
    "pair": (5, 30),
    "ramp": off.Schedule(onset=10, duration=20, ramp=5, recovery=4),
    "intermittent": off.Schedule(onset=4, period=7, duty=0.4),
    "walk": off.Schedule(onset=8, walk=0.2),
}


def anomaly(id):
    return SENSOR_FAILURES[id]() if id in SENSOR_FAILURES else id


def recording(seed=3, dtype=np.float64):
    random = np.random.default_rng(seed)
    observations = np.cumsum(random.normal(size=(STEPS + 1, 3)), axis=0).astype(dtype)
    actions = random.uniform(-1, 1, size=(STEPS, 2))
    return off.Episode(observations, actions, np.zeros(STEPS), np.zeros(STEPS, bool), seed=seed)


class Replay(gymnasium.Env):
    """An environment that returns the observations of a recording, whatever the actions."""

    def __init__(self, episode):
        self.episode, kind = episode, episode.observations.dtype
        self.observation_space = Box(-np.inf, np.inf, episode.observations.shape[1:], kind.type)
        self.action_space = Box(-10.0, 10.0, episode.actions.shape[1:], np.float64)
        self.spec = gymnasium.envs.registration.EnvSpec("Replay-v0", max_episode_steps=len(episode))

    def reset(self, *, seed=None, options=None):
        self.step_number = 0
        return self.episode.observations[0], {}

    def step(self, action):
        self.step_number += 1
        return self.episode.observations[self.step_number], 0.0, False, False, {}


def replayed(episode, faults):
    """Return what an injected environment shows of a recording."""
    env = off.inject(Replay(episode), faults=faults)
    shown, active, executed = [env.reset(seed=episode.seed)[0]], [], []
    for action in episode.actions:
        observation, _, _, _, info = env.step(action)
        shown.append(observation)
        active.append(info["active"])
        executed.append(info["executed_action"])
    return np.array(shown), np.array(active), np.array(executed), env.events


def test_every_sensor_fault_is_tested():
    ids = [id for id in anomalies.ids() if id.startswith("observation/")]
    assert sorted(PARAMETERS) == sorted([*ids, *SENSOR_FAILURES])


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("id", PARAMETERS)
def test_a_recording_has_the_faults_of_an_injected_environment(id, schedule):
    for channels, dtype in ((None, np.float64), ([2, 0], np.float32)):
        episode = recording(dtype=dtype)
        fault = off.Fault(anomaly(id), PARAMETERS[id], SCHEDULES[schedule], channels)
        shown, active, _, events = replayed(episode, fault)
        (ours,) = inject_log([episode], faults=fault)
        assert ours.observations.tobytes() == shown.tobytes()
        np.testing.assert_array_equal(ours.active, active)
        assert ours.events == events
        assert ours.observations.dtype == dtype
        assert active.any()
        assert (ours.observations != episode.observations).any()
        np.testing.assert_array_equal(ours.extras["clean_observations"], episode.observations)
        np.testing.assert_array_equal(ours.actions, episode.actions)


def test_two_faults_act_together_as_in_an_environment():
    faults = (off.Fault("observation/noise", 0.2, "random"), off.Fault(Frozen(), 2, off.Schedule(after=5), [1]))
    (ours,) = inject_log([recording()], faults=faults)
    assert ours.observations.tobytes() == replayed(recording(), faults)[0].tobytes()
    assert ours.extras["applied"].shape == (STEPS, 2)


@pytest.mark.parametrize("id", ["observation/drift", "observation/temporal_noise", "observation/frozen"])
def test_a_recording_of_a_world_has_the_faults_of_the_world(id):
    def policy(observations):
        return np.full((len(observations), 2), 0.3)

    fault = off.Fault(anomaly(id), PARAMETERS[id], "random")
    nominal = off.collect("SAP-Goal0-v0", policy, 3, max_steps=40)
    faulty = off.collect("SAP-Goal0-v0", policy, 3, faults=replace(fault, schedule=(2, 39)), max_steps=40)
    for ours, theirs in zip(inject_log(nominal, faults=replace(fault, schedule=(2, 39))), faulty, strict=True):
        assert ours.observations.tobytes() == theirs.observations.tobytes()
        assert ours.events == theirs.events


@pytest.mark.parametrize("id", [id for id in anomalies.ids() if id.startswith("action/")])
def test_faults_of_actions_are_in_open_loop(id):
    episode = recording()
    parameter = 3 if id == "action/delay" else 0.4
    with pytest.warns(OpenLoopFault, match="open loop: its observations do not respond"):
        log = inject_log([episode], id, strength=parameter, schedule=10)
    (ours,) = log
    assert log.open_loop
    assert "open loop" in repr(log)
    np.testing.assert_array_equal(ours.actions, replayed(episode, off.Fault(id, parameter, 10))[2])
    assert (ours.actions != episode.actions).any()
    np.testing.assert_array_equal(ours.observations, episode.observations)
    np.testing.assert_array_equal(ours.extras["clean_actions"], episode.actions)


def test_what_a_recording_cannot_show_is_refused():
    log = [recording()]
    cases = [
        (
            ("dynamics/mass",),
            {"strength": 2.0},
            UnsupportedEnvironment,
            "changes how a machine responds, which a record",
        ),
        (("camera/blur",), {"strength": 2.0}, UnsupportedEnvironment, "changes images, and only vectors"),
        (("observation/offset",), {"strength": "medium"}, InvalidParameter, "named strengths are those of worlds"),
        (("observation/offset",), {}, InvalidParameter, "needs a strength: a number"),
        (("observation/offset",), {"strength": 1.0, "channels": [3]}, InvalidChannels, r"channel 3 is outside 0 .. 2"),
        (("observation/offset",), {"strength": 1.0, "channels": ["x"]}, InvalidChannels, "no channel 'x'"),
        (("observation/offset",), {"strength": 1.0, "schedule": 60}, InvalidParameter, "onset 60 lies after the last"),
        (("observation/offset",), {"strength": 1.0, "unit": "metres"}, InvalidParameter, "unit is 'metres'; expected"),
        (("observation/frozen",), {"strength": 0.5}, InvalidParameter, "expected a whole number"),
        (("observation/drop",), {"strength": 1.5}, InvalidParameter, "expected at most 1"),
        ((), {}, InvalidParameter, "there is no anomaly and no fault"),
        ((), {"strength": 1.0}, InvalidParameter, "need an anomaly; a Fault has its own"),
        (("observation/drop",), {"faults": ()}, InvalidParameter, "an anomaly and faults were given"),
    ]
    for arguments, options, error, words in cases:
        with pytest.raises(error, match=words):
            list(inject_log(log, *arguments, **options))
    with pytest.raises(InvalidParameter, match="the log has no episodes"):
        inject_log([], "observation/frozen")
    faulty = replace(log[0], active=np.arange(STEPS) > 50)
    with pytest.raises(InvalidParameter, match="episode 1 of the log has active labels; inject into nominal"):
        list(inject_log([log[0], faulty], "observation/frozen"))
    images = replace(log[0], observations=np.zeros((STEPS + 1, 3, 8, 8)))
    with pytest.raises(UnsupportedEnvironment, match=r"observations of shape \(3, 8, 8\); expected vectors"):
        list(inject_log([images], "observation/frozen"))


def test_channels_have_the_names_of_the_log_and_their_deviations_as_unit():
    x, y = np.sin(np.arange(200.0)), 100.0 * np.cos(np.arange(200.0))
    log = off.episodes_from({"x": x, "y": y}, window=50)
    shifted = inject_log(log, "observation/offset", strength=1.0, schedule=20, unit="deviation")
    change = np.concatenate([each.observations - clean.observations for each, clean in zip(shifted, log, strict=True)])
    deviations = np.concatenate([each.observations for each in log]).std(axis=0)
    np.testing.assert_allclose(change[-1], deviations, rtol=1e-9)
    only = inject_log(log, "observation/offset", strength=1.0, schedule=20, channels=["y"], unit="deviation")[1]
    assert only.observations[:, 0].tobytes() == log[1].observations[:, 0].tobytes()
    assert only.observations[:21].tobytes() == log[1].observations[:21].tobytes(), "nothing changes before the onset"
    assert only.events[0].channels == (1,)


def test_repetitions_draw_other_onsets_and_the_same_one_is_the_same():
    log = [recording(seed) for seed in range(5)]

    def onsets(repetition):
        return [each.onset for each in inject_log(log, "observation/noise", strength=1.0, repetition=repetition)]

    assert onsets(0) == onsets(0)
    assert onsets(0) != onsets(1)
    injected = inject_log(log, "observation/noise", strength=1.0)
    assert injected[1:3][1] == injected[2]
    assert len(injected[1:3]) == 2


def test_a_frozen_sensor_holds_and_a_dropped_value_is_the_last_one():
    episode = recording()
    (held,) = inject_log([episode], "observation/frozen", schedule=10)
    np.testing.assert_array_equal(held.observations[11:], np.tile(episode.observations[11], (50, 1)))
    (halved,) = inject_log([episode], "observation/frozen", strength=1, schedule=0)
    np.testing.assert_array_equal(halved.observations[1:], episode.observations[1:][np.arange(STEPS) // 2 * 2])
    (lost,) = inject_log([episode], "observation/drop", strength=1.0, schedule=10)
    np.testing.assert_array_equal(lost.observations[11:], np.tile(episode.observations[11], (50, 1)))
    (nans,) = inject_log([episode], Dropped(fill="nan"), strength=0.25, schedule=0)
    assert 0.15 < np.isnan(nans.observations[1:]).mean() < 0.35
    assert np.isfinite(nans.observations[0]).all()
    again = off.Schedule(onset=0, period=20, duty=0.5)
    (blinking,) = inject_log([episode], "observation/frozen", schedule=again)
    np.testing.assert_array_equal(blinking.observations[21:31], np.tile(episode.observations[21], (10, 1)))
    np.testing.assert_array_equal(blinking.observations[31:41], episode.observations[31:41])
    with pytest.raises(InvalidParameter, match="fill is 'zero'"):
        Dropped(fill="zero")


@pytest.mark.parametrize("made", [Frozen(), Dropped()])
def test_sensor_failures_keep_the_laws_of_anomalies(made):
    report = check_anomaly(made, "SAP-Goal0-v0", strength=4 if isinstance(made, Frozen) else 0.3)
    assert report.ok, str(report)


def test_the_command_line_writes_faults_into_the_test_episodes(tmp_path, monkeypatch, capsys):
    random = np.random.default_rng(0)
    rows = random.normal(size=(600, 2))
    np.savetxt(tmp_path / "log.csv", rows, delimiter=",", header="flow,heat", comments="")

    def run(*faults):
        options = [word for fault in faults for word in ("--fault", fault)]
        arguments = ["import", str(tmp_path / "log.csv"), "--out", str(tmp_path / "made"), "--window", "20", *options]
        monkeypatch.setattr("sys.argv", ["offnominal", *arguments])
        with pytest.raises(SystemExit) as stop:
            main()
        return stop.value.code, capsys.readouterr().err

    code, said = run("observation/offset=3", "observation/frozen")
    assert code == 0, said
    made = off.Dataset(tmp_path / "made")
    assert sorted(made) == ["observation-frozen", "observation-offset", "test", "train", "validation"]
    assert sorted(made.faulty) == ["observation-frozen", "observation-offset"]
    shift = made["observation-offset"][0].observations[-1] - made["test"][0].observations[-1]
    np.testing.assert_allclose(shift, 3.0 * np.concatenate([e.observations for e in made["test"]]).std(axis=0))
    for fault, words in (("observation/offset=much", "'much'; expected a number"), ("dynamics/mass=2", "changes how")):
        code, said = run(fault)
        assert code != 0
        assert words in said


@pytest.mark.long
def test_detection_is_measured_without_labels():
    random = np.random.default_rng(0)
    x = np.sin(np.arange(6000) / 7.0) + 0.05 * random.normal(size=6000)
    log = off.episodes_from({"x": x, "y": 2.0 * x + 0.05 * random.normal(size=6000)}, window=100)
    data = off.datasets.split_log(log)
    detector = off.detectors.make_detector("Mahalanobis").fit(data["train"])
    faulty = inject_log(data["test"], "observation/offset", strength=2.0, channels=["x"], schedule=50)
    report = off.evaluate(detector, {"test": data["test"], "faulty": faulty}, replicates=50)
    assert float(report["faulty"].numbers["auroc"].value) > 0.9
