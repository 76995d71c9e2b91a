"""Vector environments with pixel observations and camera faults."""

import numpy as np
import pytest

import offnominal as off
from offnominal.anomalies import Fault
from offnominal.anomalies.final_state_env import FinalStateVectorEnv

pytestmark = pytest.mark.long

pytest.importorskip("ale_py", reason="Pong needs ale-py, which the extra `atari` installs")

FAULTS = [None, Fault("camera/gaussian", 2, 2), (Fault("camera/frozen", 2, 1), Fault("camera/impulse", 1, 3))]
LIMIT, STEPS = 6, 15


def vector():
    return off.make_vec("OOD-Pong-v0", 3, faults=FAULTS, max_episode_steps=LIMIT)


def actions(t):
    return np.array([2, 3, 2 + t % 2])


def test_every_row_is_the_single_environment_of_its_seed_and_faults():
    envs = vector()
    assert isinstance(envs, FinalStateVectorEnv)
    singles = [off.anomalies.inject(off.make("OOD-Pong-v0", max_episode_steps=LIMIT), faults=fault) for fault in FAULTS]
    observations, _ = envs.reset(seed=7)
    alone = [env.reset(seed=7 + row)[0] for row, env in enumerate(singles)]
    for t in range(STEPS):
        assert all(np.array_equal(*pair) for pair in zip(observations, alone, strict=True))
        observations, _, _, truncated, infos = envs.step(actions(t))
        for row, env in enumerate(singles):
            alone[row], *_, over, info = env.step(int(actions(t)[row]))
            assert over == truncated[row]
            if over:
                assert np.array_equal(infos["final_obs"][row], alone[row])
                alone[row], info = env.reset()
            assert np.array_equal(infos["clean_observation"][row], info["clean_observation"])


def test_a_fault_does_not_outlive_its_episode():
    envs = vector()
    envs.reset(seed=0)
    for t in range(LIMIT):
        observations, *_, infos = envs.step(actions(t))
    assert np.array_equal(observations, infos["clean_observation"])
    assert infos["active"].tolist() == [False, True, True]
    observations, *_, infos = envs.step(actions(0))
    assert np.array_equal(observations, infos["clean_observation"])
    assert not infos["active"].any()


def test_what_it_returned_stays_as_it_was():
    envs = vector()
    envs.reset(seed=0)
    for t in range(3):
        kept, *_ = envs.step(actions(t))
    before = kept.copy()
    for t in range(LIMIT):
        envs.step(actions(t))
    assert np.array_equal(kept, before)


@pytest.mark.parametrize("row", [1, 2])
def test_a_row_started_anew_leaves_the_others_alone(row):
    envs = vector()
    envs.reset(seed=0)
    for t in range(4):
        before, *_ = envs.step(actions(t))
    mask = np.arange(3) == row
    after, infos = envs.reset(seed=0, options={"reset_mask": mask})
    assert np.array_equal(after[~mask], before[~mask])
    assert np.array_equal(after[row], infos["clean_observation"][row])
