"""A virtual controller: the state of a robot, its registers and its program, without any network."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

import numpy as np

from offnominal.core.checks import number_in, one_of
from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown
from offnominal.core.streams import Stream
from offnominal.core.types import FloatArray
from offnominal.worlds.arm.kinematics import forward, tcp_vector, tcp_velocity
from offnominal.worlds.arm.rtde.backend import HOME, ArmBackend, KinematicBackend
from offnominal.worlds.arm.rtde.commands import COMMAND, RESETS, STREAMED, watchdog_of
from offnominal.worlds.arm.rtde.fields import OUTPUTS, Value
from offnominal.worlds.arm.rtde.motion import ServoTracker, StopMotion, Unreachable, hold_if_too_fast, reach
from offnominal.worlds.arm.rtde.packages import ControllerVersion
from offnominal.worlds.arm.rtde.program import ControllerFaults, RegisterProgram
from offnominal.worlds.arm.rtde.registers import Registers
from offnominal.worlds.arm.rtde.status import RobotMode, RobotStatus, RuntimeState, SafetyMode, SafetyStatus


@dataclass(frozen=True, slots=True)
class ControllerModel:
    """A generation of controllers.

    Attributes:
        name: Short name.
        rate: Cycles per second.
        version: Version of its software.
    """

    name: str
    rate: int
    version: ControllerVersion


MODELS: Mapping[str, ControllerModel] = MappingProxyType(
    {
        "cb3": ControllerModel("cb3", 125, ControllerVersion(3, 15, 8, 106339)),
        "e-series": ControllerModel("e-series", 500, ControllerVersion(5, 11, 0, 108249)),
    }
)
"""The controllers that can be simulated."""
MAX_JOINT_SPEED = np.array([math.pi] * 3 + [2.0 * math.pi] * 3)
"""Speeds of the joints above which the controller makes a protective stop, rad/s."""
STOP_DECELERATION = 4.0
"""Deceleration of the joints when a program is stopped, rad/s²."""
_STATUS_BITS = {
    SafetyMode.NORMAL: int(SafetyStatus.NORMAL_MODE),
    SafetyMode.PROTECTIVE_STOP: int(SafetyStatus.PROTECTIVE_STOPPED | SafetyStatus.STOPPED_DUE_TO_SAFETY),
    SafetyMode.ROBOT_EMERGENCY_STOP: int(
        SafetyStatus.ROBOT_EMERGENCY_STOPPED | SafetyStatus.EMERGENCY_STOPPED | SafetyStatus.STOPPED_DUE_TO_SAFETY
    ),
}
_POWER_ON, _PROGRAM_RUNNING = int(RobotStatus.POWER_ON), int(RobotStatus.PROGRAM_RUNNING)
_PLAYING, _STOPPED = int(RuntimeState.PLAYING), int(RuntimeState.STOPPED)
Reader = Callable[[], Sequence[int | float]]
"""Function that returns the present elements of an output field."""


class VirtualController:
    """A controller of a UR robot in software.

    It is deterministic: the same seed and the same inputs in the same cycles give the same outputs.

    Attributes:
        faults: Faults of the controller.
        registers: General-purpose registers.
        speed: Simulated seconds per second of the clients; they send heartbeats by their own clock.
        messages: Text messages for the clients.

    Args:
        model: ``"cb3"`` (125 Hz, software 3.15) or ``"e-series"`` (500 Hz, software 5.11).
        backend: Arm that it moves; an arm without mass if omitted.
        seed: Seed of the encoder noise.
        encoder_noise: Standard deviation of the reported joint angles, rad.

    Example:
        >>> controller = VirtualController()
        >>> controller.cycle()
        >>> controller.value("timestamp"), [round(x, 3) for x in controller.value("actual_TCP_pose")[:3]]
        (0.008, [0.112, -0.299, 0.314])
    """

    def __init__(
        self,
        model: str = "cb3",
        backend: ArmBackend | None = None,
        *,
        seed: int = 0,
        encoder_noise: float = 0.0,
    ) -> None:
        self.model = MODELS[one_of("model", model, tuple(MODELS))]
        self.dt = 1.0 / self.model.rate
        if not isinstance(backend, ArmBackend | None):
            raise InvalidParameter(f"backend is {shown(backend)}; expected an ArmBackend.")
        self.backend = KinematicBackend() if backend is None else backend
        self.encoder_noise = number_in("encoder_noise", encoder_noise, 0.0)
        self.faults = ControllerFaults()
        self.registers = Registers()
        self.speed = 1.0
        self.resets = 0
        self._start(seed)
        self._compile()

    def _start(self, seed: int) -> None:
        self.backend.reset(HOME)
        self.cycles = 0
        self.safety = SafetyMode.NORMAL
        self.messages: list[str] = []
        self._noise = Stream.named(seed, 0, "encoder")
        self._target = self._before = np.array(HOME)
        self._program: RegisterProgram | None = None
        self._stop: StopMotion | None = None
        self._stop_time = 0.0
        self._watchdog: tuple[str, float] | None = None
        self._written = 0
        self._power = True

    def reset(self, seed: int = 0) -> None:
        """Return to the state of a new controller with a seed: arm at its start, time zero, no fault.

        The program of the client, its watchdog and its registers are kept.
        """
        program, watchdog = self._program, self._watchdog
        self._start(seed)
        self.faults.control_latency = self.faults.control_smoothing = None
        self.resets += 1
        self.registers.write({COMMAND: 0, RESETS: self.resets})
        if program is not None:
            self._program = RegisterProgram(self.registers, self.faults, self.backend.tool, self._target)
            self._watch(watchdog)

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self.cycles / self.model.rate

    @property
    def running(self) -> bool:
        """Whether a program runs."""
        return self._program is not None

    @property
    def moving(self) -> bool:
        """Whether a motion with an end runs that the client waits for."""
        return self._stop is not None or (self._program is not None and self._program.moving)

    @property
    def streaming(self) -> bool:
        """Whether the client streams servo commands."""
        return self._program is not None and self.registers.command in STREAMED

    def write(self, values: Mapping[str, Value]) -> None:
        """Take the values of a client's data package."""
        self.registers.write(values)
        if self._watchdog is not None and self._watchdog[0] in values:
            self._written = self.cycles

    def update(self) -> None:
        """Let the program read its registers; no time passes."""
        program = self._program
        try:
            if program is None or not program.update():
                return
        except Unreachable as reason:
            self.protective_stop(str(reason))
            return
        if program.warning:
            self.messages.append(program.warning)
            program.warning = ""
        if program.watchdog_request is not None:
            self._watch((COMMAND, program.watchdog_request))
            program.watchdog_request = None
        if program.ended:
            self.stop_program()

    def run(self, cycles: int) -> None:
        """Simulate some cycles during which no client writes."""
        self.update()
        program = self._program
        # A program that only follows servo commands does not depend on the arm, so its targets are computed at once.
        if program is not None and program.servoing and self.streaming and math.isinf(self.speed):
            self._move(program.servo(self.dt, cycles))
            return
        for _ in range(cycles):
            self.cycle()

    def cycle(self) -> None:
        """Simulate one cycle: read the registers, move the target, move the arm."""
        self.update()
        target = self._target
        try:
            if self._stop is not None:
                self._stop_time += self.dt
                target = self._stop.joints(self._stop_time)
                if self._stop_time >= self._stop.duration:
                    self._stop = None
            elif self._program is not None:
                self._program.step(self.dt, self.backend.joint_positions)
                target = self._program.target
        except Unreachable as reason:
            self.protective_stop(str(reason))
        self._move(target[None].copy())

    def _move(self, targets: FloatArray) -> None:
        """Move the arm for one cycle per target; a program that asks for too high a speed ends in a protective stop."""
        if self._program is not None:
            fastest = hold_if_too_fast(self._target, targets, self.dt, MAX_JOINT_SPEED)
            if fastest:
                self.protective_stop(f"a joint would move at {fastest:.2f} rad/s")
        self._before = targets[-2] if len(targets) > 1 else self._target
        self._target = targets[-1]
        self.backend.follow(targets, self.dt)
        self.cycles += len(targets)
        self._check_watchdog()

    def start_program(self, script: str) -> None:
        """Start the program that a client uploaded; it replaces a running one."""
        if self.safety is not SafetyMode.NORMAL or not self._power:
            self.messages.append("the program was not started: the robot is stopped")
            return
        self._stop = None
        self.registers.write({COMMAND: 0})
        self._program = RegisterProgram(self.registers, self.faults, self.backend.tool, self._target)
        self._watch(watchdog_of(script))

    def stop_program(self) -> bool:
        """Stop the program and slow the arm down. Return whether a program was running."""
        if self._program is None:
            return False
        self._program, self._watchdog = None, None
        self._stop, self._stop_time = StopMotion(self._target, self._target_velocity(), STOP_DECELERATION), 0.0
        return True

    def protective_stop(self, reason: str = "asked for") -> None:
        """Stop at once; no program runs until the stop is unlocked."""
        self._safety_stop(SafetyMode.PROTECTIVE_STOP, f"protective stop: {reason}")

    def emergency_stop(self) -> None:
        """Stop at once, as the button does."""
        self._safety_stop(SafetyMode.ROBOT_EMERGENCY_STOP, "emergency stop")

    def unlock(self) -> None:
        """End a protective or emergency stop."""
        self.safety = SafetyMode.NORMAL

    def set_power(self, on: bool) -> None:
        """Switch the motors on or off."""
        self._power = on
        if not on:
            self.stop_program()

    @property
    def robot_mode(self) -> RobotMode:
        """State of the power."""
        return RobotMode.RUNNING if self._power else RobotMode.POWER_OFF

    def value(self, name: str) -> Value:
        """Return the value of an output field; quantities that are not simulated are zero."""
        elements = self.reader(name)()
        return elements[0] if OUTPUTS[name].length == 1 else tuple(elements)

    def reader(self, name: str) -> Reader:
        """Return a function that returns the present elements of an output field."""
        if name in self.registers:
            return lambda: (self.registers.read(name),)
        if name in _READERS:
            return partial(_READERS[name], self)
        zeros = (0.0 if OUTPUTS[name].code == "d" else 0,) * OUTPUTS[name].length
        return lambda: zeros

    def _safety_stop(self, mode: SafetyMode, message: str) -> None:
        self.safety = mode
        self.messages.append(message)
        self._program, self._watchdog, self._stop = None, None, None
        self._before = self._target

    def _watch(self, watchdog: tuple[str, float] | None) -> None:
        self._watchdog = watchdog if watchdog is not None and watchdog[1] > 0.0 else None
        self._written = self.cycles

    def _check_watchdog(self) -> None:
        if self._watchdog is None:
            return
        register, frequency = self._watchdog
        if (self.cycles - self._written) * self.dt > self.speed / frequency:
            self.messages.append(f"watchdog: {register} was not written for {1.0 / frequency:g} s; the program stops")
            self.stop_program()

    def _compile(self) -> None:
        """Compile kinematics and motions now, so that no cycle waits for it."""
        targets = ServoTracker(self._target).steps(self.dt, 2)
        hold_if_too_fast(self._target, targets, self.dt, MAX_JOINT_SPEED)
        self.backend.follow(targets, self.dt)
        self.backend.reset(HOME)
        reach(forward(self._target, self.backend.tool), self._target, self.backend.tool)
        reach(self.backend.tcp_pose, self._target, self.backend.tool)
        for name in _READERS:
            self.value(name)

    def _target_velocity(self) -> FloatArray:
        velocity: FloatArray = (self._target - self._before) / self.dt
        return velocity

    def _actual_q(self) -> list[float]:
        q = self.backend.joint_positions
        noise = self.encoder_noise * self._noise.normal(6, step=self.cycles) if self.encoder_noise else None
        return vector(q if noise is None else q + noise)

    def _tcp_speed(self) -> list[float]:
        return vector(tcp_velocity(self.backend.joint_positions, self.backend.joint_velocities, self.backend.tool))

    def _robot_status(self) -> tuple[int]:
        return ((_POWER_ON if self._power else 0) | (_PROGRAM_RUNNING if self.running else 0),)


def vector(numbers: FloatArray) -> list[float]:
    """Return the elements of an array."""
    elements: list[float] = numbers.tolist()
    return elements


_READERS: Mapping[str, Callable[[VirtualController], Sequence[int | float]]] = {
    "timestamp": lambda controller: (controller.time,),
    "target_q": lambda controller: vector(controller._target),
    "target_qd": lambda controller: vector(controller._target_velocity()),
    "target_TCP_pose": lambda controller: vector(tcp_vector(controller._target, controller.backend.tool)),
    "actual_q": VirtualController._actual_q,
    "actual_qd": lambda controller: vector(controller.backend.joint_velocities),
    "actual_TCP_pose": lambda controller: vector(controller.backend.tcp_pose),
    "actual_TCP_speed": VirtualController._tcp_speed,
    "robot_mode": lambda controller: (int(controller.robot_mode),),
    "safety_mode": lambda controller: (int(controller.safety),),
    "safety_status": lambda controller: (int(controller.safety),),
    "safety_status_bits": lambda controller: (_STATUS_BITS[controller.safety],),
    "robot_status_bits": VirtualController._robot_status,
    "runtime_state": lambda controller: (_PLAYING if controller.running else _STOPPED,),
    "joint_mode": lambda controller: (253,) * 6,
    "speed_scaling": lambda controller: (1.0,),
    "target_speed_fraction": lambda controller: (1.0,),
    "actual_main_voltage": lambda controller: (48.0,),
    "actual_robot_voltage": lambda controller: (48.0,),
}
"""Functions that return the elements of the simulated output fields; the others are zero."""
