"""`offnominal watch` as a process: lines in, lines out, kills, signals, files that grow, webhooks; torch is refused."""

import json
import shutil
import signal
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import pairwise

import numpy as np
import pytest

from offnominal.alarms import EpisodeMaximum
from offnominal.core.errors import DamagedFile, InvalidParameter
from offnominal.watch import Fleet, write_deployment
from offnominal.watch.checkpoint import read_checkpoint
from offnominal.watch.inbox import Arrived, Inbox
from offnominal.watch.line_source import LONGEST_LINE, LineSource
from offnominal.watch.outbox import Outbox
from offnominal.watch.service import Service
from offnominal.watch.webhook import Webhook

from .processes import kill, run, start, told, until
from .streams import interleaved, lines, stream

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def found(nominal, faulty):
    return interleaved([stream([nominal[n], faulty[n], nominal[n + 1]], f"r{n}", begin=0.001 * n) for n in range(4)])


@pytest.fixture
def rules(tmp_path):
    path = tmp_path / "rules.toml"
    path.write_text("[stale]\nenabled = false\n")
    return path


def of_robots(records):
    """Return events by id, without the time of arrival."""
    plain = [{k: v for k, v in each.items() if k not in ("received", "wall")} for each in records]
    return {each["id"]: each for each in plain if each["type"] == "event" and "robot" in each}


def scores(records):
    return {(each["robot"], each["seq"]): each for each in records if each["type"] == "score"}


def test_lines_in_lines_out(written, deployment, found, rules):
    code, records, errors = run(written, "--scores", "--rules", rules, given=lines(found))
    assert code == 0
    assert records[0]["type"] == "started"
    assert records[0]["model"] == deployment.manifest.model_digest
    fleet = Fleet(deployment)
    expected = [event for sample in found for event in fleet.take(sample, 0.0) if event.robot]
    assert list(of_robots(records)) == [event.id for event in expected]
    assert len(scores(records)) == fleet.counts["scored"]
    assert f"{len(found):,} samples of 4 robots" in errors


def test_poisoned_lines_are_counted_and_told(written, found):
    text = lines(found[:50])
    poison = 'nonsense\n{"robot": 1}\n[1, 2]\n\n' + "[" * 100_000 + "\n" + "x" * (LONGEST_LINE + 100) + "\n"
    code, records, errors = run(written, given=poison + text + '{"robot": "r1"')
    assert code == 0
    assert "WARNING: refused a sample" in errors
    assert "50 samples of 4 robots" in errors
    assert records[0]["robots"] == {}


@pytest.mark.parametrize("seed", [0])
def test_after_kills_scores_and_alarms_are_identical(tmp_path, written, found, rules, seed):
    """The process is killed at random times; every score and every event is that of a run without kills."""
    expected = run(written, "--scores", "--rules", rules, given=lines(found))[1]
    rng = np.random.default_rng(seed)
    source, out = tmp_path / "samples.jsonl", tmp_path / "out.jsonl"
    words = ["--input", source, "--follow", "--out", out, "--scores", "--rules", rules]
    words += ["--checkpoint", tmp_path / "state", "--checkpoint-every", 0.05]
    source.write_text("")
    places = [0, *np.sort(rng.choice(np.arange(1, len(found)), 3, replace=False)).tolist(), len(found)]
    for number, (begin, end) in enumerate(pairwise(places)):
        process = start(written, *words)
        until(lambda n=number: sum(each["type"] == "started" for each in told(out)) == n + 1)
        with source.open("a") as file:
            file.write(lines(found[begin:end]))
        if number < 3:
            until(lambda n=begin + 1: sum(each["type"] == "score" for each in told(out)) > n // 2)
            if number == 1:
                until((tmp_path / "state").exists)
            # Some kills come between the events and the checkpoint that has their state, some after it.
            threading.Event().wait(float(rng.random() * 0.1))
            kill(process)
    until(lambda: len(scores(told(out))) == len(scores(expected)))
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 0
    records = told(out)
    assert scores(records) == scores(expected)
    assert of_robots(records) == of_robots(expected)
    assert [each for each in records if each["type"] == "started" and each["resumed"]]


def test_sigterm_ends_after_what_has_arrived(tmp_path, written, found):
    out = tmp_path / "out.jsonl"
    process = start(written, "--out", out, "--scores", "--checkpoint", tmp_path / "state")
    process.stdin.write(lines(found[:100]).encode())
    process.stdin.flush()
    until(lambda: scores(told(out)))
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 0
    fleet, waiting = read_checkpoint(tmp_path / "state")
    assert sum(fleet["counts"].values()) > 0
    assert waiting == []
    process.stdin.close()


def test_sighup_changes_the_model_and_a_damaged_folder_changes_nothing(
    tmp_path, folder, detector, calibration, found, nominal
):
    out = tmp_path / "out.jsonl"
    process = start(folder, "--out", out, "--scores")
    process.stdin.write(lines(found[:50]).encode())
    process.stdin.flush()
    until(lambda: scores(told(out)))
    shutil.copy(folder / "checks.json", folder / "alarm.json")
    process.send_signal(signal.SIGHUP)
    assert b"the folder was not changed" in process.stderr.readline()
    strict = EpisodeMaximum(0.5).fit(detector.score(calibration))
    manifest = write_deployment(folder, detector, strict, calibration, rate=50.0, overwrite=True)
    process.send_signal(signal.SIGHUP)
    (changed,) = until(lambda: [each for each in told(out) if each.get("kind") == "model_changed"])
    assert (changed["model"], changed["threshold"]) == (manifest.model_digest, strict.threshold_)
    process.stdin.write(lines(found[50:100]).encode())
    process.stdin.close()
    assert process.wait(20) == 0
    last = [each for each in told(out) if each["type"] == "score"][-1]
    assert last["threshold"] == strict.threshold_
    # The scores are those of an uninterrupted detector: the state was kept.
    expected = {}
    for each in run(folder, "--scores", given=lines(found[:100]))[1]:
        if each["type"] == "score":
            expected[each["robot"], each["seq"]] = each["score"]
    assert {key: each["score"] for key, each in scores(told(out)).items()} == expected


def test_wrong_options_are_one_line(tmp_path, written):
    (tmp_path / "state").write_text("no checkpoint")
    wrong = [
        ([tmp_path], "MissingFile"),
        ([written, "--follow"], "InvalidParameter"),
        ([written, "--input", tmp_path / "none"], "MissingFile"),
        ([written, "--checkpoint", tmp_path / "state"], "DamagedFile"),
        ([written, "--webhook", "ftp://x"], "InvalidParameter"),
    ]
    for words, name in wrong:
        code, _, errors = run(*words)
        assert (code, name in errors, "Traceback" in errors) == (2, True, False), errors


def test_a_checkpoint_of_another_model_is_refused(tmp_path, written, deployment, detector, calibration, found):
    assert run(written, "--checkpoint", tmp_path / "state", given=lines(found[:20]))[0] == 0
    other = EpisodeMaximum(0.3).fit(detector.score(calibration))
    write_deployment(tmp_path / "other", detector, other, calibration, rate=50.0)
    code, _, errors = run(tmp_path / "other", "--checkpoint", tmp_path / "state")
    assert code == 2
    assert "the state is that of model" in errors


def collected(inbox, n):
    arrived = []

    def enough():
        arrived.extend(inbox.take(0.05)[0])
        return len(arrived) >= n

    until(enough)
    return [each.data for each in arrived]


def test_a_file_is_followed_through_rotation_and_cutting(tmp_path):
    path, inbox = tmp_path / "log", Inbox()
    path.write_bytes(b"1\n2")
    LineSource(inbox, path, follow=True).start()
    assert collected(inbox, 1) == [b"1"]
    with path.open("ab") as file:
        file.write(b"2\n")
    assert collected(inbox, 1) == [b"22"]
    path.rename(tmp_path / "log.1")
    path.write_bytes(b"3\n")
    assert collected(inbox, 1) == [b"3"]
    path.write_bytes(b"")
    until(lambda: path.stat().st_size == 0)
    threading.Event().wait(0.2)
    path.write_bytes(b"4\n")
    assert collected(inbox, 1) == [b"4"]
    inbox.close()


def test_a_full_inbox_waits_refuses_or_drops():
    inbox = Inbox(capacity=3)
    arrived = [Arrived(str(number), 0.0) for number in range(10)]
    done = []
    writer = threading.Thread(target=lambda: done.append(inbox.put(arrived)))
    writer.start()
    seen = []
    while len(seen) < 10:
        assert len(inbox) <= 3
        seen += inbox.take(1.0, most=1)[0]
    writer.join(5)
    assert (seen, done) == (arrived, [True])
    assert inbox.offer(arrived[:3])
    assert not inbox.offer(arrived[:1])
    inbox.push(arrived[5:7])
    assert inbox.dropped == 2
    assert [each.data for each in inbox.take(0.0)[0]] == ["2", "5", "6"]
    inbox.put(arrived[:3])
    closed = threading.Thread(target=lambda: done.append(inbox.put(arrived)))
    closed.start()
    inbox.close()
    closed.join(5)
    assert done[-1] is False
    assert len(inbox.take(0.0)[0]) == 3


def test_calls_run_between_samples_and_return_results_and_errors(deployment):
    service = Service(Fleet(deployment), Inbox())
    thread = threading.Thread(target=service.run)
    thread.start()
    (event,) = service.inbox.call(lambda: service.do(lambda fleet, now: fleet.set_threshold(2.0, now))).result(10)
    assert event.threshold == 2.0
    with pytest.raises(InvalidParameter):
        service.inbox.call(lambda: service.do(lambda fleet, now: fleet.set_threshold(float("nan"), now))).result(10)
    service.inbox.close()
    thread.join(10)
    assert not service.ready


class ReceiverServer(HTTPServer):
    """What a receiver answers, and what it has seen."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Receiver)
        self.statuses: list[int] = []
        self.seen: list[tuple[int, str, str | None, str | None]] = []
        self.events: list[dict] = []


class Receiver(BaseHTTPRequestHandler):
    """Answers with the next status, and keeps what was accepted."""

    server: ReceiverServer

    def do_POST(self):
        event = json.loads(self.rfile.read(int(self.headers["content-length"])))
        status = self.server.statuses.pop(0) if self.server.statuses else 204
        self.server.seen.append((status, event["id"], self.headers["content-type"], self.headers["authorization"]))
        self.server.events += [event] if status < 300 else []
        self.send_response(status)
        self.end_headers()

    def log_message(self, *arguments):
        pass


@pytest.fixture
def receiver():
    server = ReceiverServer()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_webhook_gets_every_event_as_a_cloud_event(tmp_path, written, found, receiver, rules):
    url = f"http://127.0.0.1:{receiver.server_port}/alarms"
    words = ["--webhook", url, "--webhook-token", "secret", "--rules", rules]
    code, records, _ = run(written, *words, given=lines(found))
    assert code == 0
    told_ids = [each["id"] for each in records if each["type"] == "event"]
    assert [event["id"] for event in receiver.events] == told_ids
    first = receiver.events[0]
    assert {name: first[name] for name in ("specversion", "source", "type", "subject")} == {
        "specversion": "1.0",
        "source": "/offnominal/point",
        "type": "io.offnominal.alarm.raised",
        "subject": f"{first['data']['robot']}/{first['data']['alarm']}",
    }
    assert receiver.seen[0][2:] == ("application/cloudevents+json; charset=utf-8", "Bearer secret")


def test_a_webhook_tries_again_and_gives_up_only_what_will_not_change(receiver):
    receiver.statuses = [500, 429, 204, 410, 204]
    outbox = Outbox()
    hook = Webhook(f"http://127.0.0.1:{receiver.server_port}", outbox, source="/s")
    outbox.add([{"id": name} for name in "abc"])
    until(lambda: not len(outbox))
    hook.close()
    assert [(status, id) for status, id, *_ in receiver.seen] == [
        (500, "a"),
        (429, "a"),
        (204, "a"),
        (410, "b"),
        (204, "c"),
    ]


def test_events_that_no_receiver_confirmed_are_in_the_checkpoint(tmp_path, written, found, receiver, rules):
    port = receiver.server_port
    words = ["--checkpoint", tmp_path / "state", "--rules", rules]
    code, records, errors = run(written, *words, "--webhook", "http://127.0.0.1:9/", given=lines(found))
    assert code == 0
    assert "the webhook failed" in errors
    ids = [each["id"] for each in records if each["type"] == "event"]
    assert [each["id"] for each in read_checkpoint(tmp_path / "state")[1]] == ids
    assert run(written, *words, "--webhook", f"http://127.0.0.1:{port}/", given="")[0] == 0
    assert [event["id"] for event in receiver.events] == ids
    assert read_checkpoint(tmp_path / "state")[1] == []


def test_damaged_checkpoints_are_refused(tmp_path, deployment, found):
    service = Service(Fleet(deployment), Inbox(), checkpoint=tmp_path / "state")
    service.process([Arrived(each, 0.0) for each in found[:20]])
    service.save()
    content = (tmp_path / "state").read_text()
    for damaged in (content[:-30], content.replace('"last"', '"lost"', 1), "", "{}"):
        (tmp_path / "state").write_text(damaged)
        with pytest.raises(DamagedFile):
            Service(Fleet(deployment), Inbox(), checkpoint=tmp_path / "state").resume()
