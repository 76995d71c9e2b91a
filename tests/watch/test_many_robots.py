"""50 robots at 50 samples per second, each with a connection of its own: nothing is lost, the alarms are right."""

import json
import re
import threading
import time

import pytest

from offnominal.watch import Fleet

from .processes import start, told, until
from .streams import RATE, stream

ROBOTS = 50


def sent(address, samples, begin):
    """Send samples of one robot at their times."""
    from websockets.sync.client import connect

    with connect(f"{address}samples", compression=None) as socket:
        for sample in samples:
            time.sleep(max(0.0, begin + sample["time"] - time.monotonic()))
            socket.send(json.dumps(sample))


@pytest.mark.long
@pytest.mark.parametrize("seconds", [2.0, pytest.param(600.0, marks=pytest.mark.slow)])
def test_nothing_is_lost_in_real_time(tmp_path, written, deployment, nominal, faulty, seconds):
    rules = tmp_path / "rules.toml"
    rules.write_text("[stale]\nenabled = false\n")
    count = int(seconds * RATE)
    streams = []
    for number in range(ROBOTS):
        order = [(nominal, faulty)[(number + k) % 5 == 0][(number + k) % 20] for k in range(2 + count // 8)]
        streams.append(stream(order, f"r{number}", begin=number * 0.02 / ROBOTS)[:count])
    fleet, expected = Fleet(deployment), set()
    for samples in streams:
        for sample in samples:
            expected |= {event.id for event in fleet.take(json.loads(json.dumps(sample)), 0.0) if event.robot}
    out = tmp_path / "out.jsonl"
    words = [written, "--port", 0, "--out", out, "--rules", rules, "--checkpoint", tmp_path / "state"]
    process = start(*words)
    address = re.search(r"http://(127\.0\.0\.1:\d+/)", process.stderr.readline().decode())[1]
    begin = time.monotonic() + 1.0
    threads = [threading.Thread(target=sent, args=(f"ws://{address}", samples, begin)) for samples in streams]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    until(lambda: {each["id"] for each in told(out) if each.get("robot") in fleet.robots} == expected, 60.0)
    process.terminate()
    assert process.wait(30) == 0
    assert f"{ROBOTS * count:,} samples of {ROBOTS} robots" in process.stderr.read().decode()
