"""Both arms behind a controller follow servo commands; the one with masses does it like URM-Reach."""

import numpy as np
import pytest

from offnominal.core.errors import SimulationDiverged
from offnominal.worlds.arm.kinematics import forward, pose_vector
from offnominal.worlds.arm.rtde import FREE_PORTS, HOME, KinematicBackend, RobotClient, RobotServer, VirtualController
from offnominal.worlds.arm.rtde.mujoco_backend import MujocoBackend

pytestmark = pytest.mark.long

BACKENDS = [KinematicBackend, MujocoBackend]
DOWN = pose_vector(forward(HOME))


def way_of(make, model, steps=40):
    with (
        RobotServer(VirtualController(model, make()), ports=FREE_PORTS, speed="lockstep", period=0.04) as server,
        RobotClient(ports=server.ports, timeout=60.0) as robot,
    ):
        target, way = DOWN.copy(), []
        for step in range(steps):
            target[:3] += 0.006 * np.array([-1.0, np.cos(0.2 * step), -0.3])
            way.append(robot.servo_l(target).tcp_pose[:3])
        return np.array(way), target[:3]


@pytest.mark.parametrize("model", ["cb3", "e-series"])
@pytest.mark.parametrize("make", BACKENDS)
def test_arm_follows_servo_commands_through_the_protocol(make, model):
    way, target = way_of(make, model)
    assert np.linalg.norm(way[-1] - target) < 0.03
    assert np.linalg.norm(np.diff(way, axis=0), axis=1).max() < 0.015


@pytest.mark.parametrize("make", BACKENDS)
def test_same_commands_give_the_same_bytes(make):
    np.testing.assert_array_equal(way_of(make, "cb3", 10)[0], way_of(make, "cb3", 10)[0])


@pytest.mark.parametrize("make", BACKENDS)
def test_arm_at_rest_stays_where_it_is_and_reset_leaves_no_trace(make):
    arm = make()
    arm.follow(np.add(HOME, 0.2)[None], 0.5)
    assert np.abs(arm.joint_positions - HOME).max() > 0.1
    arm.reset(HOME)
    arm.follow(np.tile(HOME, (100, 1)), 0.008)
    assert np.abs(arm.joint_positions - HOME).max() < 1e-3
    assert np.abs(arm.joint_velocities).max() < 1e-3
    assert np.linalg.norm(arm.tcp_pose[:3] - DOWN[:3]) < 1e-3


def test_unstable_arm_is_a_named_error():
    arm = MujocoBackend()
    with pytest.raises(SimulationDiverged, match="unstable"):
        arm.follow(np.array([[1e200] * 6, HOME]), 0.008)
    arm.reset(HOME)
    arm.follow(np.tile(HOME, (2, 1)), 0.008)
