"""MCAP files as input: written by another process, cut by kills, rotated, damaged; the same samples as the import."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import offnominal as off
from offnominal.alarms import EpisodeMaximum
from offnominal.core.errors import MissingFile
from offnominal.detectors import make_detector
from offnominal.watch import Deployment, Fleet, mcap_source, write_deployment
from offnominal.watch.inbox import Inbox
from offnominal.watch.mcap_source import McapSource
from offnominal.watch.topic_samples import TopicSamples

from .processes import kill, start, told, until

mcap = pytest.importorskip("mcap.writer")
pytestmark = pytest.mark.long

RATE, STEPS = 50, 40


def motion(rng):
    phase = np.linspace(0, np.pi, STEPS) + rng.normal(0, 0.05)
    position = np.stack([np.sin(phase), np.cos(phase)], axis=1)
    return position + 0.01 * rng.normal(size=position.shape), 0.3 * position[:, :1] + 0.01 * rng.normal(size=(STEPS, 1))


def written_to(path, cycles, *, begin=0, seed=0, finish=True, **options):
    """Write cycles of two topics with JSON messages; the motor has a message more at each step."""
    rng = np.random.default_rng(seed)
    with path.open("wb") as file:
        writer = mcap.Writer(file, **options)
        writer.start()
        schema = writer.register_schema("S", "jsonschema", b"{}")
        joints, motor = (writer.register_channel(name, "json", schema) for name in ("/joints", "/motor"))
        for cycle in range(begin, begin + cycles):
            for step, (position, current) in enumerate(zip(*motion(rng), strict=True)):
                stamp = round((3 * cycle + step / RATE) * 1e9) + 10**18
                add(writer, motor, stamp - 3_000_000, {"current": current[0]})
                add(writer, motor, stamp - 1_000_000, {"current": current[0] + 0.001})
                add(writer, joints, stamp, {"position": position.tolist(), "header": {"seq": 5}, "name": "arm"})
        if finish:
            writer.finish()
    return path


def add(writer, channel, stamp, message):
    writer.add_message(channel, stamp, json.dumps(message).encode(), stamp)


@pytest.fixture(scope="module")
def bag(tmp_path_factory):
    return written_to(tmp_path_factory.mktemp("bags") / "arm.mcap", 50)


@pytest.fixture(scope="module")
def arm(tmp_path_factory, bag):
    episodes = off.episodes_from(bag)
    detector = make_detector("Mahalanobis").fit(episodes[:20])
    alarm = EpisodeMaximum(0.1).fit(detector.score(episodes[20:]))
    folder = tmp_path_factory.mktemp("arms") / "arm"
    write_deployment(folder, detector, alarm, episodes[20:], observations=episodes.channels["observations"])
    return folder


def collected(path, arm, **options):
    """Return the samples of a source that does not follow."""
    inbox, done = Inbox(), threading.Event()
    McapSource(inbox, path, Deployment.load(arm), on_end=done.set, **options).start()
    found = []
    while not (done.is_set() and not len(inbox)):
        found += [each.data for each in inbox.take(0.05)[0]]
    return found


@pytest.mark.parametrize("options", [{}, {"chunk_size": 500}, {"use_chunking": False}], ids=str)
def test_samples_are_the_rows_of_the_import(tmp_path, arm, options):
    path = written_to(tmp_path / "new.mcap", 3, seed=1, **options)
    found = collected(path, arm, robot="arm-1")
    episodes = off.episodes_from(path)
    expected = np.concatenate([episode.observations for episode in episodes])
    np.testing.assert_array_equal([sample["observation"] for sample in found], expected)
    assert [sample["seq"] for sample in found] == list(range(3 * STEPS))
    assert [sample["seq"] for sample in found if sample.get("start")] == [0, STEPS, 2 * STEPS]
    assert {sample["robot"] for sample in found} == {"arm-1"}


def test_topics_of_equal_rate_are_paired_otherwise_than_by_the_import(tmp_path, arm):
    """As the guide says: the import takes the last message of the other topic, the monitor waits for its next one."""
    path = tmp_path / "equal.mcap"
    with path.open("wb") as file:
        writer = mcap.Writer(file)
        writer.start()
        schema = writer.register_schema("S", "jsonschema", b"{}")
        joints, motor = (writer.register_channel(name, "json", schema) for name in ("/joints", "/motor"))
        for step in range(30):
            stamp = 10**18 + step * 20_000_000
            add(writer, joints, stamp, {"position": [step, step**2 % 7]})
            add(writer, motor, stamp + 5_000_000, {"current": step})
        writer.finish()
    names = Deployment.load(arm).manifest.observations
    found = pairs(names, [sample["observation"] for sample in collected(path, arm)])
    episodes = off.episodes_from(path)
    imported = pairs(episodes.channels["observations"], episodes[0].observations.tolist())
    assert found == [(step, step) for step in range(30)]
    assert imported == [(step, step - 1) for step in range(1, 30)]


def pairs(names, rows):
    """Return the readings of a joint and of the motor."""
    joint, current = names.index("/joints.position.0"), names.index("/motor.current")
    return [(row[joint], row[current]) for row in rows]


def test_a_compressed_bag_of_ros_2_is_read(tmp_path):
    ros2 = pytest.importorskip("mcap_ros2.writer")

    def write(path, cycles, seed):
        rng = np.random.default_rng(seed)
        with path.open("wb") as file:
            writer = ros2.Writer(file)
            kind = writer.register_msgdef("arm_msgs/msg/Joints", "float64[2] position\n")
            for cycle in range(cycles):
                for step, position in enumerate(motion(rng)[0].tolist()):
                    stamp = round((3 * cycle + step / RATE) * 1e9) + 10**18
                    writer.write_message("/joints", kind, {"position": position}, stamp, stamp)
            writer.finish()
        return path

    episodes = off.episodes_from(write(tmp_path / "a.mcap", 30, 0))
    detector = make_detector("Mahalanobis").fit(episodes[:10])
    alarm = EpisodeMaximum(0.1).fit(detector.score(episodes[10:]))
    names = episodes.channels["observations"]
    write_deployment(tmp_path / "arm", detector, alarm, episodes[10:], observations=names)
    path = write(tmp_path / "b.mcap", 2, 1)
    expected = np.concatenate([episode.observations for episode in off.episodes_from(path)])
    found = collected(path, tmp_path / "arm")
    np.testing.assert_array_equal([sample["observation"] for sample in found], expected)


WRITER = """
import json, sys, time
from pathlib import Path
sys.path[:0] = sys.argv[3:]
from mcap.writer import Writer
rows, pause = json.loads(Path(sys.argv[2]).read_text())
with open(sys.argv[1], "wb", buffering=0) as file:
    writer = Writer(file, chunk_size=300)
    writer.start()
    schema = writer.register_schema("S", "jsonschema", b"{}")
    channels = {}
    for topic, stamp, message in rows:
        if topic not in channels:
            channels[topic] = writer.register_channel(topic, "json", schema)
        writer.add_message(channels[topic], stamp, json.dumps(message).encode(), stamp)
        time.sleep(pause)
    print("written", flush=True)
    time.sleep(60)
"""


def rows(cycles, begin, seed=0):
    rng, found = np.random.default_rng(seed), []
    for cycle in range(begin, begin + cycles):
        for step, (position, current) in enumerate(zip(*motion(rng), strict=True)):
            stamp = round((3 * cycle + step / RATE) * 1e9) + 10**18
            found.append(("/motor", stamp - 1_000_000, {"current": current[0]}))
            found.append(("/joints", stamp, {"position": position.tolist()}))
    return found


def recorder(tmp_path, path, found, pause=0.0):
    """Start a process that writes messages, and never ends the file."""
    given = tmp_path / "rows.json"
    given.write_text(json.dumps([found, pause]))
    words = [sys.executable, "-c", WRITER, path, given, *sys.path]
    return subprocess.Popen(words, stdout=subprocess.PIPE)


def score_lines(out):
    return [each for each in told(out) if each["type"] == "score"]


def test_a_file_that_another_process_writes_is_followed_through_kills_of_both(tmp_path, arm):
    path, out = tmp_path / "live.mcap", tmp_path / "out.jsonl"
    words = [arm, "--input", path, "--follow", "--robot", "arm-1", "--out", out, "--scores"]
    words += ["--checkpoint", tmp_path / "state", "--checkpoint-every", 0.05]
    writing = recorder(tmp_path, path, rows(4, 0), pause=0.002)
    until(path.exists)
    monitor = start(*words)
    until(lambda: len(score_lines(out)) > 30)
    kill(monitor)
    monitor = start(*words)
    assert writing.stdout.readline() == b"written\n"
    # The last chunk never comes: the writer is killed, and a torn record is left.
    kill(writing)
    with path.open("ab") as file:
        file.write(b"\x06\x00\x10\x00")
    whole = collected(path, arm, robot="arm-1")
    assert STEPS * 3 < len(whole) < STEPS * 4
    until(lambda: {each["seq"] for each in score_lines(out)} >= {sample["seq"] for sample in whole[1:]} - starts(whole))
    # The writer starts again and writes the file anew: another session.
    writing = recorder(tmp_path, path, rows(2, 100, seed=1))
    assert writing.stdout.readline() == b"written\n"
    again = until(lambda: [each for each in told(out) if each.get("time", 0.0) > 1e9 + 299.0])
    assert again[0]["robot"] == "arm-1"
    monitor.send_signal(signal.SIGTERM)
    assert monitor.wait(20) == 0
    kill(writing)
    fleet, expected = Fleet(Deployment.load(arm)), {}
    for sample in whole:
        fleet.take(sample, 0.0)
        if fleet.robots["arm-1"].score is not None:
            expected[sample["time"]] = fleet.robots["arm-1"].score
    scores = {each["time"]: each["score"] for each in score_lines(out) if each["time"] < 1e9 + 299.0}
    assert scores == expected
    errors = monitor.stderr.read().decode()
    assert "ERROR" not in errors, errors


def starts(found):
    return {sample["seq"] for sample in found if sample.get("start")}


@pytest.mark.parametrize("way", ["rename", "rewrite"])
def test_a_rotated_file_is_another_session(tmp_path, arm, way):
    path, inbox, found = tmp_path / "log.mcap", Inbox(), []
    written_to(path, 2, finish=way == "rename", chunk_size=300)

    def taken():
        found.extend(each.data for each in inbox.take(0.02)[0])
        return found

    McapSource(inbox, path, Deployment.load(arm), follow=True).start()
    until(lambda: len(taken()) >= STEPS)
    if way == "rename":
        until(lambda: len(taken()) == 2 * STEPS)
        path.rename(tmp_path / "log.0.mcap")
    written_to(path, 1, begin=50)
    until(lambda: taken() and found[-1]["time"] > 1e9 + 150 and len({each["session"] for each in found}) == 2)
    until(lambda: taken()[-1]["seq"] == STEPS - 1)
    assert found[-STEPS]["start"] is True
    inbox.close()
    # Another monitor gives the same samples, so that after a restart they are duplicates.
    assert collected(path, arm) == found[-STEPS:]


def test_files_grow_byte_by_byte(tmp_path, arm):
    whole = written_to(tmp_path / "whole.mcap", 1, chunk_size=2000).read_bytes()
    path, inbox, found = tmp_path / "part.mcap", Inbox(), []
    path.write_bytes(b"")
    McapSource(inbox, path, Deployment.load(arm), follow=True).start()
    for place in np.linspace(0, len(whole), 12).astype(int)[1:]:
        path.write_bytes(whole[:place]) if place < 8 else append(path, whole, place)
        threading.Event().wait(0.06)
    until(lambda: found.extend(each.data for each in inbox.take(0.02)[0]) or len(found) == STEPS)
    inbox.close()


def append(path, whole, place):
    with path.open("ab") as file:
        file.write(whole[path.stat().st_size : place])


@pytest.mark.parametrize("damage", ["text", "length", "crc", "cut", "empty", "other"])
def test_damaged_files_are_named_and_end_no_monitor(tmp_path, arm, caplog, damage):
    path = written_to(tmp_path / "x.mcap", 2, chunk_size=800)
    content = bytearray(path.read_bytes())
    if damage == "text":
        content = b"time,position\n" * 100
    elif damage == "length":
        content[8 : 8 + 9] = b"\x05" + b"\xff" * 8
    elif damage == "crc":
        content[len(content) // 3 : len(content) // 3 + 8] = b"\x00" * 8
    elif damage == "cut":
        content = content[: len(content) // 2]
    elif damage == "empty":
        content = b""
    else:
        content = other_topics(tmp_path)
    path.write_bytes(content)
    with caplog.at_level("WARNING", "offnominal.watch"):
        found = collected(path, arm)
    said = {
        "text": "is no MCAP file",
        "length": "is damaged: the record at byte 8",
        "crc": "x.mcap",
        "cut": "",
        "empty": "had no messages",
        "other": "had no message with the channel /motor.current",
    }[damage]
    assert said in caplog.text
    assert (len(found) > 0) == (damage in ("crc", "cut"))


@pytest.mark.parametrize("number", ["1" + "0" * 400, "[" * 900 + "]" * 900], ids=["large", "nested"])
@pytest.mark.parametrize("follow", [False, True])
def test_a_message_that_has_no_numbers_ends_no_thread(tmp_path, arm, caplog, number, follow):
    path, inbox, ended = tmp_path / "x.mcap", Inbox(), threading.Event()
    with path.open("wb") as file:
        writer = mcap.Writer(file)
        writer.start()
        channel = writer.register_channel("/motor", "json", writer.register_schema("S", "jsonschema", b"{}"))
        writer.add_message(channel, 10**18, f'{{"current": {number}}}'.encode(), 10**18)
        writer.finish()
    McapSource(inbox, path, Deployment.load(arm), follow=follow, on_end=ended.set).start()
    until(lambda: "cannot be read as messages of /motor" in caplog.text)
    if follow:
        path.rename(tmp_path / "x.0.mcap")
        written_to(path, 1)
        until(lambda: len(inbox) == STEPS)
        inbox.close()
    assert ended.wait(10)
    opened = [each.resolve() for each in Path("/proc/self/fd").glob("*")]
    assert not [each for each in opened if each.is_relative_to(tmp_path.resolve())]


@pytest.mark.parametrize("way", ["rename", "rewrite"])
def test_a_new_file_with_the_same_begin_is_another_session(tmp_path, arm, way):
    """As of two runs of a simulation, whose time begins at 0 in both; the second one is shorter."""
    path, inbox, found, fleet = tmp_path / "log.mcap", Inbox(), [], Fleet(Deployment.load(arm))
    written_to(path, 4, chunk_size=300)
    begin = path.read_bytes()

    def taken():
        found.extend(each.data for each in inbox.take(0.02)[0])
        return found

    McapSource(inbox, path, Deployment.load(arm), follow=True).start()
    until(lambda: len(taken()) == 4 * STEPS)
    if way == "rename":
        path.rename(tmp_path / "log.0.mcap")
    written_to(path, 3, chunk_size=300)
    assert path.read_bytes()[:4096] == begin[:4096]
    until(lambda: len(taken()) == 7 * STEPS)
    inbox.close()
    for sample in found:
        fleet.take(sample, 0.0)
    assert (fleet.counts["samples"], fleet.counts["duplicate"]) == (7 * STEPS, 0)


def test_a_cut_is_remembered_until_the_file_is_opened_anew(tmp_path):
    path = written_to(tmp_path / "x.mcap", 2, chunk_size=300)
    content = path.read_bytes()
    file = os.open(path, os.O_RDONLY)
    reading = mcap_source._File(file, path)
    assert (len(list(reading.records())) > 0, reading.change()) == (True, "")
    path.write_bytes(content[:5000])
    assert reading.change() == "rewritten"
    path.write_bytes(content)
    assert reading.change() == "rewritten"
    os.close(file)


def test_a_topic_that_never_comes_is_told_once(tmp_path, arm, caplog, monkeypatch):
    monkeypatch.setattr(mcap_source, "SILENT", 0.1)
    path, inbox, ended = tmp_path / "x.mcap", Inbox(), threading.Event()
    path.write_bytes(other_topics(tmp_path, finish=False))
    McapSource(inbox, path, Deployment.load(arm), follow=True, on_end=ended.set).start()
    until(lambda: "had no message with the channel /motor.current" in caplog.text)
    path.rename(tmp_path / "x.0.mcap")
    written_to(path, 1)
    until(lambda: len(inbox) == STEPS)
    inbox.close()
    assert ended.wait(10)
    assert caplog.text.count("had no message") == 1


def other_topics(tmp_path, *, finish=True):
    with (tmp_path / "y.mcap").open("wb") as file:
        writer = mcap.Writer(file, use_chunking=finish)
        writer.start()
        channel = writer.register_channel("/joints", "json", writer.register_schema("S", "jsonschema", b"{}"))
        add(writer, channel, 10**18, {"position": [1.0, 2.0]})
        if finish:
            writer.finish()
    return (tmp_path / "y.mcap").read_bytes()


def test_a_missing_file_is_an_error(tmp_path, arm):
    with pytest.raises(MissingFile):
        McapSource(Inbox(), tmp_path / "none.mcap", Deployment.load(arm))


def test_a_message_without_a_field_is_a_missing_reading(arm):
    found = TopicSamples(Deployment.load(arm), "r")
    found.take("/motor", 1.0, {"current": 0.5})
    sample = found.take("/joints", 1.0, {"position": [0.25]})
    names = Deployment.load(arm).manifest.observations
    assert dict(zip(names, sample["observation"], strict=True)) == {
        "/joints.position.0": 0.25,
        "/joints.position.1": None,
        "/motor.current": 0.5,
    }
