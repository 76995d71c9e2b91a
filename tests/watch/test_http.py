"""The service by HTTP and WebSocket: samples, orders, metrics, health, the page, and who may use it."""

import json
import re
import shutil
import socket
import subprocess
import threading
import time
from contextlib import ExitStack

import numpy as np
import pytest
from starlette.testclient import TestClient

from offnominal.alarms import EpisodeMaximum
from offnominal.core.errors import InvalidParameter
from offnominal.reports.modules import bundle, module
from offnominal.watch import Deployment, Fleet, Rules, write_deployment
from offnominal.watch.http_app import WatchApp
from offnominal.watch.inbox import Inbox
from offnominal.watch.live_view import LiveView
from offnominal.watch.service import Service
from offnominal.web.access import Access

from .processes import start, told, until
from .streams import lines, samples, stream

pytestmark = pytest.mark.long

LOCAL = "http://localhost:8000"
HOST = {"host": "localhost:8000"}
METRIC = re.compile(r"^([a-z_]+)(\{[a-z]+=\"[^\"]*\"(,[a-z]+=\"[^\"]*\")*\})? (-?[0-9.e+-]+|[+-]Inf|NaN)$")


class Running:
    """A service in a thread, and a client of its application."""

    def __init__(self, deployment, access=None, **options):
        self.service = Service(Fleet(deployment, **options), Inbox(capacity=1000))
        self.view = LiveView()
        self.service.add(self.view)
        self.app = WatchApp(self.service, self.view).made(access or Access())
        self.thread = threading.Thread(target=self.service.run)

    def __enter__(self):
        self.thread.start()
        self.client = TestClient(self.app, base_url=LOCAL).__enter__()
        return self

    def __exit__(self, *_):
        self.client.__exit__(None, None, None)
        self.service.inbox.close()
        self.thread.join(10)

    def send(self, found):
        answer = self.client.post("/samples", content=lines(found))
        assert answer.status_code == 202, answer.text
        self.settle(len(found))
        return answer.json()

    def settle(self, n):
        until(lambda: not len(self.service.inbox))
        return self.client.get("/state").json()


@pytest.fixture
def running(deployment):
    with Running(deployment) as opened:
        yield opened


def test_samples_by_post_give_the_scores_of_the_batch(running, detector, nominal):
    assert running.send(samples(nominal[0])) == {"accepted": len(nominal[0]) + 1}
    (robot,) = running.client.get("/state").json()["robots"]
    np.testing.assert_allclose([y for _, y in robot["curve"]], detector.score(nominal[:1])[0], atol=1e-5)
    array = running.client.post("/samples", json=samples(nominal[1], "r2"))
    assert array.json() == {"accepted": len(nominal[1]) + 1}
    assert {each["robot"] for each in running.settle(0)["robots"]} == {"r1", "r2"}
    one = running.client.post("/samples", json=samples(nominal[2], "r3")[0])
    assert one.json() == {"accepted": 1}


def test_samples_by_websocket(running, detector, nominal):
    with running.client.websocket_connect("/samples", headers=HOST) as socket:
        for sample in samples(nominal[0]):
            socket.send_text(json.dumps(sample))
        socket.send_text("nonsense\n" + lines(samples(nominal[1], "r2")))
        until(lambda: running.service.fleet.counts["samples"] == len(nominal[0]) + len(nominal[1]) + 2)
    assert running.service.fleet.counts["refused"] == 1
    with running.client.websocket_connect("/samples", headers=HOST) as again:
        again.send_text(lines(samples(nominal[0])))
        until(lambda: running.service.fleet.counts["duplicate"] == len(nominal[0]) + 1)


def test_too_many_samples_are_refused_as_a_whole(deployment, nominal):
    opened = Running(deployment)
    opened.service.inbox.capacity = 10
    with TestClient(opened.app, base_url=LOCAL) as client:
        found = samples(nominal[0])
        assert client.post("/samples", content=lines(found[:8])).status_code == 202
        answer = client.post("/samples", content=lines(found[:8]))
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")
        assert len(opened.service.inbox) == 8
        assert client.post("/samples", content=lines(found[:3]) * 5).status_code == 413
        opened.service.inbox.close()
        assert client.post("/samples", content=lines(found[:1])).status_code == 503


def test_operators_give_orders(running, faulty):
    running.send(samples(faulty[0]))
    which = {"robot": "r1", "alarm": "score"}
    (event,) = running.client.post("/alarms/acknowledge", json=which).json()["events"]
    assert (event["kind"], event["state"]) == ("acknowledged", "acknowledged")
    assert running.client.post("/alarms/acknowledge", json=which).json() == {"events": []}
    (event,) = running.client.post("/alarms/shelve", json={**which, "seconds": 60}).json()["events"]
    assert event["shelved"]
    (event,) = running.client.post("/alarms/unshelve", json=which).json()["events"]
    assert event["kind"] == "unshelved"
    (event,) = running.client.post("/threshold", json={"threshold": 1e9}).json()["events"]
    assert event["threshold"] == 1e9
    state = running.client.get("/state").json()
    assert (state["threshold"], state["guarantee"]) == (1e9, "none: the threshold was set by hand")
    wrong = [
        ("/alarms/acknowledge", {"robot": "r9", "alarm": "score"}, 404),
        ("/alarms/acknowledge", {"robot": "r1", "alarm": "nothing"}, 404),
        ("/alarms/acknowledge", {"robot": 1}, 400),
        ("/alarms/shelve", {**which, "seconds": -1}, 400),
        ("/alarms/shelve", {**which, "seconds": "x"}, 400),
        ("/threshold", {}, 400),
        ("/threshold", {"threshold": "high"}, 400),
        ("/threshold", [1], 400),
    ]
    for path, data, status in wrong:
        answer = running.client.post(path, json=data)
        assert (answer.status_code, bool(answer.json()["error"])) == (status, True), path
    assert running.client.post("/threshold", content="{").status_code == 400
    assert running.client.get("/alarms/shelve").status_code == 405


def test_the_model_is_read_anew(folder, detector, calibration, nominal):
    with Running(Deployment.load(folder)) as opened:
        opened.send(samples(nominal[0])[:5])
        strict = EpisodeMaximum(0.5).fit(detector.score(calibration))
        written = write_deployment(folder, detector, strict, calibration, rate=50.0, overwrite=True)
        (event,) = opened.client.post("/reload").json()["events"]
        assert (event["kind"], event["model"]) == ("model_changed", written.model_digest)
        (folder / "checks.json").write_text("{}")
        answer = opened.client.post("/reload")
        assert (answer.status_code, "checks.json" in answer.json()["error"]) == (400, True)
        assert opened.client.get("/state").json()["model"] == written.model_digest


def metrics(client):
    answer = client.get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    return answer.text


def test_metrics_have_the_text_format_of_prometheus(running, faulty):
    running.send(samples(faulty[0], 'r"1\\'))
    running.client.post("/samples", content='nonsense\n{"robot": 1}')
    running.settle(2)
    text = metrics(running.client)
    assert text.endswith("\n")
    kinds, values = {}, {}
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            name, kind = line.split()[2:]
            assert name not in kinds
            kinds[name] = kind
        elif not line.startswith("# HELP "):
            plain = line.replace(r"\\", "").replace(r"\"", "")
            assert METRIC.match(plain), line
            values[line.rpartition(" ")[0]] = float(line.rpartition(" ")[2])
    assert all(name.endswith("_total") == (kind == "counter") for name, kind in kinds.items())
    n = len(faulty[0]) + 1
    assert values["offnominal_samples_total"] == n
    assert values["offnominal_scored_total"] == n - 1
    assert values['offnominal_samples_dropped_total{reason="refused"}'] == 2
    assert values['offnominal_alarms_total{alarm="score",priority="high"}'] == 1
    assert values['offnominal_step_duration_seconds_bucket{le="+Inf"}'] == n
    assert values["offnominal_step_duration_seconds_count"] == n
    assert values[r'offnominal_score{robot="r\"1\\"}'] > values["offnominal_threshold"]


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool of Prometheus is not installed")
def test_promtool_finds_nothing_wrong(running, faulty):
    running.send(samples(faulty[0]))
    checked = subprocess.run(["promtool", "check", "metrics"], input=metrics(running.client), text=True, check=False)
    assert checked.returncode == 0


def test_many_robots_have_no_metrics_of_their_own(deployment, nominal):
    with Running(deployment, rules=Rules(most_robots=300)) as opened:
        first = samples(nominal[0])[0]
        opened.send([{**first, "robot": f"r{number}"} for number in range(150)])
        assert metrics(opened.client).count("offnominal_last_sample_timestamp_seconds{") == 100


def test_health_and_readiness_are_different_things(deployment, nominal):
    opened = Running(deployment)
    with TestClient(opened.app, base_url=LOCAL) as client:
        assert (client.get("/healthz").status_code, client.get("/readyz").status_code) == (200, 503)
        opened.thread.start()
        until(lambda: client.get("/readyz").status_code == 200)
        opened.service.inbox.close()
        assert client.get("/readyz").status_code == 503
        opened.thread.join(10)
        opened.service.turned = time.monotonic() - 100.0
        assert client.get("/healthz").status_code == 503


def test_live_clients_get_the_state_and_then_scores_and_events(running, faulty):
    found = samples(faulty[0])
    with running.client.websocket_connect("/live/socket", headers=HOST) as socket:
        assert socket.receive_json()["type"] == "snapshot"
        until(lambda: running.view.broadcast.clients)
        seen = []
        for sample in found[:12]:
            running.send([sample])
            while sample is not found[0] and not any(each.get("seq") == sample["seq"] for each in seen):
                seen.append(socket.receive_json())
    kinds = [each["type"] for each in seen]
    assert kinds.count("score") == 11
    assert "event" in kinds
    until(lambda: not running.view.broadcast.clients)


def test_the_page_and_its_files(running):
    page = running.client.get("/")
    assert "static/watch.js" in page.text
    assert "content-security-policy" in page.headers
    assert "drawScores" in running.client.get("/static/watch.js").text
    assert "--paper" in running.client.get("/static/watch.css").text
    assert running.client.get("/static/server.py").status_code == 404
    assert running.client.get("/nothing").status_code == 404
    assert "<script>" not in page.text


def test_the_script_uses_the_modules_of_the_server():
    assert "module_score_chart = " in bundle(
        "watch.js", lambda name: module(name, "offnominal.watch", "offnominal.web")
    )


def test_who_may_use_it(deployment):
    with pytest.raises(InvalidParameter, match="give a token"):
        Access(host="0.0.0.0")
    with Running(deployment, Access(token="secret")) as opened:
        client = opened.client
        for path in ("/state", "/metrics", "/healthz", "/"):
            assert client.get(path).status_code == 401
        assert client.post("/samples", content="{}").status_code == 401
        bearer = {"authorization": "Bearer secret"}
        assert client.get("/metrics", headers=bearer).status_code == 200
        assert client.post("/samples", content="{}", headers=bearer).status_code == 202
        assert client.get("/metrics", headers={"authorization": "Bearer wrong"}).status_code == 401
        assert client.get("/metrics", headers={"authorization": "Basic secret"}).status_code == 401
        other = {**bearer, "origin": "http://evil.example"}
        assert client.post("/threshold", json={"threshold": 0}, headers=other).status_code == 403
        assert client.get("/state", headers={**bearer, "host": "evil.example"}).status_code == 421
        large = client.post("/samples", content=b"x" * (2**20 + 1), headers=bearer)
        assert large.status_code == 413


def test_the_program_serves_without_torch(tmp_path, written, nominal, faulty):
    import httpx
    from websockets.sync.client import connect

    out = tmp_path / "out.jsonl"
    process = start(written, "--port", 0, "--token", "secret", "--out", out, "--checkpoint", tmp_path / "state")
    address = re.search(r"http://127\.0\.0\.1:\d+", process.stderr.readline().decode())[0]
    with httpx.Client(base_url=address, headers={"authorization": "Bearer secret"}, trust_env=False) as client:
        assert client.get("/readyz").status_code == 200
        assert client.get("/").status_code == 200
        assert client.get("/static/watch.js").status_code == 200
        assert client.post("/samples", content=lines(stream([nominal[0], faulty[0]]))).status_code == 202
        until(lambda: [each for each in told(out) if each.get("alarm") == "score"])
        assert "offnominal_samples_total" in client.get("/metrics").text
        header = {"Authorization": "Bearer secret"}
        with connect(f"ws{address[4:]}/samples", additional_headers=header, proxy=None) as robot:
            robot.send(lines(samples(nominal[0], "r2")))
        # Another one goes without a word.
        with connect(f"ws{address[4:]}/samples", additional_headers=header, proxy=None) as gone:
            gone.send(lines(samples(nominal[0], "r3")))
            gone.socket.shutdown(socket.SHUT_RDWR)
        until(lambda: {"r2", "r3"} <= {each["robot"] for each in client.get("/state").json()["robots"]})
    process.terminate()
    assert process.wait(20) == 0
    assert (tmp_path / "state").exists()
    assert "Traceback" not in (said := process.stderr.read().decode()), said


def test_robots_that_wait_for_room_need_no_threads(deployment, nominal):
    opened = Running(deployment)
    opened.service.inbox.capacity = 3
    found = samples(nominal[0])
    with TestClient(opened.app, base_url=LOCAL) as client, ExitStack() as stack:
        sockets = [stack.enter_context(client.websocket_connect("/samples", headers=HOST)) for _ in range(60)]
        for number, socket in enumerate(sockets):
            socket.send_text(lines([{**sample, "robot": f"r{number}"} for sample in found[:5]]))
        until(lambda: len(opened.service.inbox) == 3)
        before = threading.active_count()
        threading.Event().wait(0.2)
        assert threading.active_count() == before
        assert not any("AnyIO worker" in thread.name for thread in threading.enumerate())
        opened.thread.start()
        until(lambda: opened.service.fleet.counts["samples"] == 60 * 5)
        opened.service.inbox.close()
        opened.thread.join(10)
