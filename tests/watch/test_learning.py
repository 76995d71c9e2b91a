"""What an operator tells the alarms: confirmations of adaptive ones, and a recalibration after maintenance."""

import json
import re
import socket
import subprocess
import threading

import httpx
import numpy as np
import pytest

from offnominal.alarms import ACI, ConformalPID, EpisodeMaximum, WindowMaximum
from offnominal.alarms.conformal import TooFewEpisodes
from offnominal.core.errors import DamagedFile, InvalidParameter, InvalidState, UnknownName
from offnominal.watch import Deployment, Fleet, score_record, write_deployment
from offnominal.watch import fleet as fleet_module
from offnominal.watch.checkpoint import read_checkpoint
from offnominal.watch.orders import ORDERS, give_order
from offnominal.watch.score_record import MOST_SCORES, ScoreRecord

from .processes import kill, start, told, until
from .streams import RATE, lines, samples, stream
from .test_http import Running


@pytest.fixture(scope="module")
def confirmed(detector, calibration):
    return ACI(0.1, gamma=0.05, feedback="confirmed", delay=3).fit(detector.score(calibration))


@pytest.fixture(scope="module")
def adaptive(tmp_path_factory, detector, calibration, confirmed):
    folder = tmp_path_factory.mktemp("adaptive") / "point"
    write_deployment(folder, detector, confirmed, calibration, rate=RATE)
    return folder


def ended(episode, **options):
    found = samples(episode, **options)
    found[-1]["end"] = True
    return found


def feed(fleet, found):
    for sample in found:
        fleet.take(json.loads(json.dumps(sample)), 1000.0 + sample["time"])


def feed_all(fleet, episodes):
    n = 0
    for episode in episodes:
        feed(fleet, ended(episode, first=n, begin=10.0 * n))
        n += len(episode) + 1
    return n


def test_confirmed_episodes_are_learned_from_as_by_the_alarm_itself(adaptive, confirmed, detector, nominal, faulty):
    fleet = Fleet(Deployment.load(adaptive))
    given = [nominal[0], faulty[0], nominal[1], faulty[1]]
    said = [True, False, True, True]
    n = 0
    for episode, word in zip(given, said, strict=True):
        feed(fleet, ended(episode, first=n, begin=10.0 * n))
        n += len(episode) + 1
        (event,) = fleet.confirm("r1", word, 5.0)
        assert (event.kind, event.units) == ("confirmed_nominal" if word else "confirmed_faulty", 1)
    expected = confirmed.history([*detector.score(given), np.ones(1)], [*said, True])
    assert fleet.robots["r1"].score_threshold == pytest.approx(expected.thresholds[-1], abs=1e-4)
    assert expected.thresholds[-1] != expected.thresholds[0]
    assert fleet.counts["confirmed"] == 4


def test_only_the_last_units_wait_and_one_that_goes_on_does_not(adaptive, nominal):
    fleet = Fleet(Deployment.load(adaptive))
    n = feed_all(fleet, nominal[:5])
    assert fleet.robots["r1"].waiting == 3
    assert fleet.confirm("r1", True, 5.0)[0].units == 3
    assert fleet.confirm("r1", True, 5.0) == []
    feed(fleet, samples(nominal[5], first=n, begin=10.0 * n)[:-3])
    assert fleet.robots["r1"].waiting == 0


def test_alarms_that_learn_from_no_confirmation_refuse_it(tmp_path, deployment, detector, calibration, nominal):
    fixed = Fleet(deployment)
    feed(fixed, samples(nominal[0]))
    with pytest.raises(InvalidParameter, match="EpisodeMaximum has a fixed threshold"):
        fixed.confirm("r1", True, 5.0)
    alarm = ACI(0.1, feedback="frozen").fit(detector.score(calibration))
    write_deployment(tmp_path / "frozen", detector, alarm, calibration, rate=RATE)
    frozen = Fleet(Deployment.load(tmp_path / "frozen"))
    feed(frozen, samples(nominal[0]))
    with pytest.raises(InvalidParameter, match="feedback='confirmed'"):
        frozen.confirm("r1", True, 5.0)
    for wrong in (None, 1, "yes"):
        with pytest.raises(InvalidParameter, match="true or false"):
            frozen.confirm("r1", wrong, 5.0)
    with pytest.raises(UnknownName):
        frozen.confirm("r9", True, 5.0)


def test_a_recalibration_is_that_of_the_alarm_with_the_scores_since(deployment, alarm, detector, nominal, faulty):
    fleet = Fleet(deployment)
    n = feed_all(fleet, faulty[:2])
    assert [event.kind for event in fleet.begin_recalibration("r1", 900.0)] == ["recalibration_begun"]
    for episode in nominal:
        feed(fleet, ended(episode, first=n, begin=10.0 * n))
        n += len(episode) + 1
    feed(fleet, samples(faulty[3], first=n, begin=10.0 * n)[:6])
    (event,) = fleet.recalibrate("r1", 5000.0)
    # The last one has not ended, so it is left out.
    expected = EpisodeMaximum(0.1).fit(detector.score(nominal))
    assert (event.kind, event.units) == ("recalibrated", len(nominal))
    assert event.threshold == pytest.approx(expected.threshold_, abs=1e-4)
    robot = fleet.robots["r1"]
    assert robot.scorer.own_alarm.recalibrations[-1].since == 900.0
    assert event.threshold != deployment.alarm.threshold_ == fleet.scorer.threshold
    assert robot.scorer.digest != fleet.scorer.digest
    fleet.set_threshold(1e9, 0.0)
    assert robot.scorer.threshold == 1e9
    fleet.set_threshold(None, 0.0)
    assert robot.scorer.threshold == event.threshold
    assert [each.kind for each in fleet.undo_recalibration("r1", 0.0)] == ["recalibration_undone"]
    assert robot.scorer.threshold == deployment.alarm.threshold_
    assert fleet.undo_recalibration("r1", 0.0) == []


def test_other_robots_keep_their_threshold_and_another_folder_replaces_it(folder, detector, calibration, nominal):
    fleet = Fleet(Deployment.load(folder))
    feed(fleet, samples(nominal[0], "r2"))
    feed(fleet, samples(nominal[0]))
    fleet.begin_recalibration("r1", 0.0)
    n = len(nominal[0]) + 1
    for episode in nominal[1:]:
        feed(fleet, samples(episode, first=n, begin=10.0 * n))
        n += len(episode) + 1
    fleet.recalibrate("r1", 0.0)
    assert fleet.robots["r1"].scorer.own_alarm is not None
    assert fleet.robots["r2"].scorer is fleet.scorer
    fleet.change(Deployment.load(folder), 0.0)
    assert fleet.robots["r1"].scorer.own_alarm is not None
    write_deployment(
        folder, detector, EpisodeMaximum(0.5).fit(detector.score(calibration)), calibration, overwrite=True
    )
    fleet.change(Deployment.load(folder), 0.0)
    assert fleet.robots["r1"].scorer.own_alarm is None


def test_windows_of_an_endless_stream_are_recalibrated(tmp_path, detector, calibration, nominal):
    alarm = WindowMaximum(0.1, window=5).fit(detector.score(calibration))
    write_deployment(tmp_path / "windows", detector, alarm, calibration, rate=RATE)
    fleet = Fleet(Deployment.load(tmp_path / "windows"))
    found = [{**each, "start": False} for each in stream(nominal)]
    feed(fleet, found[:10])
    fleet.begin_recalibration("r1", 0.0)
    scores = []
    for sample in found[10:]:
        feed(fleet, [sample])
        scores.append(fleet.robots["r1"].score)
    (event,) = fleet.recalibrate("r1", 0.0)
    assert event.threshold == WindowMaximum(0.1, window=5).fit([np.array(scores)]).threshold_


def test_too_few_episodes_are_refused_and_can_be_tried_again(deployment, nominal):
    fleet = Fleet(deployment)
    feed(fleet, samples(nominal[0]))
    with pytest.raises(InvalidState, match="begin one"):
        fleet.recalibrate("r1", 0.0)
    fleet.begin_recalibration("r1", 0.0)
    n = 100
    for episode in nominal[:5]:
        feed(fleet, samples(episode, first=n, begin=10.0 * n))
        n += 100
    with pytest.raises(TooFewEpisodes, match="too few"):
        fleet.recalibrate("r1", 0.0)
    assert fleet.robots["r1"].record is not None
    assert fleet.robots["r1"].scorer is fleet.scorer


@pytest.mark.parametrize("way", ["recalibration", "loss"])
def test_an_adaptive_alarm_goes_on_after_an_episode_without_a_score(
    tmp_path, detector, calibration, nominal, faulty, way
):
    alarm = ConformalPID(0.1).fit(detector.score(calibration))
    write_deployment(tmp_path / "pid", detector, alarm, calibration, rate=RATE)
    fleet = Fleet(Deployment.load(tmp_path / "pid"))
    feed(fleet, samples(nominal[0]))
    n = 1000
    if way == "recalibration":
        fleet.begin_recalibration("r1", 0.0)
        for episode in nominal:
            feed(fleet, samples(episode, first=n, begin=10.0 * n))
            n += 100
        fleet.recalibrate("r1", 0.0)
    else:
        feed(fleet, [each for each in samples(nominal[1], first=n, begin=10.0 * n) if each["seq"] in (n, n + 3)])
        n += 100
    raised = set()
    for sample in samples(faulty[0], first=n, begin=10.0 * n):
        raised |= {event.alarm for event in fleet.take(sample, 0.0) if event.kind == "raised"}
    assert fleet.robots["r1"].score_threshold is not None
    assert "score" in raised


@pytest.mark.parametrize("order", ["undo", "begin", "model"])
def test_a_fit_of_other_scores_is_refused(folder, detector, calibration, nominal, order):
    fleet = Fleet(Deployment.load(folder))
    feed(fleet, samples(nominal[0]))
    fleet.begin_recalibration("r1", 0.0)
    n = 100
    for episode in nominal:
        feed(fleet, ended(episode, first=n, begin=10.0 * n))
        n += 100
    alarm = fleet.recalibration("r1")()
    if order == "undo":
        fleet.undo_recalibration("r1", 1.0)
    elif order == "begin":
        fleet.begin_recalibration("r1", 1.0)
    else:
        other = EpisodeMaximum(0.5).fit(detector.score(calibration))
        write_deployment(folder, detector, other, calibration, overwrite=True)
        fleet.change(Deployment.load(folder), 1.0)
    with pytest.raises(InvalidState, match="meanwhile"):
        fleet.use_alarm("r1", alarm, 2.0)
    assert fleet.robots["r1"].scorer.own_alarm is None


def test_the_record_is_bounded_and_leaves_out_invalid_readings(deployment, nominal):
    record = ScoreRecord(0.0)
    for number in range(MOST_SCORES + 5):
        record.add(float(number), 0.0)
    assert (len(record), record.full) == (MOST_SCORES, True)
    fleet = Fleet(deployment)
    feed(fleet, samples(nominal[0])[:3])
    fleet.begin_recalibration("r1", 0.0)
    broken = samples(nominal[0])[3:8]
    broken[2]["observation"][0] = None
    feed(fleet, broken)
    # Two windows of three steps have the reading.
    assert 0 < len(fleet.robots["r1"].record) < 5
    assert max(fleet.robots["r1"].record.episodes(whole=False)[0][0]) < 1e30


def test_a_full_record_does_not_grow_and_leaves_out_the_episode_that_it_cuts(monkeypatch):
    monkeypatch.setattr(score_record, "MOST_SCORES", 25)
    record, sizes = ScoreRecord(0.0), set()
    for episode in range(9):
        record.next_episode()
        for step in range(10):
            record.add(float(step), float(episode))
        if episode > 2:
            sizes.add(len(json.dumps(record.to_dict())))
    assert [len(each) for each in record.episodes(whole=True)[0]] == [10, 10]
    assert [len(each) for each in record.episodes(whole=False)[0]] == [10, 10, 5]
    assert record.episodes(whole=True)[1] == [0.0, 1.0]
    assert len(sizes) == 1


def test_the_scores_of_all_robots_are_bounded(deployment, nominal, monkeypatch):
    monkeypatch.setattr(fleet_module, "MOST_OF_ALL", 20)
    fleet = Fleet(deployment)
    for name in ("r1", "r2", "r3"):
        feed(fleet, samples(nominal[0], name)[:2])
    fleet.begin_recalibration("r1", 0.0)
    fleet.begin_recalibration("r2", 0.0)
    for episode in range(1, 4):
        for name in ("r1", "r2"):
            feed(fleet, samples(nominal[episode], name, first=100 * episode, begin=10.0 * episode))
    one, two = fleet.robots["r1"].record, fleet.robots["r2"].record
    assert (len(one) + len(two), one.full, two.full) == (20, True, True)
    with pytest.raises(InvalidState, match="undo_recalibration"):
        fleet.begin_recalibration("r3", 0.0)
    fleet.undo_recalibration("r1", 0.0)
    fleet.begin_recalibration("r3", 0.0)


@pytest.mark.parametrize("place", ["starts", "scores", "alarm"])
def test_a_damaged_record_or_alarm_is_named(deployment, nominal, place):
    fleet = Fleet(deployment)
    feed(fleet, samples(nominal[0]))
    fleet.begin_recalibration("r1", 0.0)
    state = json.loads(json.dumps(fleet.to_dict()))
    robot = state["robots"]["r1"]
    if place == "alarm":
        robot["alarm"] = {"format": 1}
    else:
        robot["record"][place] = [5, 3] if place == "starts" else "x"
    with pytest.raises(DamagedFile):
        Fleet(deployment).restore(state, 0.0)


def test_checkpoints_of_before_are_read(tmp_path, deployment, nominal):
    fleet = Fleet(deployment)
    feed(fleet, samples(nominal[0])[:5])
    state = json.loads(json.dumps(fleet.to_dict()))
    for name in ("alarm", "record"):
        del state["robots"]["r1"][name]
    again = Fleet(deployment)
    again.restore(state, 0.0)
    for each in (fleet, again):
        feed(each, samples(nominal[0])[5:])
    assert again.robots["r1"].score == fleet.robots["r1"].score


def kinds(answer):
    assert answer.status_code == 200, answer.text
    return [event["kind"] for event in answer.json()["events"]]


@pytest.mark.long
def test_orders_by_http(adaptive, nominal):
    with Running(Deployment.load(adaptive)) as opened:
        opened.send(ended(nominal[0]))
        (robot,) = opened.client.get("/state").json()["robots"]
        assert robot["waiting"] == 1
        assert kinds(opened.client.post("/confirm", json={"robot": "r1", "nominal": True})) == ["confirmed_nominal"]
        assert kinds(opened.client.post("/confirm", json={"robot": "r1", "nominal": True})) == []
        assert kinds(opened.client.post("/recalibration/begin", json={"robot": "r1"})) == ["recalibration_begun"]
        n = 1000
        for episode in nominal:
            opened.send(ended(episode, first=n, begin=10.0 * n))
            n += 100
        record = opened.client.get("/state").json()["robots"][0]["record"]
        assert record["episodes"] == len(nominal)
        assert kinds(opened.client.post("/recalibration/use", json={"robot": "r1"})) == ["recalibrated"]
        (robot,) = opened.client.get("/state").json()["robots"]
        assert "long run" in robot["recalibrated"]
        assert "offnominal_confirmed_total 1" in opened.client.get("/metrics").text
        assert kinds(opened.client.post("/recalibration/undo", json={"robot": "r1"})) == ["recalibration_undone"]
        wrong = [
            ("/confirm", {"robot": "r1"}, 400),
            ("/confirm", {"robot": "r9", "nominal": True}, 404),
            ("/recalibration/use", {"robot": "r1"}, 400),
            ("/recalibration/begin", {}, 400),
            ("/recalibration/nothing", {"robot": "r1"}, 404),
        ]
        for path, data, status in wrong:
            answer = opened.client.post(path, json=data)
            assert (answer.status_code, bool(answer.json()["error"])) == (status, True), path


def launched(*words):
    process = start(*words)
    return process, re.search(r"http://127\.0\.0\.1:\d+", process.stderr.readline().decode())[0]


@pytest.mark.long
def test_after_kills_what_was_learned_and_recorded_is_the_same(tmp_path, adaptive, nominal):
    """Each order is followed by a kill; scores, statistics and thresholds are those of a run without kills."""
    expected = Fleet(Deployment.load(adaptive))
    out, statistics, n = tmp_path / "out.jsonl", [], 0
    words = [adaptive, "--port", 0, "--token", "secret", "--out", out, "--scores"]
    words += ["--checkpoint", tmp_path / "state", "--checkpoint-every", 3600.0]
    process, address = launched(*words)
    orders = {0: "nominal", 1: "begin-recalibration", 20: "recalibrate", 21: "faulty"}
    with httpx.Client(headers={"authorization": "Bearer secret"}, trust_env=False) as client:
        for number, episode in enumerate([*nominal, *nominal[:3]]):
            found = ended(episode, first=n, begin=10.0 * n)
            n += len(found)
            for sample in found:
                expected.take(json.loads(json.dumps(sample)), 0.0)
                if expected.robots["r1"].statistic is not None:
                    statistics.append((sample["seq"], expected.robots["r1"].statistic))
            client.post(f"{address}/samples", content=lines(found))
            until(lambda: len([each for each in told(out) if each["type"] == "score"]) == len(statistics))
            if number in orders:
                order = orders[number]
                give_order(address, order, {"robot": "r1"}, token="secret")
                if order in ("nominal", "faulty"):
                    expected.confirm("r1", order == "nominal", 0.0)
                elif order == "recalibrate":
                    expected.recalibrate("r1", 0.0)
                else:
                    expected.begin_recalibration("r1", 0.0)
                kill(process)
                process, address = launched(*words)
    found = [(each["seq"], each["statistic"]) for each in told(out) if each["type"] == "score"]
    assert found == statistics
    process.terminate()
    assert process.wait(20) == 0
    state = read_checkpoint(tmp_path / "state")[0]["robots"]["r1"]
    assert state["alarm"]["learned"] == expected.robots["r1"].scorer.own_alarm.to_dict()["learned"]


@pytest.mark.long
def test_orders_from_the_command_line(tmp_path, adaptive, nominal):
    from .processes import command

    process, address = launched(adaptive, "--port", 0, "--token", "secret", "--out", tmp_path / "out.jsonl")
    httpx.post(f"{address}/samples", content=lines(ended(nominal[0])), headers={"authorization": "Bearer secret"})
    until(lambda: process.poll() is None and len(told(tmp_path / "out.jsonl")) > 0)

    def operate(*words, token="secret"):
        full = command(*words)
        full[full.index("watch")] = "operate"
        done = subprocess.run([*full, "--at", address, "--token", token], capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    code, said = operate("nominal", "r1")
    assert (code, "r1: confirmed nominal, 1 units, threshold of the score" in said) == (0, True), said
    assert operate("nominal", "r1") == (0, "Nothing changes.\n")
    for words, token, message in (
        (("nominal", "r9"), "secret", "no robot 'r9'"),
        (("recalibrate", "r1"), "secret", "no recalibration of r1"),
        (("nominal", "r1"), "wrong", "refused"),
        (("dance", "r1"), "secret", "expected one of 'acknowledge'"),
    ):
        code, said = operate(*words, token=token)
        assert (code, message in said, "Traceback" in said) == (2, True, False), said
    process.terminate()
    process.wait(20)
    assert operate("nominal", "r1")[0] == 2


def test_every_order_has_a_route(deployment, nominal):
    with Running(deployment) as opened:
        opened.send(samples(nominal[0]))
        for path, also in ORDERS.values():
            answer = opened.client.post(f"/{path}", json={"robot": "r1", "alarm": "score", **also})
            assert answer.status_code in (200, 400), path
            assert "Not Found" not in answer.text


def test_addresses_are_checked():
    with pytest.raises(InvalidParameter, match="expected an address"):
        give_order("ftp://x", "nominal", {})
    with pytest.raises(InvalidParameter, match="is no address"):
        give_order("http://[::1", "nominal", {})
    with pytest.raises(InvalidState, match="did not answer"):
        give_order("http://127.0.0.1:80a", "nominal", {})


ANSWERS = {
    "other": (b"SSH-2.0-OpenSSH_9.6\r\n", "did not answer"),
    "cut": (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{", "did not answer"),
    "cut refusal": (b"HTTP/1.1 400 Bad\r\nContent-Length: 99\r\n\r\n{", "status 400"),
    "whole": (b'HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{"events": []}', ""),
}


@pytest.mark.parametrize("kind", ANSWERS)
def test_answers_that_are_none_are_named_and_no_proxy_gets_the_token(monkeypatch, kind):
    answer, message = ANSWERS[kind]
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    got = []

    def serve():
        connection, _ = server.accept()
        with connection:
            given = b""
            while not given.endswith(b"}"):
                given += connection.recv(10_000)
            got.append(given)
            connection.sendall(answer)

    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(10)
        thread = threading.Thread(target=serve)
        thread.start()
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        if message:
            with pytest.raises(InvalidState, match=message):
                give_order(address, "nominal", {"robot": "r1"}, token="secret")
        else:
            assert give_order(address, "nominal", {"robot": "r1"}, token="secret") == []
        thread.join(10)
    assert b"Bearer secret" in got[0]
