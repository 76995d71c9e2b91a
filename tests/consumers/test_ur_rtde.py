"""The unmodified client package `ur_rtde` drives the virtual controller as it drives a robot.

It installs from wheels on x86-64 only. Its ports are fixed, so the controllers run in processes of their own, on the
ports of a robot, at addresses of this machine that only this process uses.
"""

import os
import socket
import subprocess
import sys
import time
from functools import cached_property
from itertools import count

import numpy as np
import pytest

from offnominal.worlds.arm.kinematics import angle_between, forward, pose_vector
from offnominal.worlds.arm.rtde import HOME, MODELS, Ports
from offnominal.worlds.arm.rtde.connection import Connection, DashboardConnection
from offnominal.worlds.arm.rtde.limits import distance

pytestmark = pytest.mark.long

rtde_control = pytest.importorskip("rtde_control", reason="ur_rtde is not installed")
rtde_receive = pytest.importorskip("rtde_receive", reason="ur_rtde is not installed")

NUMBERS = count(1)
DOWN = pose_vector(forward(HOME))
SERVO = (1.5, 2.5, 0.04, 0.06, 100.0)
"""Speed, acceleration, time, lookahead time and gain."""
PATIENCE = 60.0
"""Seconds after which a condition counts as failed; long, because the machine may be busy."""


def shifted(x=0.0, y=0.0, z=0.0):
    return np.add(DOWN, [x, y, z, 0.0, 0.0, 0.0]).tolist()


def near(pose, target, tolerance):
    pose, target = np.array(pose), np.array(target)
    return distance(pose, target) < tolerance and angle_between(pose, target) < tolerance


def wait_for(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.005)


class ServedController:
    """A process with `offnominal robot serve` at its own address."""

    def __init__(self, model, speed):
        self.model, self.speed = model, speed
        pid = os.getpid()
        self.host = f"127.{next(NUMBERS) + 4 * (pid >> 15 & 31)}.{pid >> 7 & 255}.{1 + (pid & 127)}"
        self.start()

    @cached_property
    def receive(self):
        return rtde_receive.RTDEReceiveInterface(self.host)

    @cached_property
    def control(self):
        return rtde_control.RTDEControlInterface(self.host)

    def start(self):
        options = ["--model", self.model, "--speed", self.speed, "--host", self.host]
        command = [sys.executable, "-m", "offnominal", "robot", "serve", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def close(self):
        for name in {"receive", "control"} & vars(self).keys():
            vars(self)[name].disconnect()
        self.kill()

    def wait_until_it_answers(self):
        # The dashboard is opened last.
        wait_for(lambda: self.process.poll() is not None or answers(self.host, Ports().dashboard))
        assert self.process.poll() is None

    def reset(self):
        dashboard = DashboardConnection(Connection(self.host, Ports().dashboard, PATIENCE))
        for line in ("stop", "unlock protective stop", "offnominal reset 0"):
            dashboard.ask(line)
        dashboard.close()


def answers(host, port):
    try:
        socket.create_connection((host, port), 1.0).close()
    except OSError:
        return False
    return True


@pytest.fixture(scope="module")
def controllers():
    """Start all controllers at once."""
    served = {(model, speed): ServedController(model, speed) for model in MODELS for speed in ("real", "lockstep")}
    yield served
    for controller in served.values():
        controller.close()


@pytest.fixture(params=MODELS)
def model(request):
    return request.param


@pytest.fixture(params=["real", "lockstep"])
def speed(request):
    return request.param


@pytest.fixture
def controller(controllers, model, speed):
    controller = controllers[model, speed]
    controller.wait_until_it_answers()
    controller.reset()
    return controller


@pytest.fixture
def receive(controller):
    """Return a client that has received the state after the reset."""
    client = controller.receive
    wait_for(lambda: near(client.getActualTCPPose(), DOWN, 1e-2) and not client.isProtectiveStopped())
    return client


@pytest.fixture
def control(controller):
    is_new = "control" not in vars(controller)
    client = controller.control
    if not is_new:
        wait_for(lambda: not client.isProgramRunning())
        assert client.reuploadScript()
        wait_for(client.isProgramRunning)
    return client


def test_receive_interface_reads_the_state(controller, receive):
    assert receive.isConnected()
    np.testing.assert_allclose(receive.getActualQ(), HOME, atol=1e-2)
    assert near(receive.getActualTCPPose(), DOWN, 1e-2)
    assert receive.getRobotMode() == 7
    assert receive.getSafetyMode() == 1
    assert not receive.isProtectiveStopped()
    assert not receive.isEmergencyStopped()
    cycles = receive.getTimestamp() * MODELS[controller.model].rate
    assert cycles == pytest.approx(round(cycles), abs=1e-6)


@pytest.mark.parametrize("speed", ["real"], indirect=True)
def test_time_passes(receive):
    began = receive.getTimestamp()
    wait_for(lambda: receive.getTimestamp() > began + 0.1)


def test_control_interface_moves_the_arm(controller, receive, control):
    assert control.isProgramRunning()
    assert control.moveL(shifted(z=-0.05), 0.25, 1.0)
    wait_for(lambda: near(receive.getActualTCPPose(), shifted(z=-0.05), 2e-3))
    assert control.moveJ(list(HOME), 0.8, 1.4)
    wait_for(lambda: np.abs(np.subtract(receive.getActualQ(), HOME)).max() < 5e-3)
    for step in range(1, 26):
        assert control.servoL(shifted(x=-0.002 * step), *SERVO)
        if controller.speed == "real":
            time.sleep(0.01)
    if controller.speed == "real":
        wait_for(lambda: near(receive.getActualTCPPose(), shifted(x=-0.05), 3e-3))
    assert control.servoStop()
    wait_for(lambda: receive.getActualTCPPose()[0] < DOWN[0] - 0.03)


def test_stopped_script_can_be_uploaded_again(receive, control):
    control.stopScript()
    wait_for(lambda: not control.isProgramRunning())
    assert not control.moveL(shifted(z=-0.02), 0.25, 1.0)
    assert control.reuploadScript()
    wait_for(control.isProgramRunning)
    assert control.moveL(shifted(z=-0.02), 0.25, 1.0)
    wait_for(lambda: near(receive.getActualTCPPose(), shifted(z=-0.02), 2e-3))


def test_protective_stop_is_reported_to_the_client(receive, control):
    control.triggerProtectiveStop()
    wait_for(receive.isProtectiveStopped)
    assert receive.getSafetyMode() == 3


@pytest.mark.parametrize("speed", ["real"], indirect=True)
def test_clients_reconnect_after_the_controller_was_killed(controller, receive, control):
    controller.kill()
    wait_for(lambda: not receive.isConnected())
    controller.start()
    controller.wait_until_it_answers()
    assert receive.reconnect()
    wait_for(lambda: near(receive.getActualTCPPose(), DOWN, 1e-2))
    assert control.reconnect()
    assert control.moveL(shifted(z=-0.02), 0.25, 1.0)
    wait_for(lambda: near(receive.getActualTCPPose(), shifted(z=-0.02), 2e-3))
