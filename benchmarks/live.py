"""The live monitor: its rate on one core, and many clients of one run."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

WORLD, DETECTORS, RATE = "MJC-HalfCheetah-v0", ("KNN", "Mahalanobis", "IsolationForest", "HBOS"), 30.0
STEPS, SECONDS = 600, 10.0
CLIENTS = (1, 50, 200)
TICK = os.sysconf("SC_CLK_TCK")
Row = dict[str, Any]


def one_core() -> list[Row]:
    """A live run of HalfCheetah with four detectors of vectors: CPU time of one step (world, policy, detectors,
    alarms and the message as JSON), of one image for people (320 pixels, JPEG), and the part of one core that both take
    at 30 steps and 10 images per second; 600 steps, the median of five parts.
    """
    from offnominal.web.live_run import LiveRun, LiveSettings
    from offnominal.web.live_session import PICTURE_RATE, PICTURE_SIZE, as_json, encoded
    from offnominal.web.nominal_fit import fit_nominal

    settings = LiveSettings(WORLD, detectors=DETECTORS)
    run = LiveRun(settings, fit_nominal(settings))
    run.step()
    run.frame(PICTURE_SIZE)
    step = _median(lambda: as_json(run.step().message), STEPS // 5)
    image = _median(lambda: encoded(run.frame(PICTURE_SIZE)), 20)
    used = step * RATE + image * PICTURE_RATE
    return [
        {
            "world": WORLD,
            "detectors": len(DETECTORS),
            "CPU per step, ms": 1e3 * step,
            "CPU per image, ms": 1e3 * image,
            "of one core at 30 Hz, %": 100 * used,
            "most steps per CPU-second": (1.0 - image * PICTURE_RATE) / step,
            "bar": "30 steps per second on one core",
        }
    ]


def clients() -> list[Row]:
    """One run of HalfCheetah with four detectors at 30 steps per second, watched over websockets of one machine by
    1, 50 and 200 clients for 10 seconds. Server and clients are two processes. Received: messages with numbers, and
    images, per client and second; lost: numbers that a client did not get, because its queue dropped the oldest.
    """
    with _server() as (address, process):
        return [asyncio.run(_measured(address, process, n)) for n in CLIENTS]


def _median(work: Any, count: int) -> float:
    """Return the CPU time of one call: the median of five parts."""
    found = []
    for _ in range(5):
        before = time.process_time()
        for _ in range(count):
            work()
        found.append((time.process_time() - before) / count)
    return sorted(found)[2]


@contextmanager
def _server() -> Iterator[tuple[str, int]]:
    from offnominal.web.listening import bound_socket
    from offnominal.web.settings import Settings

    listener = bound_socket(Settings(port=0))
    process = multiprocessing.get_context("fork").Process(target=_serve, args=(listener,), daemon=True)
    process.start()
    try:
        yield f"ws://127.0.0.1:{listener.getsockname()[1]}/live/socket", process.pid or 0
    finally:
        process.terminate()
        process.join()


def _serve(listener: Any) -> None:
    import uvicorn

    from offnominal.web.app import make_app
    from offnominal.web.settings import Settings

    config = uvicorn.Config(
        make_app(Settings(port=listener.getsockname()[1])), log_level="error", ws="websockets-sansio"
    )
    uvicorn.Server(config).run([listener])


async def _measured(address: str, process: int, n: int) -> Row:
    from websockets.asyncio.client import connect

    sockets = await asyncio.gather(*(connect(address, max_size=None, compression=None) for _ in range(n)))
    settings = {"world": WORLD, "detectors": DETECTORS, "rate": RATE}
    await sockets[0].send(json.dumps({"type": "start", "settings": settings}))
    run = await _hello(sockets[0])
    await asyncio.gather(*(socket.send(json.dumps({"type": "join", "run": run})) for socket in sockets[1:]))
    await asyncio.gather(*(_hello(socket) for socket in sockets[1:]))
    used, began = _cpu(process), time.perf_counter()
    received = await asyncio.gather(*(_receive(socket, began + SECONDS) for socket in sockets))
    wall, used = time.perf_counter() - began, _cpu(process) - used
    await asyncio.gather(*(socket.close() for socket in sockets))
    numbers, images = [each[0] for each in received], [each[1] for each in received]
    return {
        "clients": n,
        "numbers per client and s": sum(map(len, numbers)) / n / wall,
        "images per client and s": sum(images) / n / wall,
        "lost, %": 100 * sum(_lost(each) for each in numbers) / max(sum(map(len, numbers)), 1),
        "most lost by one client": max(_lost(each) for each in numbers),
        "CPU of the server, %": 100 * used / wall,
        "bar": "200 clients, none loses more than the newest-only rule allows",
    }


async def _hello(socket: Any) -> str:
    while True:
        received = await socket.recv()
        if isinstance(received, str) and (message := json.loads(received))["type"] == "hello":
            return str(message["run"])


async def _receive(socket: Any, until: float) -> tuple[list[int], int]:
    numbers, images = list[int](), 0
    while time.perf_counter() < until:
        received = await socket.recv()
        if isinstance(received, bytes):
            images += 1
        elif received.startswith('{"type":"step"'):
            numbers.append(int(received[19 : received.index(",", 19)]))
    return numbers, images


def _lost(numbers: list[int]) -> int:
    """Return how many numbers between the first and the last one are missing."""
    return numbers[-1] - numbers[0] + 1 - len(numbers) if numbers else 0


def _cpu(process: int) -> float:
    """Return the seconds of CPU time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


SECTIONS = {"Live monitor": one_core, "Clients of a live run": clients}
