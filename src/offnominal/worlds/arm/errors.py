"""Errors around a robot's controller and its camera."""

from __future__ import annotations

from offnominal.core.errors import OffnominalError


class RobotError(OffnominalError, RuntimeError):
    """Base of the errors around a robot's controller. After one of them, a client sends no motion."""


class RobotUnreachable(RobotError, ConnectionError):
    """No controller accepts connections at the host and port, or there is no such camera."""


class RobotTimeout(RobotError, TimeoutError):
    """A controller or a camera that does not answer in time."""


class RobotConnectionLost(RobotError, ConnectionError):
    """A connection to a controller or a camera that ended while it was needed."""


class InvalidPackage(RobotError, ValueError):
    """Bytes that are no package of the controller's protocol: invalid, truncated or of another port."""


class SafetyStop(RobotError):
    """The safety system of the robot has stopped it: protective stop, safeguard stop or emergency stop."""


class ProgramStopped(RobotError):
    """The control program on the controller has ended, so that no command is executed."""


class TargetOutOfLimits(RobotError, ValueError):
    """A target that the limits of the client forbid; nothing was sent."""


class MotionRefused(RobotError):
    """A motion that the client does not send, such as one after an error or without a person at the emergency stop."""
