"""States that a controller reports as numbers and bits."""

from __future__ import annotations

from enum import IntEnum, IntFlag


class RobotMode(IntEnum):
    """State of the robot's power and brakes."""

    NO_CONTROLLER = -1
    DISCONNECTED = 0
    CONFIRM_SAFETY = 1
    BOOTING = 2
    POWER_OFF = 3
    POWER_ON = 4
    IDLE = 5
    BACKDRIVE = 6
    RUNNING = 7
    UPDATING_FIRMWARE = 8


class SafetyMode(IntEnum):
    """State of the safety system."""

    NORMAL = 1
    REDUCED = 2
    PROTECTIVE_STOP = 3
    RECOVERY = 4
    SAFEGUARD_STOP = 5
    SYSTEM_EMERGENCY_STOP = 6
    ROBOT_EMERGENCY_STOP = 7
    VIOLATION = 8
    FAULT = 9


class RuntimeState(IntEnum):
    """State of the program on the controller."""

    STOPPING = 0
    STOPPED = 1
    PLAYING = 2
    PAUSING = 3
    PAUSED = 4
    RESUMING = 5


class RobotStatus(IntFlag):
    """Bits of ``robot_status_bits``."""

    POWER_ON = 1
    PROGRAM_RUNNING = 2
    TEACH_BUTTON_PRESSED = 4
    POWER_BUTTON_PRESSED = 8


class SafetyStatus(IntFlag):
    """Bits of ``safety_status_bits``."""

    NORMAL_MODE = 1
    REDUCED_MODE = 1 << 1
    PROTECTIVE_STOPPED = 1 << 2
    RECOVERY_MODE = 1 << 3
    SAFEGUARD_STOPPED = 1 << 4
    SYSTEM_EMERGENCY_STOPPED = 1 << 5
    ROBOT_EMERGENCY_STOPPED = 1 << 6
    EMERGENCY_STOPPED = 1 << 7
    VIOLATION = 1 << 8
    FAULT = 1 << 9
    STOPPED_DUE_TO_SAFETY = 1 << 10


STOPPED = ~(SafetyStatus.NORMAL_MODE | SafetyStatus.REDUCED_MODE) & SafetyStatus(0x7FF)
"""Bits that forbid motion."""
