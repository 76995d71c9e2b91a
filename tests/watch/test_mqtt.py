"""Samples and events by MQTT, with the broker mosquitto: nothing is lost while the monitor is away."""

import json
import shutil
import socket
import subprocess
import time

import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.watch import Fleet
from offnominal.watch.inbox import Inbox
from offnominal.watch.mqtt import MqttLink

from .processes import kill, start, told, until
from .streams import lines, stream

mqtt = pytest.importorskip("paho.mqtt.client", reason="paho-mqtt is not installed")
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(shutil.which("mosquitto") is None, reason="the broker mosquitto is not installed"),
]


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Broker:
    """A broker whose settings allow more waiting messages than its default of 1,000."""

    def __init__(self, folder):
        self.port = free_port()
        self.settings = folder / "mosquitto.conf"
        self.settings.write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 100000\n"
            f"persistence true\npersistence_location {folder}/\n"
        )
        self.start()

    def start(self):
        self.process = subprocess.Popen(["mosquitto", "-c", self.settings], stderr=subprocess.DEVNULL)
        until(self.answers)

    def answers(self):
        with socket.socket() as connection:
            return connection.connect_ex(("127.0.0.1", self.port)) == 0

    def stop(self):
        self.process.terminate()
        self.process.wait(10)


@pytest.fixture
def broker(tmp_path):
    folder = tmp_path / "broker"
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    running = Broker(folder)
    yield running
    running.stop()


@pytest.fixture
def peer(broker):
    """A client that publishes samples and sees all topics."""
    found = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
    found.seen = []
    found.on_message = lambda client, data, message: client.seen.append((message.topic, message.payload.decode()))
    found.on_connect = lambda client, *_: client.subscribe("arm/#", qos=1)
    found.connect("127.0.0.1", broker.port)
    found.loop_start()
    until(found.is_connected)
    yield found
    found.disconnect()
    found.loop_stop()


def status(peer):
    return [payload for topic, payload in peer.seen if topic == "arm/status"]


def events(peer):
    return [json.loads(payload) for topic, payload in peer.seen if topic.startswith("arm/events/")]


def test_events_of_samples_also_of_those_while_it_was_away(
    tmp_path, written, deployment, broker, peer, nominal, faulty
):
    rules = tmp_path / "rules.toml"
    rules.write_text("[stale]\nenabled = false\n")
    words = [written, "--mqtt", f"mqtt://127.0.0.1:{broker.port}/arm", "--rules", rules]
    words += ["--checkpoint", tmp_path / "state", "--checkpoint-every", 0.05, "--out", tmp_path / "out"]
    found = stream([nominal[0], faulty[0], nominal[1], faulty[1]], "r/1")
    fleet = Fleet(deployment)
    expected = [event.id for sample in found for event in fleet.take(sample, 0.0) if event.robot]
    process = start(*words)
    until(lambda: "online" in status(peer))
    for sample in found[:30]:
        peer.publish("arm/samples/r1", json.dumps(sample), qos=1)
    until(lambda: events(peer) and (tmp_path / "state").exists())
    # Until the checkpoint has all that the broker was told of as received.
    time.sleep(0.5)
    kill(process)
    until(lambda: status(peer)[-1] == "offline")
    peer.publish("arm/samples", lines(found[30:]), qos=1).wait_for_publish(10)
    process = start(*words)
    until(lambda: {event["id"] for event in events(peer)} == set(expected))
    assert {topic for topic, _ in peer.seen if topic.endswith("/score")} == {"arm/events/r%2F1/score"}
    process.terminate()
    assert process.wait(20) == 0
    until(lambda: status(peer)[-1] == "offline")
    assert [each["robots"] for each in told(tmp_path / "out") if each["type"] == "started"][1]["r/1"]["seq"] == 29


def test_the_service_starts_without_a_broker_and_reconnects(broker, peer):
    inbox = Inbox()
    broker.stop()
    link = MqttLink(f"mqtt://127.0.0.1:{broker.port}/arm", inbox, name="arm")
    broker.start()
    until(lambda: "online" in status(peer))
    peer.publish("arm/samples/a", "1\n\n2", qos=1)
    until(lambda: len(inbox) == 2)
    link.close()
    until(lambda: status(peer)[-1] == "offline")


@pytest.mark.parametrize("wrong", ["http://host", "mqtt://", "host", "mqtt://host/a/#", "mqtt://host/+/b"])
def test_wrong_addresses_are_refused(wrong):
    with pytest.raises(InvalidParameter):
        MqttLink(wrong, Inbox(), name="arm")
