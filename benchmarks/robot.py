"""Steps of 0.04 s through the protocol of a UR robot, in lockstep with a virtual controller."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from itertools import count

import numpy as np

from benchmarks.measure import rates
from benchmarks.worlds import Row
from offnominal.worlds import make_world
from offnominal.worlds.arm.rtde import FREE_PORTS, KinematicBackend, LocalRobot, RobotClient, RobotServer
from offnominal.worlds.arm.rtde.controller import VirtualController
from offnominal.worlds.arm.rtde.mujoco_backend import MujocoBackend

PERIOD = 0.04
BAR = ">= 300 per second"


def robot() -> list[Row]:
    """Servo commands to a virtual CB3 controller, and URR-Reach-v0 with one row and with many. Wall time counts here,
    because client and controller wait for each other.
    """
    with ExitStack() as stack:
        contenders = {
            "arm without mass, same process": _servo(
                stack.enter_context(RobotClient(LocalRobot(VirtualController(), period=PERIOD)))
            )
        }
        for name, backend in (("arm without mass", KinematicBackend()), ("MuJoCo arm", MujocoBackend())):
            server = RobotServer(VirtualController(backend=backend), ports=FREE_PORTS, speed="lockstep", period=PERIOD)
            ports = stack.enter_context(server).ports
            contenders[f"{name}, sockets"] = _servo(stack.enter_context(RobotClient(ports=ports)))
        contenders["URR-Reach-v0"] = _world(1)
        contenders["URR-Reach-v0, 64 rows"] = _world(64)
        measured = rates(contenders)
    return [
        {
            "task": name,
            "steps/s": round(rate.per_second),
            "steps/CPU-s": round(rate.per_cpu_second),
            "times real time": rate.per_second * PERIOD,
            "bar": BAR,
        }
        for name, rate in measured.items()
    ]


def _servo(client: RobotClient) -> Callable[[], int]:
    """Return a function that sends 50 servo targets on a small circle."""
    centre, steps = client.state.tcp_pose - np.array([0.0, 0.0, 0.02, 0.0, 0.0, 0.0]), count()

    def work() -> int:
        for _ in range(50):
            angle = 0.2 * next(steps)
            client.servo_l(centre + 0.01 * np.array([np.sin(angle), 0.0, np.cos(angle), 0.0, 0.0, 0.0]))
        return 50

    client.move_l(centre + 0.01 * np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0]))
    return work


def _world(n: int) -> Callable[[], int]:
    world, rows = make_world("URR-Reach-v0", n), np.arange(n)
    generator = np.random.default_rng(0)

    def work() -> int:
        world.reset(rows, seeds=rows, episodes=rows)
        for _ in range(50):
            world.step(generator.uniform(-1.0, 1.0, (n, 4)))
        return 50 * n

    return work


SECTIONS = {"UR3 over RTDE": robot}
