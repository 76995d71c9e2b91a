"""The unmodified client package `ur_rtde` drives the virtual controller as it drives a robot.

It installs from wheels on x86-64 only. Its ports are fixed, so that the controller runs in a process of its own on the
ports of a robot.
"""

import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import numpy as np
import pytest

from offnominal.worlds.arm.kinematics import forward, pose_vector
from offnominal.worlds.arm.rtde import HOME, Ports
from offnominal.worlds.arm.rtde.limits import distance, rotation_between

rtde_control = pytest.importorskip("rtde_control", reason="ur_rtde is not installed")
rtde_receive = pytest.importorskip("rtde_receive", reason="ur_rtde is not installed")

HOST = "127.0.0.1"
DOWN = pose_vector(forward(HOME))
SERVO = (1.5, 2.5, 0.04, 0.06, 100.0)
"""Speed, acceleration, time, lookahead time and gain."""


def shifted(x=0.0, y=0.0, z=0.0):
    return np.add(DOWN, [x, y, z, 0.0, 0.0, 0.0]).tolist()


def near(pose, target, tolerance):
    pose, target = np.array(pose), np.array(target)
    return distance(pose, target) < tolerance and rotation_between(pose, target) < tolerance


def wait_for(condition, seconds=10.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.01)


@contextmanager
def serving(model, speed):
    """Run `offnominal robot serve` and yield the process once its ports answer."""
    command = [sys.executable, "-m", "offnominal", "robot", "serve", "--model", model, "--speed", speed]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        for port in (Ports().rtde, Ports().script, Ports().dashboard):
            wait_for(lambda port=port: answers(port), 60.0)
        yield process
    finally:
        process.kill()
        process.wait()


def answers(port):
    try:
        socket.create_connection((HOST, port), 1.0).close()
    except OSError:
        return False
    return True


@pytest.fixture(params=["cb3", "e-series"])
def model(request):
    return request.param


@pytest.mark.parametrize("speed", ["real", "lockstep"])
def test_receive_interface_reads_the_state(model, speed):
    with serving(model, speed):
        receive = rtde_receive.RTDEReceiveInterface(HOST)
        try:
            assert receive.isConnected()
            np.testing.assert_allclose(receive.getActualQ(), HOME, atol=1e-2)
            assert near(receive.getActualTCPPose(), DOWN, 1e-2)
            assert receive.getRobotMode() == 7
            assert receive.getSafetyMode() == 1
            assert not receive.isProtectiveStopped()
            assert receive.getTimestamp() >= 0.0
        finally:
            receive.disconnect()


def test_time_passes_at_the_rate_of_the_controller(model):
    with serving(model, "real"):
        receive = rtde_receive.RTDEReceiveInterface(HOST)
        try:
            began, clock = receive.getTimestamp(), time.monotonic()
            wait_for(lambda: receive.getTimestamp() > began + 0.5)
            assert time.monotonic() - clock < 5.0
        finally:
            receive.disconnect()


@pytest.mark.parametrize("speed", ["real", "lockstep"])
def test_control_interface_moves_the_arm(model, speed):
    with serving(model, speed):
        receive = rtde_receive.RTDEReceiveInterface(HOST)
        control = rtde_control.RTDEControlInterface(HOST)
        try:
            assert control.isProgramRunning()
            assert control.moveL(shifted(z=-0.05), 0.2, 0.5)
            wait_for(lambda: near(receive.getActualTCPPose(), shifted(z=-0.05), 2e-3))
            assert control.moveJ(list(HOME), 0.8, 1.0)
            wait_for(lambda: np.abs(np.subtract(receive.getActualQ(), HOME)).max() < 5e-3)
            for step in range(1, 26):
                began = control.initPeriod()
                assert control.servoL(shifted(x=-0.002 * step), *SERVO)
                control.waitPeriod(began)
            if speed == "real":
                wait_for(lambda: near(receive.getActualTCPPose(), shifted(x=-0.05), 3e-3))
            assert control.servoStop()
            control.stopScript()
            wait_for(lambda: not control.isProgramRunning())
        finally:
            control.disconnect()
            receive.disconnect()


def test_clients_reconnect_after_the_controller_was_killed(model):
    with serving(model, "real") as process:
        receive = rtde_receive.RTDEReceiveInterface(HOST)
        control = rtde_control.RTDEControlInterface(HOST)
        process.kill()
        process.wait()
        wait_for(lambda: not receive.isConnected())
        with serving(model, "real"):
            assert receive.reconnect()
            assert near(receive.getActualTCPPose(), DOWN, 1e-2)
            assert control.reconnect()
            assert control.moveL(shifted(z=-0.02), 0.2, 0.5)
            wait_for(lambda: near(receive.getActualTCPPose(), shifted(z=-0.02), 2e-3))
        control.disconnect()
        receive.disconnect()


def test_protective_stop_is_seen_by_the_client(model):
    with serving(model, "real"):
        receive = rtde_receive.RTDEReceiveInterface(HOST)
        control = rtde_control.RTDEControlInterface(HOST)
        try:
            control.triggerProtectiveStop()
            wait_for(receive.isProtectiveStopped)
        finally:
            control.disconnect()
            receive.disconnect()
