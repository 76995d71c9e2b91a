"""The client and the virtual controller of this package, over real sockets."""

import hashlib
import os
import threading
import time

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.worlds.arm.errors import (
    InvalidPackage,
    MotionRefused,
    ProgramStopped,
    RobotConnectionLost,
    RobotError,
    RobotTimeout,
    SafetyStop,
    TargetOutOfLimits,
)
from offnominal.worlds.arm.kinematics import angle_between, forward, pose_vector
from offnominal.worlds.arm.rtde import (
    FREE_PORTS,
    HOME,
    LocalRobot,
    MotionLimits,
    Ports,
    RobotClient,
    RobotServer,
    VirtualController,
)
from offnominal.worlds.arm.rtde.commands import COMMAND, HEARTBEAT
from offnominal.worlds.arm.rtde.limits import distance
from offnominal.worlds.arm.rtde.lockstep import LockstepGroup
from offnominal.worlds.arm.rtde.status import RobotMode, SafetyMode

pytestmark = pytest.mark.long

DOWN = pose_vector(forward(HOME))
PATIENCE = 60.0
"""Seconds after which an answer or a condition counts as failed; long, because the machine may be busy."""


def serving(speed="lockstep", *, host="127.0.0.1", period=0.04, ports=FREE_PORTS, **options):
    return RobotServer(VirtualController(**options), host, ports=ports, speed=speed, period=period)


def connected(server, **options):
    return RobotClient(server.host, ports=server.ports, **{"timeout": PATIENCE, **options})


def wait_for(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.001)


def shifted(x=0.0, y=0.0, z=0.0):
    return DOWN + np.array([x, y, z, 0.0, 0.0, 0.0])


def near(pose, target, tolerance):
    return distance(pose, target) < tolerance and angle_between(pose, target) < tolerance


@pytest.fixture
def server():
    with serving() as running:
        yield running


@pytest.fixture
def robot(server):
    with connected(server) as client:
        yield client


@pytest.mark.parametrize("model", ["cb3", "e-series"])
@pytest.mark.parametrize("speed", ["real", "fast", "lockstep"])
def test_every_motion_in_every_mode(model, speed):
    with serving(speed, model=model) as server, connected(server, watchdog=5.0) as robot:
        assert robot.is_virtual
        state = robot.state
        assert near(state.tcp_pose, DOWN, 1e-9)
        np.testing.assert_allclose(state.q, HOME, atol=1e-9)
        assert (state.robot_mode, state.safety_mode) == (RobotMode.RUNNING, SafetyMode.NORMAL)
        assert state.program_running
        assert near(robot.move_l(shifted(z=-0.02), 0.2, 1.0).tcp_pose, shifted(z=-0.02), 2e-3)
        assert np.abs(robot.move_j(HOME, 1.0, 1.4).q - HOME).max() < 2e-2
        target = robot.state.tcp_pose
        for _ in range(3):
            target = np.add(target, [0.005, 0.0, 0.0, 0.0, 0.0, 0.0])
            before = robot.state.timestamp
            after = robot.servo_l(target).timestamp
            assert after >= before + 0.04 - 1e-6
        for _ in range(5):
            robot.servo_l(target)
        assert robot.servo_stop().tcp_pose[0] > DOWN[0] + 0.004


def test_lockstep_advances_by_one_period_per_servo_command(robot):
    robot.move_j(HOME)
    start = robot.state.timestamp
    for step in range(1, 6):
        state = robot.servo_l(shifted(x=-0.002 * step))
        assert state.timestamp == pytest.approx(start + 0.04 * step, abs=1e-9)


def episode(seed):
    """Return the bytes of the states of a servo motion after a reset."""
    digest = hashlib.sha256()
    with serving(encoder_noise=1e-4) as server, connected(server) as robot:
        robot.move_l(shifted(x=-0.1))
        state = robot.reset_virtual(seed)
        assert state.timestamp == 0.0
        for step in range(50):
            state = robot.servo_l(shifted(x=0.004 * np.sin(step), z=-0.001 * step))
            digest.update(repr(sorted((k, v) for k, v in state.values.items() if "register" not in k)).encode())
    return digest.hexdigest()


def test_lockstep_gives_the_same_bytes_for_the_same_seed():
    assert episode(1) == episode(1)
    assert episode(1) != episode(2)


def test_local_robot_gives_the_same_states_as_one_behind_sockets(robot):
    local = RobotClient(LocalRobot(VirtualController(), period=0.04)).connect()
    for client in (local, robot):
        client.move_l(shifted(z=-0.03))
    for step in range(10):
        target = shifted(x=0.003 * step, z=-0.03)
        assert local.servo_l(target).values == robot.servo_l(target).values
    local.dashboard("offnominal protective stop")
    with pytest.raises(SafetyStop):
        local.servo_l(shifted())
    with pytest.raises(MotionRefused):
        local.servo_l(shifted())
    local.local.controller.unlock()
    assert local.reconnect().state.program_running
    local.close()


def test_robots_of_a_group_move_when_one_is_read_and_give_the_same_states_as_alone():
    group = LockstepGroup()
    robots = [RobotClient(LocalRobot(VirtualController(), period=0.04, group=group)).connect() for _ in range(3)]
    alone = RobotClient(LocalRobot(VirtualController(), period=0.04)).connect()
    for step in range(5):
        target = shifted(x=0.003 * step)
        times = [robot.servo_l(target, wait=False).timestamp for robot in robots]
        assert [robot.local.controller.time for robot in robots] == times
        expected = alone.servo_l(target).values
        assert all(robot.finish_servo().values == expected for robot in robots)


def test_command_in_a_group_is_executed_before_its_client_closes():
    local = LocalRobot(VirtualController(), period=0.04, group=LockstepGroup())
    robot = RobotClient(local).connect()
    robot.servo_l(DOWN, wait=False)
    robot.close()
    assert local.controller.time >= 0.04
    assert not local.controller.running


def test_faults_of_the_controller_change_the_way_and_reset_removes_them(robot):
    def way():
        return np.array([robot.servo_l(shifted(x=-0.01 * (step > 0))).tcp_pose[0] for step in range(8)])

    robot.reset_virtual(0)
    nominal = way()
    for name, value in (("control_latency", 0.09), ("control_smoothing", 0.17)):
        robot.reset_virtual(0)
        robot.set_fault(name, value)
        assert (way() - nominal).max() > 1e-3
    robot.reset_virtual(0)
    np.testing.assert_array_equal(way(), nominal)
    with pytest.raises(MotionRefused, match="gremlins"):
        robot.set_fault("gremlins", 1.0)


@pytest.mark.parametrize(
    "pose",
    [
        shifted(x=0.3),
        shifted(z=-0.2),
        shifted(x=0.05),
        [*DOWN[:3], 0.0, 2.0, 0.0],
        [np.nan, *DOWN[1:]],
        [*DOWN[:5], np.inf],
        DOWN[:5],
        "home",
        None,
    ],
)
def test_servo_target_out_of_limits_is_refused_and_nothing_is_sent(server, robot, pose):
    before = server.controller.cycles
    with pytest.raises(TargetOutOfLimits):
        robot.servo_l(pose)
    assert server.controller.cycles == before
    assert server.controller.value(COMMAND) == 0
    robot.servo_l(shifted(x=0.01))


@pytest.mark.parametrize(
    "move",
    [
        lambda robot: robot.move_l(shifted(x=1.0)),
        lambda robot: robot.move_l(shifted(), speed=2.0),
        lambda robot: robot.move_l(shifted(), speed=-0.1),
        lambda robot: robot.move_l(shifted(), acceleration=np.nan),
        lambda robot: robot.move_j([*HOME[:5], np.nan]),
        lambda robot: robot.move_j([0.0] * 6),
        lambda robot: robot.move_j([HOME[0] + 2 * np.pi, *HOME[1:]]),
        lambda robot: robot.move_j(HOME, speed=3.0),
    ],
)
def test_move_out_of_limits_is_refused_and_nothing_is_sent(server, robot, move):
    before = server.controller.cycles
    with pytest.raises(TargetOutOfLimits):
        move(robot)
    assert server.controller.cycles == before


@pytest.mark.parametrize("options", [{"lookahead": 0.5}, {"gain": 1.0}, {"time": 0.0}, {"period": 0.0}])
def test_servo_option_that_no_controller_takes_is_a_named_error(robot, options):
    with pytest.raises(InvalidParameter):
        robot.servo_l(shifted(), **options)


def test_move_j_needs_the_right_tool(server):
    with (
        connected(server, tool=0.15) as robot,
        pytest.raises(TargetOutOfLimits, match=r"tool of 0\.15 m"),
    ):
        robot.move_j(HOME)


def test_dry_run_checks_and_records_but_sends_nothing(server):
    with connected(server, dry_run=True) as robot:
        robot.move_l(shifted(x=-0.05))
        robot.servo_l(shifted(x=0.01))
        robot.move_j(HOME)
        robot.servo_stop()
        with pytest.raises(TargetOutOfLimits):
            robot.move_l(shifted(x=1.0))
        robot.stop()
    assert [name for name, _ in robot.planned] == ["move_l", "servo_l", "move_j"]
    assert not server.controller.running
    assert server.controller.cycles == 0


def test_another_controller_moves_only_with_a_person_at_the_emergency_stop(server, monkeypatch):
    monkeypatch.setattr("offnominal.worlds.arm.rtde.dashboard_session.VIRTUAL", 'could not understand: "offnominal"')
    with pytest.raises(MotionRefused, match="i_am_at_the_emergency_stop=True"):
        connected(server).connect()
    assert not server.controller.running
    with connected(server, dry_run=True) as robot:
        assert not robot.is_virtual
    with connected(server, i_am_at_the_emergency_stop=True) as robot:
        robot.move_l(shifted(z=-0.01))
        for call in (robot.reset_virtual, lambda: robot.set_fault("control_latency", 0.1)):
            with pytest.raises(MotionRefused, match="not a virtual controller"):
                call()


@pytest.mark.parametrize("kind", ["protective", "emergency"])
def test_safety_stop_is_a_named_error_and_nothing_moves_after_it(server, robot, kind):
    robot.servo_l(shifted(x=0.01))
    robot.dashboard(f"offnominal {kind} stop")
    with pytest.raises(SafetyStop):
        robot.servo_l(shifted(x=0.02))
    cycles = server.controller.cycles
    for move in (lambda: robot.servo_l(shifted()), lambda: robot.move_l(shifted()), lambda: robot.move_j(HOME)):
        with pytest.raises(MotionRefused, match="no motion after an error"):
            move()
    with pytest.raises(SafetyStop):
        robot.reconnect()
    assert server.controller.cycles == cycles
    server.controller.unlock()
    robot.reconnect().move_l(shifted(z=-0.01))


def test_second_client_cannot_take_the_registers(server, robot):
    with pytest.raises(InvalidPackage, match="another client"):
        connected(server).connect()
    robot.move_l(shifted(z=-0.01))
    with connected(server, dry_run=True) as reader:
        assert reader.state.program_running


def test_lost_connection_is_a_named_error_and_reconnect_works():
    # No other process gets ports at this address while the server is closed.
    pid = os.getpid()
    host = f"127.{1 + (pid >> 15 & 31)}.{pid >> 7 & 255}.{1 + (pid & 127)}"
    server = serving(host=host).start()
    with connected(server) as robot:
        robot.servo_l(shifted(x=0.01))
        server.close()
        with pytest.raises(RobotConnectionLost):
            robot.servo_l(shifted(x=0.01))
        with pytest.raises(MotionRefused):
            robot.servo_l(shifted())
        with pytest.raises(RobotError):
            robot.reconnect()
        with serving(host=host, ports=server.ports):
            robot.reconnect()
            robot.move_l(shifted(z=-0.01))


def test_reading_the_state_sends_the_heartbeats_that_the_watchdog_needs(server):
    controller = server.controller
    with connected(server, watchdog=0.3) as robot:
        # Time passes in steps of 0.2 s for the controller; the client believes that its last heartbeat is long ago.
        controller.speed = 1.0
        for _ in range(4):
            sent = controller.value(HEARTBEAT)
            robot._beat_time = 0.0
            assert robot.state.program_running
            wait_for(lambda sent=sent: controller.value(HEARTBEAT) != sent)
            for _ in range(25):
                controller.cycle()
        assert controller.running
        for _ in range(25):
            controller.cycle()
        assert not controller.running


def test_idle_client_is_stopped_by_the_watchdog_and_told_so():
    with serving("real") as server, connected(server, watchdog=0.2) as robot:
        wait_for(lambda: not server.controller.running)
        with pytest.raises(ProgramStopped, match="no heartbeat"):
            robot.servo_l(DOWN)


def test_silent_controller_gets_no_motion(server, monkeypatch):
    """A state that waited in the buffer of the connection does not count as new."""
    monkeypatch.setattr("offnominal.worlds.arm.rtde.link.OLDEST_VIRTUAL_STATE", 0.1)
    monkeypatch.setattr("offnominal.worlds.arm.rtde.server.IDLE", 0.01)
    with connected(server) as robot:
        send, sent, silent = server._broadcast, threading.Event(), threading.Event()

        def send_once(*_):
            if sent.is_set():
                silent.set()
            else:
                send()
                sent.set()

        monkeypatch.setattr(server, "_broadcast", send_once)
        assert silent.wait(PATIENCE)
        robot.timeout = 0.05
        wait_for(lambda: time.monotonic() > robot._state_time + 0.1)
        with pytest.raises(RobotTimeout):
            robot.servo_l(shifted())
    assert server.controller.value(COMMAND) == 0
    assert server.controller.cycles == 0


def test_dead_client_stops_the_arm():
    with serving("real") as server:
        robot = connected(server, watchdog=0.2).connect()
        robot._rtde.write(robot._once, robot._arguments(3, (*shifted(x=-0.25), 0.1, 0.5)))
        robot._close_connections()
        wait_for(lambda: not (server.controller.running or server.controller.moving))
        assert server.controller.backend.tcp_pose[0] > DOWN[0] - 0.1


def test_stop_is_final_until_reconnect(server, robot):
    robot.stop()
    assert not server.controller.running
    with pytest.raises(MotionRefused, match="stopped"):
        robot.move_l(shifted())
    assert robot.reconnect().state.program_running


def test_additional_fields_are_read(server):
    with connected(server, fields=("target_q", "actual_main_voltage")) as robot:
        assert robot.state.values["actual_main_voltage"] == 48.0
        assert len(robot.state.values["target_q"]) == 6
    with pytest.raises(InvalidPackage, match="ft_raw_wrench"):
        connected(server, fields=("ft_raw_wrench",)).connect()


def test_invalid_options_are_named_errors():
    for options in ({"timeout": 0}, {"watchdog": 99}, {"dry_run": "yes"}, {"frequency": -1}, {"host": 3}):
        with pytest.raises(InvalidParameter):
            RobotClient(**options)
    with pytest.raises(InvalidParameter):
        Ports(rtde=70_000)
    with pytest.raises(MotionRefused, match="not connected"):
        RobotClient().read()


def test_wider_limits_are_respected(server):
    limits = MotionLimits(low=(-0.3, -0.45, 0.1), high=(0.35, -0.15, 0.4))
    with connected(server, limits=limits) as robot:
        target = shifted(z=-0.18)
        assert abs(robot.move_l(target).tcp_pose[2] - target[2]) < 1e-3
