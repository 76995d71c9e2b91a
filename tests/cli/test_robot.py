"""`offnominal robot serve` is a robot that a client in another process can drive."""

import re
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest
from typer.testing import CliRunner

from offnominal.cli.program import program
from offnominal.core.errors import InvalidParameter
from offnominal.worlds.arm.kinematics import forward, pose_vector
from offnominal.worlds.arm.rtde import HOME, Ports, RobotClient

pytestmark = pytest.mark.long

PORTS = re.compile(r"RTDE (\d+), scripts (\d+) and (\d+), dashboard (\d+)")


@contextmanager
def serving(*options):
    command = [sys.executable, "-u", "-m", "offnominal", "robot", "serve", "--free-ports", *options]
    # A shell starts its background jobs with Ctrl-C ignored, and their child processes inherit that.
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    try:
        ports = next(found for line in process.stdout if (found := PORTS.search(line)))
        yield process, Ports(*map(int, ports.groups()))
    finally:
        process.kill()
        process.communicate()


def test_client_drives_the_served_robot_and_ctrl_c_ends_it():
    with serving("--model", "e-series", "--speed", "lockstep", "--period", "0.04") as (process, ports):
        with RobotClient(ports=ports, timeout=60.0) as robot:
            target = pose_vector(forward(HOME))
            target[2] -= 0.01
            assert abs(robot.move_l(target).tcp_pose[2] - target[2]) < 1e-3
            start = robot.state.timestamp
            assert robot.servo_l(target).timestamp == pytest.approx(start + 0.04, abs=1e-9)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60.0)
        assert process.returncode == 0
        assert "Stopped after" in output


def test_serve_ends_by_itself_after_some_seconds():
    result = CliRunner().invoke(program, ["robot", "serve", "--free-ports", "--seconds", "0.2"])
    assert result.exit_code == 0
    assert "Virtual controller cb3 (125 Hz, real)" in result.output
    assert "Stopped after" in result.output


@pytest.mark.parametrize("options", [["--period", "-1"], ["--encoder-noise", "nan"], ["--seconds", "0"]])
def test_invalid_option_is_a_named_error(options):
    result = CliRunner().invoke(program, ["robot", "serve", "--free-ports", *options])
    assert isinstance(result.exception, InvalidParameter)
