"""`offnominal robot`."""

from __future__ import annotations

import threading
from contextlib import suppress
from enum import StrEnum
from typing import Annotated

import typer

from offnominal.cli.app import App
from offnominal.cli.output import print_text

robot = App(no_args_is_help=True, help="Serve a virtual UR robot over the protocol of a real one.")


class Model(StrEnum):
    """Generation of the controller."""

    CB3 = "cb3"
    E_SERIES = "e-series"


class Arm(StrEnum):
    """Arm behind the controller."""

    MUJOCO = "mujoco"
    KINEMATIC = "kinematic"


class Speed(StrEnum):
    """How time passes."""

    REAL = "real"
    FAST = "fast"
    LOCKSTEP = "lockstep"


@robot.command("serve")
def serve(
    model: Annotated[Model, typer.Option(help="Controller: cb3 (125 Hz) or e-series (500 Hz).")] = Model.CB3,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    speed: Annotated[
        Speed, typer.Option(help="Real time, ten times as fast, or only when a client sends a command.")
    ] = Speed.REAL,
    arm: Annotated[Arm, typer.Option(help="Arm with masses and servos in MuJoCo, or without mass.")] = Arm.MUJOCO,
    period: Annotated[
        float | None, typer.Option(help="Seconds that a servo command lasts in lockstep; if omitted, its own time.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the encoder noise.")] = 0,
    encoder_noise: Annotated[float, typer.Option(help="Standard deviation of the reported joint angles, rad.")] = 0.0,
    free_ports: Annotated[
        bool, typer.Option("--free-ports", help="Listen on free ports instead of those of a robot.")
    ] = False,
    seconds: Annotated[float | None, typer.Option(help="Stop after this time; if omitted, at Ctrl-C.")] = None,
) -> None:
    """Serve a virtual controller on the ports of a robot.

    The ports are those of RTDE, scripts and dashboard.

    Example: [bold]offnominal robot serve --model cb3 --speed lockstep[/]
    """
    from offnominal.core.checks import number_in
    from offnominal.worlds.arm.rtde import FREE_PORTS, KinematicBackend, Ports, RobotServer, VirtualController
    from offnominal.worlds.arm.rtde.mujoco_backend import MujocoBackend

    limit = None if seconds is None else number_in("seconds", seconds, 0.0, threading.TIMEOUT_MAX, open_low=True)
    backend = MujocoBackend() if arm is Arm.MUJOCO else KinematicBackend()
    controller = VirtualController(model.value, backend, seed=seed, encoder_noise=encoder_noise)
    server = RobotServer(
        controller, host, ports=FREE_PORTS if free_ports else Ports(), speed=speed.value, period=period
    ).open()
    ports = server.ports
    print_text(
        f"Virtual controller {model.value} ({controller.model.rate} Hz, {speed.value}) on {host}: RTDE {ports.rtde}, "
        f"scripts {ports.script} and {ports.secondary}, dashboard {ports.dashboard}. Ctrl-C stops it."
    )
    timer = None if limit is None else threading.Timer(limit, server.stop)
    if timer is not None:
        timer.daemon = True
        timer.start()
    with suppress(KeyboardInterrupt):
        server.serve()
    print_text(f"Stopped after {controller.time:.3f} s of simulated time.")
