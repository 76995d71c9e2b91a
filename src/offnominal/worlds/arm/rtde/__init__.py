"""The controller of a UR robot over its own protocol (RTDE): a client, and a virtual controller.

This code was never run on a robot of metal. It was tested against the virtual controller of this package only.
"""

from offnominal.core.public_calls import name_wrong_arguments
from offnominal.worlds.arm.rtde.backend import HOME, ArmBackend, KinematicBackend
from offnominal.worlds.arm.rtde.client import RobotClient
from offnominal.worlds.arm.rtde.controller import MODELS, ControllerModel, VirtualController
from offnominal.worlds.arm.rtde.limits import MotionLimits
from offnominal.worlds.arm.rtde.lockstep import LocalRobot, LockstepGroup
from offnominal.worlds.arm.rtde.ports import FREE_PORTS, Ports
from offnominal.worlds.arm.rtde.server import RobotServer
from offnominal.worlds.arm.rtde.state import RobotState

__all__ = [
    "FREE_PORTS",
    "HOME",
    "MODELS",
    "ArmBackend",
    "ControllerModel",
    "KinematicBackend",
    "LocalRobot",
    "LockstepGroup",
    "MotionLimits",
    "Ports",
    "RobotClient",
    "RobotServer",
    "RobotState",
    "VirtualController",
]

name_wrong_arguments(__name__)
