"""Commands that a client gives through registers to the program that it uploaded, and that program.

A client writes a command and its arguments into input registers. The program on the controller executes it and answers
in an output register. The numbers are those of the package `ur_rtde`, so that its clients and the client of this
package talk to the same virtual controller.
"""

from __future__ import annotations

import re
from enum import IntEnum

COMMAND = "input_int_register_0"
"""Register of the command."""
ASYNCHRONOUS = "input_int_register_1"
"""Register that is one if the client does not wait for the end of a motion."""
HEARTBEAT = "input_int_register_2"
"""Register that the client of this package counts up, so that the controller notices a lost link."""
ANSWER = "output_int_register_0"
"""Register of the program's answer."""
PROGRESS = "output_int_register_2"
"""Register that is not negative while an asynchronous motion runs."""
RESETS = "output_int_register_23"
"""Register in which a virtual controller counts its resets."""
ARGUMENTS = tuple(f"input_double_register_{index}" for index in range(11))
"""Registers of the arguments: six of a pose or of joint angles, then five more."""


class Command(IntEnum):
    """A command; the value stands in the register."""

    NONE = 0
    MOVE_J = 1
    MOVE_J_POSE = 2
    MOVE_L = 3
    SERVO_J = 11
    SPEED_STOP = 15
    SERVO_STOP = 16
    SERVO_L = 24
    PROTECTIVE_STOP = 31
    STOP_L = 33
    STOP_J = 34
    SET_WATCHDOG = 35
    STOP_SCRIPT = 255


class Answer(IntEnum):
    """State of the program on the controller."""

    READY = 1
    DONE = 2


STREAMED = frozenset({6, 9, 10, 11, 24, 25, 26, 27, 38, 58, *range(66, 72)})
"""Commands that are repeated every cycle and never answered with "done"."""

_WATCHDOG = re.compile(r'rtde_set_watchdog\(\s*"(input_int_register_\d+)"\s*,\s*([0-9.]+)\s*,\s*"stop"\s*\)')


def control_script(watchdog: float) -> str:
    """Return the URScript program that the client uploads.

    It repeats: read the command, execute it, answer. The controller stops it if no heartbeat comes for a time.

    Args:
        watchdog: Longest time between two heartbeats, s.
    """
    return f"""\
def offnominal_control():
  rtde_set_watchdog("{HEARTBEAT}", {1.0 / watchdog:.6g}, "stop")

  def numbers():
    return [read_input_float_register(0), read_input_float_register(1), read_input_float_register(2), \
read_input_float_register(3), read_input_float_register(4), read_input_float_register(5)]
  end

  def target_pose():
    local n = numbers()
    return p[n[0], n[1], n[2], n[3], n[4], n[5]]
  end

  def finish():
    write_output_integer_register(0, {Answer.DONE})
    while read_input_integer_register(0) != {Command.NONE}:
      sync()
    end
    write_output_integer_register(0, {Answer.READY})
  end

  write_output_integer_register(0, {Answer.READY})
  running = True
  while running:
    command = read_input_integer_register(0)
    if command == {Command.SERVO_L}:
      joints = get_inverse_kin(target_pose(), get_actual_joint_positions())
      servoj(joints, t=read_input_float_register(8), lookahead_time=read_input_float_register(9), \
gain=read_input_float_register(10))
      write_output_integer_register(0, {Answer.READY})
    elif command == {Command.MOVE_L}:
      movel(target_pose(), a=read_input_float_register(7), v=read_input_float_register(6))
      finish()
    elif command == {Command.MOVE_J}:
      movej(numbers(), a=read_input_float_register(7), v=read_input_float_register(6))
      finish()
    elif command == {Command.SERVO_STOP}:
      stopj(read_input_float_register(0))
      finish()
    elif command == {Command.STOP_L}:
      stopl(read_input_float_register(0))
      finish()
    elif command == {Command.STOP_SCRIPT}:
      running = False
    else:
      sync()
    end
  end
end
"""


def watchdog_of(script: str) -> tuple[str, float] | None:
    """Return the register and the lowest frequency (Hz) of a program's stopping watchdog, or None.

    Example:
        >>> watchdog_of(control_script(0.5))
        ('input_int_register_2', 2.0)
    """
    found = _WATCHDOG.search(script)
    try:
        return (found[1], float(found[2])) if found else None
    except ValueError:
        return None
