"""The dashboard of a virtual controller: one line in, one line out."""

from __future__ import annotations

from offnominal.core.checks import number_in
from offnominal.core.errors import InvalidParameter
from offnominal.core.streams import check_seed
from offnominal.worlds.arm.rtde.controller import VirtualController
from offnominal.worlds.arm.rtde.lines import LineReader

GREETING = "Connected: Universal Robots Dashboard Server"
"""First line of every dashboard."""
VIRTUAL = "offnominal virtual controller"
"""Answer to the command ``offnominal``, which only a virtual controller understands."""
MAX_LINE = 4096
"""Longest command in bytes; a client that sends more is disconnected."""
MAX_FAULT = 10.0
"""Largest latency and smoothing, s."""


class DashboardSession:
    """One client on the dashboard port.

    Besides the commands of the robot it understands:

    - ``offnominal``: answers that this is a virtual controller.
    - ``offnominal reset SEED``: arm at its start, time zero, no faults.
    - ``offnominal control_latency SECONDS`` and ``offnominal control_smoothing SECONDS``: switch a fault on; ``off``
      switches it off.
    - ``offnominal protective stop`` and ``offnominal emergency stop``: stop, as the safety system does.

    Args:
        controller: Controller that the commands act on.
    """

    def __init__(self, controller: VirtualController) -> None:
        self.controller = controller
        self.ended = False
        self._reader = LineReader("a line of the dashboard", MAX_LINE)

    def receive(self, data: bytes) -> bytes:
        """Return the answers to received bytes; raise :class:`InvalidPackage` if a line is none of a dashboard."""
        answers = []
        for line in self._reader.feed(data):
            if self.ended:
                break
            answers.append(self.answer(line.strip()).encode() + b"\n")
        return b"".join(answers)

    def answer(self, line: str) -> str:
        """Return the answer to one command."""
        command = " ".join(line.split())
        if command.startswith("offnominal"):
            return self._own(command.split()[1:])
        reply = self._known(command.lower())
        return f'could not understand: "{command[:80]}"' if reply is None else reply

    def _known(self, command: str) -> str | None:
        controller = self.controller
        state = "PLAYING" if controller.running else "STOPPED"
        fixed = {
            "robotmode": f"Robotmode: {controller.robot_mode.name}",
            "safetymode": f"Safetymode: {controller.safety.name}",
            "safetystatus": f"Safetystatus: {controller.safety.name}",
            "running": f"Program running: {str(controller.running).lower()}",
            "programstate": f"{state} <unnamed>",
            "polyscopeversion": f"URSoftware {controller.model.version} (virtual)",
            "get robot model": "UR3",
            "get serial number": "20000000000",
            "is in remote control": "true",
            "close popup": "closing popup",
            "close safety popup": "closing safety popup",
        }
        if command in fixed:
            return fixed[command]
        if command == "stop":
            return "Stopped" if controller.stop_program() else "Failed to execute: stop"
        if command == "unlock protective stop":
            controller.unlock()
            return "Protective stop releasing"
        if command in ("power on", "power off", "brake release"):
            controller.set_power(command != "power off")
            return {"power on": "Powering on", "power off": "Powering off", "brake release": "Brake releasing"}[command]
        if command == "quit":
            self.ended = True
            return "Disconnected"
        return None

    def _own(self, words: list[str]) -> str:
        controller = self.controller
        try:
            match words:
                case []:
                    return VIRTUAL
                case ["reset", seed]:
                    controller.reset(check_seed(int(seed)))
                case ["control_latency" | "control_smoothing" as name, value]:
                    number = None if value == "off" else number_in(name, float(value), 0.0, MAX_FAULT)
                    setattr(controller.faults, name, number)
                case ["protective", "stop"]:
                    controller.protective_stop()
                case ["emergency", "stop"]:
                    controller.emergency_stop()
                case _:
                    return f"offnominal: could not understand: {' '.join(words)[:80]}"
        except (InvalidParameter, ValueError) as error:
            return f"offnominal: {' '.join(str(error).split())[:200]}"
        return "offnominal: done"
