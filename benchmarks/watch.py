"""The monitor of many robots: steps per second of one core, duration of a step, memory of the process."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import offnominal as off
from offnominal.alarms import EpisodeMaximum
from offnominal.detectors import make_detector

Row = dict[str, Any]
WORLD, ROBOTS, RATE, SECONDS, ROUNDS = "SAP-Goal0-v0", 50, 50.0, 4.0, 5
DETECTORS: dict[str, dict[str, Any]] = {
    "Mahalanobis": {"view": "window", "window_length": 3},
    "KNN": {},
    "IsolationForest": {},
}


def steps() -> list[Row]:
    """50 robots (26 channels, 2 actions) at 50 samples per second, as JSON lines in batches of 64 into the service of
    `offnominal watch`: parsing, order, times, checks of all channels, detector by onnxruntime, alarms, scores and
    events as JSON, a checkpoint of all robots each second of samples. Rate per CPU-second, best of five windows of four
    seconds of samples; percentiles of the CPU time and of the wall time of a sample, over 3,000 that come one by one.
    Processors were shared with many other programs, which the wall time shows.
    """
    rows = []
    for name, parameters in DETECTORS.items():
        with TemporaryDirectory() as folder:
            _write(Path(folder) / "model", name, parameters)
            rows.append({"detector": name, **_measured(Path(folder)), "bar": "2,000 per second; p99 2 ms"})
    return rows


def memory() -> list[Row]:
    """`offnominal watch --port` as a process of its own, with 50 robots after 100 samples of each: resident memory."""
    with TemporaryDirectory() as folder:
        _write(Path(folder) / "model", "Mahalanobis", DETECTORS["Mahalanobis"])
        command = [sys.executable, "-m", "offnominal", "watch", f"{folder}/model", "--port", "0", "--out", "/dev/null"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            address = re.findall(r"http://\S+", process.stderr.readline())[0]
            start = _resident(process.pid)
            lines = _lines(100)
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            for k in range(0, len(lines), 500):
                body = "\n".join(lines[k : k + 500]).encode()
                opener.open(urllib.request.Request(f"{address}samples", body, method="POST")).read()
                time.sleep(0.2)
            opener.open(f"{address}metrics").read()
            row = {"at the start, MB": start, "with 50 robots, MB": _resident(process.pid), "bar": "100 MB"}
            process.terminate()
    return [row]


def _write(folder: Path, name: str, parameters: dict[str, Any]) -> None:
    from offnominal.watch import write_deployment

    policy = off.expert(WORLD)
    detector = make_detector(name, **parameters).fit(off.collect(WORLD, policy, 100))
    calibration = off.collect(WORLD, policy, 100, seed=1000)
    write_deployment(folder, detector, EpisodeMaximum(0.05).fit(detector.score(calibration)), calibration, rate=RATE)


def _lines(count: int) -> list[str]:
    """Return samples of nominal episodes, robot after robot."""
    episodes = off.collect(WORLD, off.expert(WORLD), 60, seed=5000)
    observations = np.concatenate([episode.observations[:-1] for episode in episodes]).tolist()
    actions = np.concatenate([episode.actions for episode in episodes]).tolist()
    starts = set(np.cumsum([0, *(len(episode) for episode in episodes)]).tolist())
    found = []
    for t in range(count):
        for robot in range(ROBOTS):
            k = (t + 7 * robot) % len(actions)
            sample = {"robot": f"r{robot}", "seq": t, "time": t / RATE, "start": k in starts}
            found.append(json.dumps({**sample, "observation": observations[k], "action": actions[k]}))
    return found


def _measured(folder: Path) -> Row:
    from offnominal.watch import Deployment, Fleet
    from offnominal.watch.inbox import Arrived, Inbox
    from offnominal.watch.service import Service
    from offnominal.watch.sink import LineSink

    lines = _lines(int(ROUNDS * SECONDS * RATE))
    sink = LineSink(Path("/dev/null"), scores=True)
    service = Service(Fleet(Deployment.load(folder / "model")), Inbox(), [sink], checkpoint=folder / "state")
    rates, wall, cpu = [], list[float](), list[float]()
    per_window, per_second = len(lines) // ROUNDS, int(ROBOTS * RATE)
    for k in range(ROUNDS):
        part = lines[k * per_window : (k + 1) * per_window]
        before = time.process_time()
        for begin in range(0, len(part), 64):
            service.process([Arrived(line, time.time()) for line in part[begin : begin + 64]])
            if begin % per_second < 64:
                service.save()
        rates.append(len(part) / (time.process_time() - before))
    for line in _lines(60):
        again = json.loads(line)
        arrived = [Arrived(json.dumps({**again, "seq": again["seq"] + 10**6, "session": "b"}), 0.0)]
        began = time.perf_counter(), time.thread_time()
        service.process(arrived)
        wall.append(time.perf_counter() - began[0])
        cpu.append(time.thread_time() - began[1])
    found = [1e3 * float(np.percentile(times, share)) for times in (cpu, wall) for share in (50, 99)]
    names = ("CPU p50, ms", "CPU p99, ms", "wall p50, ms", "wall p99, ms")
    return {"samples per CPU-second": max(rates), **dict(zip(names, found, strict=True))}


def _resident(pid: int) -> float:
    """Return the resident memory of a process in MB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(re.findall(r"VmRSS:\s+(\d+) kB", status)[0]) * 1024 / 1e6


SECTIONS = {"Monitor of 50 robots": steps, "Memory of the monitor": memory}
