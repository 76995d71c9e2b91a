# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.worlds.arm.rtde.backend import HOME as HOME
from offnominal.worlds.arm.rtde.backend import ArmBackend as ArmBackend
from offnominal.worlds.arm.rtde.backend import KinematicBackend as KinematicBackend
from offnominal.worlds.arm.rtde.client import RobotClient as RobotClient
from offnominal.worlds.arm.rtde.controller import MODELS as MODELS
from offnominal.worlds.arm.rtde.controller import ControllerModel as ControllerModel
from offnominal.worlds.arm.rtde.controller import VirtualController as VirtualController
from offnominal.worlds.arm.rtde.limits import MotionLimits as MotionLimits
from offnominal.worlds.arm.rtde.lockstep import LocalRobot as LocalRobot
from offnominal.worlds.arm.rtde.lockstep import LockstepGroup as LockstepGroup
from offnominal.worlds.arm.rtde.ports import FREE_PORTS as FREE_PORTS
from offnominal.worlds.arm.rtde.ports import Ports as Ports
from offnominal.worlds.arm.rtde.server import RobotServer as RobotServer
from offnominal.worlds.arm.rtde.state import RobotState as RobotState

__all__ = [
    "ArmBackend",
    "ControllerModel",
    "FREE_PORTS",
    "HOME",
    "KinematicBackend",
    "LocalRobot",
    "LockstepGroup",
    "MODELS",
    "MotionLimits",
    "Ports",
    "RobotClient",
    "RobotServer",
    "RobotState",
    "VirtualController",
]
