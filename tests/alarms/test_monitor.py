"""Online monitoring: the same scores and alarms as in a batch, evidence, and a fallback policy."""

import json

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import offnominal as off
from offnominal.agents import expert
from offnominal.alarms import EpisodeMaximum, Monitor, OnlineMonitor, VectorMonitor
from offnominal.anomalies import Fault
from offnominal.core.errors import InvalidAction, InvalidState, NotFitted, UnsupportedEnvironment
from offnominal.detectors import make_detector
from offnominal.detectors.observation_limits import MAX_SCORE
from offnominal.rollouts import collect

WORLD = "SAP-Goal0-v0"
FAULT = Fault("observation/offset", 1.5, 4)


@pytest.fixture(scope="module")
def policy():
    return expert(WORLD)


@pytest.fixture(scope="module")
def detector(policy):
    return make_detector("KNN").fit(collect(WORLD, policy, 40, seed=1))


@pytest.fixture(scope="module")
def alarm(detector, policy):
    return EpisodeMaximum(0.1).fit(detector.score(collect(WORLD, policy, 60, seed=1000)))


def act(policy, observation):
    return policy.act(np.asarray(observation)[None], None)[0][0]


def watched(env, policy, seed, steps=12):
    observation, info = env.reset(seed=seed)
    infos = []
    for _ in range(steps):
        observation, _, terminated, truncated, info = env.step(act(policy, observation))
        infos.append(info)
        if terminated or truncated:
            break
    return infos


def test_a_monitored_environment_gives_the_scores_and_alarms_of_the_batch(detector, alarm, policy):
    env = Monitor(off.make(WORLD, faults=FAULT), detector, alarm)
    for seed in (5, 6):
        infos = watched(env, policy, seed)
        (episode,) = collect(WORLD, policy, 1, faults=FAULT, seed=seed)
        (scores,) = detector.score([episode])
        (raised,) = alarm.alarm([scores])
        seen = [info["score"] for info in infos]
        np.testing.assert_allclose(seen, scores[: len(seen)])
        assert [info["alarm"] for info in infos] == raised[: len(seen)].tolist()
        assert [info["alarmed"] for info in infos] == np.maximum.accumulate(raised)[: len(seen)].tolist()


def test_a_nominal_episode_after_a_faulty_one_starts_without_alarm(detector, alarm, policy):
    env = Monitor(off.make(WORLD, faults=FAULT), detector, alarm)
    assert watched(env, policy, 5)[-1]["alarmed"]
    _, info = env.reset(seed=6)
    assert not info["alarmed"]


def test_the_callback_is_called_once_per_episode_with_the_evidence(detector, alarm, policy, tmp_path):
    told, log = [], tmp_path / "evidence.jsonl"
    env = Monitor(off.make(WORLD, faults=FAULT), detector, alarm, on_alarm=told.append, log=log)
    infos = watched(env, policy, 5)
    watched(env, policy, 6)
    assert [evidence.episode for evidence in told] == [1, 2]
    first = [info["alarm"] for info in infos].index(True)
    assert told[0].step == first
    assert told[0].score == infos[first]["score"] > told[0].statistic_threshold
    assert told[0].recent[-1] == told[0].score
    assert len(told[0].recent) == first + 1
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert lines == [evidence.to_dict() for evidence in told]
    assert len(lines[0]["next_observation"]) == 26


def test_the_fallback_acts_from_the_step_after_the_alarm(detector, alarm, policy):
    env = Monitor(
        off.make(WORLD, faults=FAULT), detector, alarm, fallback=lambda observations: 0.0 * observations[:, :2]
    )
    infos = watched(env, policy, 5)
    first = [info["alarm"] for info in infos].index(True)
    handed = [info["handed_over"] for info in infos]
    assert handed == [False] * (first + 1) + [True] * (len(infos) - first - 1)
    assert any(handed)


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
def test_every_row_of_a_vector_is_monitored_independently(mode, detector, alarm, policy):
    if mode == AutoresetMode.SAME_STEP:
        envs = off.make_vec(WORLD, 3, faults=[None, FAULT, None])
    else:
        envs = gymnasium.vector.SyncVectorEnv(
            [lambda: off.make(WORLD), lambda: off.make(WORLD, faults=FAULT), lambda: off.make(WORLD)],
            autoreset_mode=mode,
        )
    monitored = Monitor(envs, detector, alarm)
    assert isinstance(monitored, VectorMonitor)
    observations, _ = monitored.reset(seed=5)
    scores, ended = [[], [], []], np.zeros(3, bool)
    for _ in range(30):
        observations, _, terminated, truncated, infos = monitored.step(policy.act(observations, None)[0])
        for row in np.flatnonzero(~ended):
            scores[row].append(infos["score"][row])
        ended |= terminated | truncated
        if ended.all():
            break
    faults = [None, FAULT, None]
    for row in range(3):
        (episode,) = collect(WORLD, policy, 1, faults=faults[row], seed=5 + row)
        (expected,) = detector.score([episode])
        np.testing.assert_allclose(scores[row], expected[: len(scores[row])], rtol=1e-6)


def test_a_row_that_is_reset_by_a_step_is_not_scored(detector, alarm, policy):
    envs = gymnasium.vector.SyncVectorEnv([lambda: off.make(WORLD)] * 2, autoreset_mode=AutoresetMode.NEXT_STEP)
    monitored = Monitor(envs, detector, alarm)
    observations, _ = monitored.reset(seed=5)
    before, unscored = np.zeros(2, bool), 0
    for _ in range(40):
        observations, _, terminated, truncated, infos = monitored.step(policy.act(observations, None)[0])
        np.testing.assert_array_equal(np.isnan(infos["score"]), before)
        assert not (infos["alarm"] & before).any()
        unscored += before.sum()
        before = terminated | truncated
    assert unscored >= 2


def test_a_vector_without_autoreset_is_refused(detector, alarm):
    envs = gymnasium.vector.SyncVectorEnv([lambda: off.make(WORLD)], autoreset_mode=AutoresetMode.DISABLED)
    with pytest.raises(UnsupportedEnvironment, match="use an OnlineMonitor"):
        Monitor(envs, detector, alarm)


def test_an_unfitted_detector_is_refused_at_once(alarm):
    with pytest.raises(NotFitted):
        OnlineMonitor(make_detector("KNN"), alarm)


class Broken(gymnasium.ObservationWrapper):
    """A sensor that reports nonsense at some steps."""

    def __init__(self, env, reading, steps):
        super().__init__(env)
        self.reading, self.steps, self.t = reading, steps, 0

    def reset(self, **options):
        self.t = 0
        return super().reset(**options)

    def observation(self, observation):
        seen = np.array(observation, np.float64)
        if self.t in self.steps:
            seen[3] = self.reading
        self.t += 1
        return seen


def loop(env, steps=8):
    """Act blindly, whatever is seen."""
    _, info = env.reset(seed=5)
    infos = [info]
    for _ in range(steps):
        _, _, terminated, truncated, info = env.step(np.zeros(2, np.float32))
        infos.append(info)
        if terminated or truncated:
            break
    return infos


@pytest.mark.parametrize("reading", [np.nan, np.inf, 1e160])
def test_an_invalid_reading_alarms_and_never_stops_the_loop(reading, detector, alarm, tmp_path, caplog):
    log = tmp_path / "evidence.jsonl"
    infos = loop(Monitor(Broken(off.make(WORLD), reading, (3, 4)), detector, alarm, log=log))
    assert [info["invalid_reading"] for info in infos] == [False] * 3 + [True] * 3 + [False] * 3
    assert all(np.isfinite(info["score"]) for info in infos[1:])
    assert [info["score"] for info in infos[3:6]] == [MAX_SCORE] * 3
    assert all(info["alarm"] for info in infos[3:6])
    assert infos[-1]["alarmed"]
    assert infos[-1]["score"] < MAX_SCORE
    (message,) = [record.getMessage() for record in caplog.records if record.name == "offnominal.alarms"]
    assert "invalid reading in row 0, episode 1, step 2" in message


def test_the_evidence_of_an_invalid_reading_is_valid_json(detector, tmp_path, policy):
    deaf = EpisodeMaximum(0.1).fit(detector.score(collect(WORLD, policy, 60, seed=1000)))
    log, told = tmp_path / "evidence.jsonl", []
    loop(Monitor(Broken(off.make(WORLD), np.nan, (1,)), detector, deaf, log=log, on_alarm=told.append))
    evidence = json.loads(log.read_text(), parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert evidence["invalid_reading"] is True
    assert evidence["next_observation"][3] is None
    assert told[0].next_observation[3] is None
    assert told[0].score == MAX_SCORE


def test_invalid_readings_are_per_row_of_a_vector(detector, alarm):
    envs = gymnasium.vector.SyncVectorEnv(
        [lambda: Broken(off.make(WORLD), np.nan, ()), lambda: Broken(off.make(WORLD), np.nan, (2,))]
    )
    monitored = Monitor(envs, detector, alarm)
    monitored.reset(seed=5)
    seen = [monitored.step(np.zeros((2, 2), np.float32))[-1]["invalid_reading"].tolist() for _ in range(4)]
    assert seen == [[False, False], [False, True], [False, True], [False, False]]


@pytest.mark.parametrize("action", [[np.nan, 0.0], [np.inf, 0.0], None, "left"])
def test_an_action_that_is_not_finite_is_an_error_of_the_policy(action, detector, alarm):
    env = Monitor(off.make(WORLD), detector, alarm)
    env.reset(seed=5)
    with pytest.raises(InvalidAction, match="the policy chose"):
        env.step(action)
    envs = Monitor(gymnasium.vector.SyncVectorEnv([lambda: off.make(WORLD)]), detector, alarm)
    envs.reset(seed=5)
    with pytest.raises(InvalidAction, match="the policy chose"):
        envs.step([action])


def test_a_step_before_the_first_reset_is_an_error(detector, alarm):
    with pytest.raises(InvalidState, match="call reset first"):
        Monitor(off.make(WORLD), detector, alarm).step(np.zeros(2))
