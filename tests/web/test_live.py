"""Clients of a live run: what they get, what they may send, and how a run ends."""

from __future__ import annotations

import asyncio
import collections
import json
import time

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from offnominal.web.app import make_app
from offnominal.web.broadcast import Client
from offnominal.web.live_messages import LARGEST
from offnominal.web.live_session import LiveRuns
from offnominal.web.settings import Settings

pytestmark = pytest.mark.long

SETTINGS = {"world": "SAP-Goal0-v0", "detectors": ["KNN", "HBOS"], "rate": 60.0, "seed": 3}
ADDRESS = "ws://127.0.0.1/live/socket"
START = {"type": "start", "settings": SETTINGS}


@pytest.fixture(scope="module")
def fits(tmp_path_factory):
    return tmp_path_factory.mktemp("fits")


@pytest.fixture
def client(tmp_path, fits):
    app = make_app(Settings(runs=tmp_path, max_live_runs=2))
    app.state.live_runs = LiveRuns(2, folder=fits, grace=0.1)
    with TestClient(app, base_url="http://127.0.0.1") as opened:
        yield opened


def connect(client):
    return client.websocket_connect(ADDRESS)


def until(socket, kind, limit=2000):
    """Return the next message of a kind; pictures and other messages are skipped."""
    for _ in range(limit):
        received = socket.receive()
        if received.get("text") and (message := json.loads(received["text"]))["type"] == kind:
            return message
    raise AssertionError(f"no message {kind!r}")


def test_a_fault_that_is_injected_now_is_seen_by_all_clients_and_cleared(client):
    with connect(client) as first, connect(client) as second:
        first.send_json(START)
        hello = until(first, "hello")
        assert [each["id"] for each in hello["detectors"]] == SETTINGS["detectors"]
        second.send_json({"type": "join", "run": hello["run"]})
        assert until(second, "hello") == hello
        first.send_json({"type": "fault", "anomaly": "observation/offset", "strength": 2.0})
        for socket in (first, second):
            assert until(socket, "fault")["state"] == "on"
            alarm = until(socket, "alarm")
            assert (alarm["delay"], alarm["anomaly"], alarm["false"]) == (0, "observation/offset", False)
            assert until(socket, "evidence")["channels"]
        second.send_json({"type": "clear"})
        assert until(first, "fault")["state"] == "off"


def test_a_client_that_joins_later_is_told_the_fault_that_is_on_and_its_alarms(client):
    with connect(client) as first, connect(client) as second, connect(client) as third:
        first.send_json(START)
        run = until(first, "hello")["run"]
        first.send_json({"type": "fault", "anomaly": "observation/offset", "strength": 2.0})
        fault, alarm, evidence = (until(first, kind) for kind in ("fault", "alarm", "evidence"))
        second.send_json({"type": "join", "run": run})
        assert until(second, "episode")["recalled"]
        assert until(second, "fault") == {**fault, "recalled": True}
        assert until(second, "alarm") == {**alarm, "recalled": True}
        assert until(second, "evidence")["recalled"]
        assert evidence["channels"]
        second.send_json({"type": "clear", "id": fault["id"]})
        assert until(first, "fault")["state"] == "off"
        third.send_json({"type": "join", "run": run})
        told = []
        while (message := json.loads(third.receive()["text"]))["type"] != "step":
            told.append(message)
        assert not [each for each in told if each["type"] == "fault"]
        assert [each for each in told if each["type"] == "alarm"]


def test_pictures_are_jpeg_and_steps_are_numbered(client):
    with connect(client) as socket:
        socket.send_json(START)
        numbers, picture = [], None
        while picture is None or len(numbers) < 5:
            received = socket.receive()
            if received.get("bytes"):
                picture = received["bytes"]
            elif (message := json.loads(received["text"]))["type"] == "step":
                numbers.append(message["n"])
        assert picture.startswith(b"\xff\xd8\xff")
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_pause_reset_and_rate(client):
    with connect(client) as socket:
        socket.send_json(START)
        until(socket, "hello")
        socket.send_json({"type": "pause"})
        while not until(socket, "state")["paused"]:
            pass
        socket.send_json({"type": "reset", "seed": 11})
        while (episode := until(socket, "episode"))["seed"] != 11:
            pass
        assert episode["episode"] == 0
        socket.send_json({"type": "rate", "rate": 20})
        assert until(socket, "state") == {"type": "state", "paused": True, "rate": 20.0}


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        ("{", "InvalidParameter"),
        ("[" * 3000, "InvalidParameter"),
        ('{"type": "rate", "rate": NaN}', "InvalidParameter"),
        ('{"type": "rate", "rate": 1' + "0" * 400 + "}", "InvalidParameter"),
        ('{"type": "rate", "rate": 61}', "InvalidParameter"),
        ('{"type": "explode"}', "InvalidParameter"),
        ('{"type": "pause", "now": 1}', "InvalidParameter"),
        ('"' + "x" * LARGEST + '"', "InvalidParameter"),
        ('{"type": "pause"}', "InvalidState"),
        ('{"type": "join", "run": "none"}', "UnknownName"),
        ('{"type": "start", "settings": {"world": "Mars"}}', "UnknownName"),
        ('{"type": "start", "settings": {"world": "SAP-Goal0-v0", "detectors": ["os:system"]}}', "UnknownName"),
    ],
)
def test_a_wrong_message_is_answered_by_its_error_and_the_connection_lives(client, sent, error):
    with connect(client) as socket:
        socket.send_text(sent)
        assert until(socket, "error")["error"] == error
        socket.send_bytes(b"\x00")
        assert until(socket, "error")["error"] == "InvalidParameter"


def test_wrong_faults_are_named_and_the_run_goes_on(client):
    with connect(client) as socket:
        socket.send_json(START)
        until(socket, "hello")
        for fault in (
            {"anomaly": "observation/none", "strength": 1.0},
            {"anomaly": "observation/offset", "strength": "huge"},
            {"anomaly": "observation/offset", "strength": 1.0, "channels": [99]},
            {"anomaly": "action/noise", "strength": -1.0},
            {"anomaly": "observation/offset", "strength": 1.0, "duration": 0},
            {"anomaly": "camera/blur", "strength": 1.0},
        ):
            socket.send_json({"type": "fault", **fault})
            assert until(socket, "error")["message"]
        socket.send_json({"type": "explain", "detector": 7})
        assert until(socket, "error")["error"] == "InvalidParameter"
        assert until(socket, "step")


def test_a_client_that_sends_too_much_is_told_and_then_disconnected(client):
    with connect(client) as socket:
        for _ in range(300):
            socket.send_json({"type": "pause"})
        with pytest.raises(WebSocketDisconnect) as caught:
            collections.deque(iter(socket.receive_json, None), maxlen=0)
    assert caught.value.code == 1008


def test_the_number_of_runs_is_bounded_and_a_disconnect_ends_a_run(client):
    runs = client.app.state.live_runs
    with connect(client) as one, connect(client) as two, connect(client) as three:
        one.send_json(START)
        two.send_json(START)
        until(one, "step")
        until(two, "step")
        three.send_json(START)
        assert "2 live runs" in until(three, "error")["message"]
        assert len(runs.sessions) == 2
        sessions = list(runs.sessions.values())
    for session in sessions:
        session._thread.join(20)
        assert not session._thread.is_alive()
    for _ in range(100):
        if not runs.sessions:
            break
        time.sleep(0.05)
    assert not runs.sessions


def test_a_run_lives_on_while_another_client_watches(client):
    with connect(client) as stays:
        with connect(client) as leaves:
            leaves.send_json(START)
            run = until(leaves, "hello")["run"]
            stays.send_json({"type": "join", "run": run})
            until(stays, "hello")
        time.sleep(0.3)
        n = until(stays, "step")["n"]
        assert until(stays, "step")["n"] > n
        assert run in client.app.state.live_runs.sessions


def test_the_end_of_the_server_ends_its_runs(tmp_path, fits):
    app = make_app(Settings(runs=tmp_path))
    app.state.live_runs = LiveRuns(1, folder=fits, grace=1000.0)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        with connect(client) as socket:
            socket.send_json(START)
            until(socket, "hello")
        (session,) = app.state.live_runs.sessions.values()
        assert not session.ended
    session._thread.join(30.0)
    assert session.ended
    assert not session._thread.is_alive()


def test_a_websocket_of_another_site_is_refused(client):
    with (
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect(ADDRESS, headers={"origin": "http://evil.example"}) as socket,
    ):
        socket.receive()


def test_slow_clients_get_the_newest():
    client = Client(pending=3)
    for number in range(10):
        client.offer(numbers=[str(number)], picture=bytes([number]))
    client.offer(events=["alarm"])
    assert asyncio.run(client.next()) == ["alarm", "7", "8", "9", b"\x09"]
    assert client.dropped == 7


def test_page_lists_worlds_detectors_and_alarms(client):
    text = client.get("/live").text
    assert all(name in text for name in ("SAP-Goal0-v0", "Mahalanobis", "EpisodeMaximum"))
    assert "OOD-Pong-v0" not in text
