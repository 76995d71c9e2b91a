"""The controller of a UR robot over its own protocol (RTDE): a client, and a virtual controller.

This code was never run on a robot of metal. It was tested against the virtual controller of this package only.
"""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "backend": ("ArmBackend", "HOME", "KinematicBackend"),
        "client": ("RobotClient",),
        "controller": ("ControllerModel", "MODELS", "VirtualController"),
        "limits": ("MotionLimits",),
        "lockstep": ("LocalRobot", "LockstepGroup"),
        "ports": ("FREE_PORTS", "Ports"),
        "server": ("RobotServer",),
        "state": ("RobotState",),
    },
)
