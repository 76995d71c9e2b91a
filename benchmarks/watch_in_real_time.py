"""50 robots in real time: each with a connection of its own to `offnominal watch`, 50 samples per second."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import offnominal as off
from offnominal.alarms import EpisodeMaximum
from offnominal.detectors import make_detector

Row = dict[str, Any]
WORLD, ROBOTS, RATE = "SAP-Goal0-v0", 50, 50.0
SECONDS = float(os.environ.get("SECONDS", "600"))
COMPARED = 10
"""Of so many robots one, every event is compared with those of the monitor without a service."""
ENDING = 120.0
RULES = "[stale]\nenabled = false\n"
TIMING = """
import atexit, json, sys, time
from array import array
import offnominal.watch.service as service

class Times(service.StepTimes):
    wall, cpu, last = array("d"), array("d"), None

    def add(self, seconds):
        super().add(seconds)
        now = time.thread_time()
        if self.last is not None:
            self.cpu.append(now - self.last)
        self.wall.append(seconds)
        Times.last = now

service.StepTimes = Times
report = sys.argv.pop(1)

def write():
    import numpy as np
    found = {name: np.percentile(getattr(Times, name), [50, 99, 99.9]).tolist() for name in ("wall", "cpu")}
    used = time.process_time()
    open(report, "w").write(json.dumps({**found, "process": used, "steps": len(Times.wall)}))

atexit.register(write)
from offnominal.cli import main
sys.argv[0] = "offnominal"
main()
"""
"""The program, with the times of all steps: on the wall, and of the processor since the end of the step before."""


def real_time() -> list[Row]:
    """50 robots (26 channels, 2 actions), each with a WebSocket of its own, send 50 samples per second to `offnominal
    watch --port` for ten minutes, or for the time in `SECONDS`; one episode in five is faulty. Senders are another
    process. Lost: samples that were sent and not used. Alarms: events of every tenth robot that are those of the
    monitor without a service. Samples per CPU-second: of the whole process since its start, with imports, HTTP, alarms
    and a checkpoint each second. CPU: time of the processor from the end of a step to that of the next, in the thread
    that processes samples. Late: how much later than due a sample was sent, because sender or monitor had no processor.
    Wall time and lateness show when processors do not suffice.
    """
    return [in_real_time(SECONDS)]


def in_real_time(seconds: float, *, every: int = COMPARED) -> Row:
    """Run it, and return what was measured.

    Args:
        seconds: Seconds of samples of each robot.
        every: Of so many robots one, events are compared.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        _write(folder / "model")
        (folder / "rules.toml").write_text(RULES, encoding="utf-8")
        process, address = _started(folder)
        count = int(seconds * RATE)
        sender = multiprocessing.get_context("spawn").Process(target=send, args=(address, count, folder / "late"))
        sender.start()
        sender.join()
        sent = ROBOTS * count
        _until(lambda: _metric(address, "offnominal_samples_total") >= sent)
        counts = {word: _metric(address, f"offnominal_samples_{word}") for word in ("total", "lost_total")}
        process.terminate()
        process.wait(ENDING)
        times = json.loads((folder / "times").read_text(encoding="utf-8"))
        late = json.loads((folder / "late").read_text(encoding="utf-8"))
        same, expected = _compared(folder, count, every)
    return {
        "seconds": seconds,
        "samples": sent,
        "lost": sent - counts["total"] + counts["lost_total"],
        "alarms as expected": f"{same:,} of {expected:,}",
        "samples per CPU-second": times["steps"] / times["process"],
        "CPU p50, ms": 1e3 * times["cpu"][0],
        "CPU p99, ms": 1e3 * times["cpu"][1],
        "wall p50, ms": 1e3 * times["wall"][0],
        "wall p99, ms": 1e3 * times["wall"][1],
        "late p50, ms": 1e3 * late[0],
        "late p99, ms": 1e3 * late[1],
        "bar": "no loss; 2,000 per second; p99 2 ms",
    }


def _write(folder: Path) -> None:
    from offnominal.watch import write_deployment

    policy = off.expert(WORLD)
    detector = make_detector("Mahalanobis", view="window", window_length=3).fit(off.collect(WORLD, policy, 60))
    calibration = off.collect(WORLD, policy, 60, seed=1000)
    write_deployment(folder, detector, EpisodeMaximum(0.1).fit(detector.score(calibration)), calibration, rate=RATE)


def _started(folder: Path) -> tuple[subprocess.Popen[bytes], str]:
    words = [folder / "times", "watch", folder / "model", "--port", 0, "--out", folder / "out.jsonl"]
    words += ["--rules", folder / "rules.toml", "--checkpoint", folder / "state"]
    single = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    said = folder / "messages"
    with said.open("w", encoding="utf-8") as messages:
        process = subprocess.Popen([sys.executable, "-c", TIMING, *map(str, words)], stderr=messages, env=single)
    _until(lambda: "(Ctrl-C" in said.read_text(encoding="utf-8") or process.poll() is not None)
    return process, re.findall(r"127\.0\.0\.1:\d+", said.read_text(encoding="utf-8"))[0]


def _parts() -> list[list[str]]:
    """Return observations and actions of episodes as JSON; every fifth episode is faulty."""
    fault = off.Fault("observation/offset", 2.0, 3)
    policy = off.expert(WORLD)
    nominal = off.collect(WORLD, policy, 40, seed=3000)
    faulty = off.collect(WORLD, policy, 10, faults=fault, seed=4000)
    found = []
    for number in range(50):
        episode = faulty[number // 5] if number % 5 == 4 else nominal[number - number // 5]
        actions = [*episode.actions.tolist(), [0.0] * episode.actions.shape[1]]
        pairs = zip(episode.observations.tolist(), actions, strict=True)
        found.append([f'"observation": {json.dumps(o)}, "action": {json.dumps(a)}}}' for o, a in pairs])
    return found


def lines_of(robot: int, count: int, parts: list[list[str]]) -> Iterator[str]:
    """Yield the samples of a robot as JSON lines."""
    sequence, episode = 0, 7 * robot
    while True:
        for step, part in enumerate(parts[episode % len(parts)]):
            if sequence == count:
                return
            start = '"start": true, ' if step == 0 else ""
            yield f'{{"robot": "r{robot}", "seq": {sequence}, "time": {sequence / RATE!r}, {start}{part}'
            sequence += 1
        episode += 1


def send(address: str, count: int, report: Path) -> None:
    """Send the samples of all robots at their times, and write how late they were."""
    late: list[float] = []
    asyncio.run(_send_all(address, count, late))
    report.write_text(json.dumps(np.percentile(late, [50, 99]).tolist()), encoding="utf-8")


async def _send_all(address: str, count: int, late: list[float]) -> None:
    parts, begin = _parts(), time.monotonic() + 2.0
    await asyncio.gather(
        *(_send(address, robot, lines_of(robot, count, parts), begin, late) for robot in range(ROBOTS))
    )


async def _send(address: str, robot: int, lines: Iterator[str], begin: float, late: list[float]) -> None:
    from websockets.asyncio.client import connect

    due = begin + robot / (ROBOTS * RATE)
    # Where the monitor makes senders wait, all that was sent is still to arrive.
    patient = {"compression": None, "proxy": None, "close_timeout": None, "ping_interval": None}
    async with connect(f"ws://{address}/samples", **patient) as socket:
        for line in lines:
            if (left := due - time.monotonic()) > 0.0:
                await asyncio.sleep(left)
            await socket.send(line)
            late.append(time.monotonic() - due)
            due += 1.0 / RATE


def _metric(address: str, name: str) -> int:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    text = opener.open(f"http://{address}/metrics", timeout=60.0).read().decode()
    return int(float(re.findall(rf"^{name} (.*)$", text, re.MULTILINE)[0]))


def _until(condition: Any) -> None:
    """Wait for a condition; a monitor that has no processor may not answer."""
    end = time.monotonic() + ENDING
    while time.monotonic() < end:
        with suppress(OSError):
            if condition():
                return
        time.sleep(0.2)


def _compared(folder: Path, count: int, every: int) -> tuple[int, int]:
    """Return how many events of the compared robots are those of the monitor without a service, of how many in all."""
    from offnominal.watch import Deployment, Fleet, load_rules

    fleet, expected = Fleet(Deployment.load(folder / "model"), load_rules(folder / "rules.toml")), set()
    parts = _parts()
    for robot in range(0, ROBOTS, every):
        for line in lines_of(robot, count, parts):
            expected |= {event.id for event in fleet.take(json.loads(line), 0.0) if event.robot}
    told = set()
    with (folder / "out.jsonl").open(encoding="utf-8") as file:
        for line in file:
            event = json.loads(line)
            if event.get("robot") in fleet.robots:
                told.add(event["id"])
    return len(told & expected), len(told | expected)


SECTIONS = {"50 robots in real time": real_time}
