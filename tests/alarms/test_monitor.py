"""A policy watched online: the same scores and alarms as in a batch, evidence, and a fallback that takes over."""

import json

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import offnominal as off
from offnominal.agents import expert
from offnominal.alarms import EpisodeMaximum, Monitor, VectorMonitor, Watch
from offnominal.anomalies import Fault
from offnominal.core.errors import NotFitted, UnsupportedEnvironment
from offnominal.detectors import KNN
from offnominal.rollouts import collect

WORLD = "SAP-Goal0-v0"
FAULT = Fault("observation/offset", 1.5, 4)


@pytest.fixture(scope="module")
def policy():
    return expert(WORLD)


@pytest.fixture(scope="module")
def detector(policy):
    return KNN().fit(collect(WORLD, policy, 40, seed=1))


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


def test_a_watched_environment_scores_and_alarms_as_the_batch_does(detector, alarm, policy):
    env = Monitor(off.make(WORLD, FAULT), detector, alarm)
    for seed in (5, 6):
        infos = watched(env, policy, seed)
        (episode,) = collect(WORLD, policy, 1, anomalies=FAULT, seed=seed)
        (scores,) = detector.score([episode])
        (raised,) = alarm.alarm([scores])
        seen = [info["score"] for info in infos]
        np.testing.assert_allclose(seen, scores[: len(seen)])
        assert [info["alarm"] for info in infos] == raised[: len(seen)].tolist()
        assert [info["alarmed"] for info in infos] == np.maximum.accumulate(raised)[: len(seen)].tolist()


def test_a_nominal_episode_after_a_faulty_one_starts_without_alarm(detector, alarm, policy):
    env = Monitor(off.make(WORLD, FAULT), detector, alarm)
    assert watched(env, policy, 5)[-1]["alarmed"]
    _, info = env.reset(seed=6)
    assert not info["alarmed"]


def test_the_alarm_calls_back_once_per_episode_with_its_evidence(detector, alarm, policy, tmp_path):
    told, log = [], tmp_path / "evidence.jsonl"
    env = Monitor(off.make(WORLD, FAULT), detector, alarm, on_alarm=told.append, log=log)
    infos = watched(env, policy, 5)
    watched(env, policy, 6)
    assert [evidence.episode for evidence in told] == [1, 2]
    first = [info["alarm"] for info in infos].index(True)
    assert told[0].step == first
    assert told[0].score == infos[first]["score"] > told[0].statistic_limit
    assert told[0].recent[-1] == told[0].score
    assert len(told[0].recent) == first + 1
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert lines == [evidence.to_dict() for evidence in told]
    assert len(lines[0]["next_observation"]) == 26


def test_the_fallback_acts_from_the_step_after_the_alarm(detector, alarm, policy):
    env = Monitor(off.make(WORLD, FAULT), detector, alarm, fallback=lambda observations: 0.0 * observations[:, :2])
    infos = watched(env, policy, 5)
    first = [info["alarm"] for info in infos].index(True)
    handed = [info["handed_over"] for info in infos]
    assert handed == [False] * (first + 1) + [True] * (len(infos) - first - 1)
    assert any(handed)


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
def test_every_row_of_a_vector_is_watched_on_its_own(mode, detector, alarm, policy):
    if mode == AutoresetMode.SAME_STEP:
        envs = off.make_vec(WORLD, 3, [None, FAULT, None])
    else:
        envs = gymnasium.vector.SyncVectorEnv(
            [lambda: off.make(WORLD), lambda: off.make(WORLD, FAULT), lambda: off.make(WORLD)], autoreset_mode=mode
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
        (episode,) = collect(WORLD, policy, 1, anomalies=faults[row], seed=5 + row)
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


def test_a_vector_that_does_not_reset_itself_is_refused(detector, alarm):
    envs = gymnasium.vector.SyncVectorEnv([lambda: off.make(WORLD)], autoreset_mode=AutoresetMode.DISABLED)
    with pytest.raises(UnsupportedEnvironment, match="use a Watch"):
        Monitor(envs, detector, alarm)


def test_an_unfitted_detector_is_refused_at_once(alarm):
    with pytest.raises(NotFitted):
        Watch(KNN(), alarm)
