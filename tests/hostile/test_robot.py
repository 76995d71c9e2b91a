"""Calls of robots, controllers and cameras with values of wrong types are named errors, or work."""

from dataclasses import fields
from functools import partial

import pytest

from offnominal.worlds.arm.kinematics import forward, pose_vector
from offnominal.worlds.arm.realsense import RealSenseCamera
from offnominal.worlds.arm.robot_reach import RobotReach
from offnominal.worlds.arm.rtde import (
    HOME,
    LocalRobot,
    MotionLimits,
    Ports,
    RobotClient,
    RobotServer,
    VirtualController,
)

from .test_arguments import named_or_fine
from .wrong_values import WRONG, value_of

pytestmark = pytest.mark.long

DOWN = pose_vector(forward(HOME))
OPTIONS = {
    "client": (
        RobotClient,
        ["host", "ports", "limits", "frequency", "fields", "tool", "timeout", "watchdog", "dry_run"],
    ),
    "controller": (VirtualController, ["model", "backend", "seed", "encoder_noise"]),
    "server": (partial(RobotServer, VirtualController()), ["host", "ports", "speed", "period"]),
    "local robot": (partial(LocalRobot, VirtualController()), ["period"]),
    "ports": (Ports, [field.name for field in fields(Ports)]),
    "limits": (MotionLimits, [field.name for field in fields(MotionLimits)]),
    "camera": (RealSenseCamera, ["serial", "exposure", "timeout"]),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_constructors_name_wrong_options(name):
    make, options = OPTIONS[name]
    for what in WRONG:
        for option in options:
            named_or_fine(make, **{option: value_of(what)})


@pytest.mark.parametrize("make", [RobotServer, LocalRobot])
def test_only_a_virtual_controller_is_served(make):
    for what in WRONG:
        named_or_fine(make, value_of(what))


def test_motions_and_commands_name_wrong_values():
    robot = RobotClient(LocalRobot(VirtualController(), period=0.04)).connect()
    servo = ["period", "time", "lookahead", "gain", "velocity", "acceleration"]
    move = ["speed", "acceleration", "timeout"]
    for what in WRONG:
        for call in (robot.servo_l, robot.move_l, robot.move_j, robot.servo_stop, robot.dashboard, robot.reset_virtual):
            named_or_fine(call, value_of(what))
        named_or_fine(robot.set_fault, value_of(what), 0.1)
        named_or_fine(robot.set_fault, "control_latency", value_of(what))
        for option in servo:
            named_or_fine(robot.servo_l, DOWN, **{option: value_of(what)})
        for option in move:
            named_or_fine(robot.move_l, DOWN, **{option: value_of(what)})
            named_or_fine(robot.move_j, HOME, **{option: value_of(what)})
        if not robot.connected:
            robot.local.controller.unlock()
            robot.reconnect()


@pytest.mark.hostile
@pytest.mark.parametrize("option", ["model", "robot_camera", "threads"])
def test_world_names_wrong_options(option):
    for what in WRONG:
        world = named_or_fine(RobotReach, 1, **{option: value_of(what)})
        if world is not None:
            world.close()
