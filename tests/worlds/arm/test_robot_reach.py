"""URR-Reach: the task of URM-Reach through client, protocol and virtual controller."""

import time

import numpy as np
import pytest

import offnominal as off
from offnominal.agents import scripted_expert
from offnominal.core.errors import InvalidParameter, SimulationDiverged, UnsupportedEnvironment
from offnominal.rollouts import collect, evaluate_policy
from offnominal.worlds import make_world
from offnominal.worlds.arm.errors import MotionRefused, RobotUnreachable
from offnominal.worlds.arm.robot_reach import RobotReach, table_position
from offnominal.worlds.arm.rtde import FREE_PORTS, Ports, RobotServer, VirtualController
from offnominal.worlds.arm.rtde.mujoco_backend import MujocoBackend
from offnominal.worlds.arm.world import START, START_POSITION

pytestmark = pytest.mark.long

WORLD = "URR-Reach-v0"
ROW = np.arange(1)


def started(n=1, **options):
    world = RobotReach(n, **options)
    rows = np.arange(n)
    world.reset(rows, seeds=rows + 7, episodes=np.zeros(n, int))
    return world


@pytest.fixture
def server():
    controller = VirtualController(backend=MujocoBackend())
    with RobotServer(controller, ports=FREE_PORTS, speed="lockstep", period=0.04) as running:
        yield running


def way_of(world, steps=20):
    """Return the observations of some steps of a fixed sequence of actions."""
    observations = []
    for step in range(steps):
        world.step(np.tile([np.cos(0.3 * step), np.sin(0.5 * step), -0.5, 0.0], (len(world.observations), 1)))
        observations.append(world.observations.copy())
    return np.concatenate(observations)


def test_episode_starts_where_urm_reach_starts():
    world, simulated = started(), make_world("URM-Reach-v0", 1)
    simulated.reset(ROW, seeds=ROW + 7, episodes=np.zeros(1, int))
    np.testing.assert_array_equal(world.observations, simulated.observations)
    np.testing.assert_allclose(table_position(START), START_POSITION, atol=1e-15)


def test_arm_moves_about_as_far_per_step_as_in_urm_reach():
    world = started()
    for _ in range(10):
        world.step(np.array([[1.0, 0.0, 0.0, 0.0]]))
    before = world.observations[0, 0]
    for _ in range(10):
        world.step(np.array([[1.0, 0.0, 0.0, 0.0]]))
    assert 0.003 < (world.observations[0, 0] - before) / 10 < 0.005


def test_sockets_give_the_same_observations_as_the_controller_in_this_process(server):
    remote = started(host="127.0.0.1", ports=server.ports, timeout=60.0)
    np.testing.assert_array_equal(way_of(remote), way_of(started()))
    remote.close()


@pytest.mark.parametrize("model", ["cb3", "e-series"])
def test_scripted_expert_of_urm_reach_reaches_its_goals(model):
    policy = scripted_expert(WORLD)
    assert evaluate_policy(WORLD, policy, 4, model=model).mean_return > -200.0


@pytest.mark.parametrize(("anomaly", "strength"), [("control_latency", 0.098), ("control_smoothing", 0.173)])
def test_fault_of_the_controller_slows_the_arm_from_its_onset_on(anomaly, strength):
    policy = scripted_expert(WORLD)
    fault = off.Fault(f"dynamics/{anomaly}", strength, schedule=5)
    (nominal,), (faulty,) = (collect(WORLD, policy, 1, faults=faults, seed=3, max_steps=30) for faults in (None, fault))
    same = (nominal.observations == faulty.observations).all(axis=1)
    assert same[:6].all()
    assert not same[7:].any()


def test_random_and_saturated_actions_never_stop_the_robot():
    world = started(2)
    generator = np.random.default_rng(0)
    for step in range(200):
        scale = 10.0 if step % 2 else 1.0
        world.step(scale * generator.uniform(-1.0, 1.0, (2, 4)))
    for corner in ((-1, 1, 1), (1, -1, -1), (-1, -1, 1), (1, 1, -1), (-1, 1, -1), (1, 1, 1)):
        for _ in range(60):
            world.step(np.tile([*corner, 0.0], (2, 1)))
    assert np.isfinite(world.observations).all()


def test_robot_after_a_protective_stop_stands_still_until_the_next_episode():
    world, fresh, rows = started(3), started(3), np.arange(3)
    for _ in range(5):
        world.step(np.ones((3, 4)))
        fresh.step(np.ones((3, 4)))
    world._robots[1].local.controller.protective_stop()
    stopped_at = world.observations[1, :3].copy()
    for _ in range(5):
        world.step(np.ones((3, 4)))
        fresh.step(np.ones((3, 4)))
        np.testing.assert_array_equal(world.observations[[0, 2]], fresh.observations[[0, 2]])
        np.testing.assert_array_equal(world.observations[1, :6], [*stopped_at, 0.0, 0.0, 0.0])
        assert world.critical.tolist() == [False, True, False]
        assert world.cost[1] == 1.0
    world.reset(rows, seeds=rows + 7, episodes=np.zeros(3, int))
    np.testing.assert_array_equal(way_of(world), way_of(started(3)))


@pytest.mark.parametrize("error", [MotionRefused, SimulationDiverged])
def test_error_of_one_robot_leaves_no_trace_in_the_next_episode(error, monkeypatch):
    world, fresh, rows = started(3), started(3), np.arange(3)
    for _ in range(5):
        world.step(np.ones((3, 4)))
    if error is MotionRefused:
        world._robots[1].stop()
    else:
        backend = world._robots[1].local.controller.backend
        monkeypatch.setattr(backend, "_warnings", np.ones_like(backend._warnings))
    with pytest.raises(error):
        world.step(-np.ones((3, 4)))
    monkeypatch.undo()
    world.reset(rows, seeds=rows + 7, episodes=np.zeros(3, int))
    for _ in range(5):
        world.step(np.ones((3, 4)))
        fresh.step(np.ones((3, 4)))
        np.testing.assert_array_equal(world.observations, fresh.observations)


def test_stop_is_final_until_the_next_episode():
    world = started()
    world.stop()
    with pytest.raises(MotionRefused):
        world.step(np.zeros((1, 4)))
    world.reset(ROW, seeds=ROW + 7, episodes=np.zeros(1, int))
    np.testing.assert_array_equal(way_of(world), way_of(started()))


def test_noise_is_refused_on_anything_but_a_virtual_controller(server, monkeypatch):
    off.make(WORLD, "action/noise", strength=0.1).close()
    monkeypatch.setattr("offnominal.worlds.arm.rtde.dashboard_session.VIRTUAL", 'could not understand: "offnominal"')
    options = {"host": "127.0.0.1", "ports": server.ports, "timeout": 60.0, "i_am_at_the_emergency_stop": True}
    with pytest.raises(UnsupportedEnvironment, match="virtual controllers only"):
        off.make(WORLD, "action/noise", strength=0.1, **options)


def test_host_is_one_robot_and_options_need_it():
    with pytest.raises(InvalidParameter, match="1 row"):
        RobotReach(2, host="127.0.0.1")
    with pytest.raises(InvalidParameter, match="timeout need a host"):
        RobotReach(1, timeout=1.0)
    with pytest.raises(RobotUnreachable):
        RobotReach(1, host="127.0.0.1", ports=Ports(1, 1, 1, 1))


def test_pause_between_episodes_is_no_error():
    with RobotServer(VirtualController(backend=MujocoBackend()), ports=FREE_PORTS, speed="real") as server:
        world = started(host="127.0.0.1", ports=server.ports, timeout=60.0, watchdog=1.0)
        deadline = time.monotonic() + 30.0
        while server.controller.running and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not server.controller.running
        world.reset(ROW, seeds=ROW + 8, episodes=np.zeros(1, int))
        np.testing.assert_allclose(world.observations[0, :3], START_POSITION, atol=2e-3)
        world.close()


def test_real_robot_moves_to_its_start_without_a_reset(server, monkeypatch):
    monkeypatch.setattr("offnominal.worlds.arm.rtde.dashboard_session.VIRTUAL", 'could not understand: "offnominal"')
    world = started(host="127.0.0.1", ports=server.ports, timeout=60.0, i_am_at_the_emergency_stop=True)
    way_of(world)
    world.reset(ROW, seeds=ROW + 8, episodes=np.zeros(1, int))
    np.testing.assert_allclose(world.observations[0, :3], START_POSITION, atol=2e-3)
    assert server.controller.resets == 0
    world.close()
