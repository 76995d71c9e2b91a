"""Topics of ROS 2 in, diagnostics out, with a stand-in for rclpy: no real ROS 2 was there to test with."""

import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from offnominal.alarms import EpisodeMaximum
from offnominal.core.episode import Episode
from offnominal.core.errors import MissingDependency
from offnominal.detectors import make_detector
from offnominal.watch import Deployment, Fleet, running, write_deployment
from offnominal.watch.checkpoint import write_checkpoint
from offnominal.watch.inbox import Inbox
from offnominal.watch.ros_link import RosLink
from offnominal.watch.service import Service

from .processes import run, until

STAND_IN = Path(__file__).parent / "ros_stand_in"
NAMES = ("/joints.position.0", "/joints.position.1", "/motor.current")
ROS = ("rclpy", "rosidl_runtime_py", "diagnostic_msgs", "arm_msgs")


@pytest.fixture
def ros(monkeypatch):
    monkeypatch.syspath_prepend(str(STAND_IN))
    import rclpy

    rclpy.reset()
    yield rclpy
    rclpy.Time.fixed = None
    for name in [name for name in sys.modules if name.partition(".")[0] in ROS]:
        del sys.modules[name]


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    rng = np.random.default_rng(0)
    episodes = [
        Episode(rng.normal(size=(31, 3)), np.zeros((30, 0)), np.zeros(30), np.zeros(30, bool)) for _ in range(40)
    ]
    detector = make_detector("Mahalanobis").fit(episodes[:20])
    alarm = EpisodeMaximum(0.1).fit(detector.score(episodes[20:]))
    folder = tmp_path_factory.mktemp("ros") / "arm"
    write_deployment(folder, detector, alarm, episodes[20:], observations=NAMES, rate=50.0)
    return Deployment.load(folder)


class Watching:
    """A service with a link to the stand-in."""

    def __init__(self, arm):
        self.service = Service(Fleet(arm), Inbox())
        self.link = RosLink(self.service.inbox, arm, robot="arm-1")
        self.service.add(self.link)
        self.thread = threading.Thread(target=self.service.run)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.service.inbox.close()
        self.thread.join(10)


def publish(ros, values):
    from arm_msgs.msg import Joints, Motor

    for number, (first, second, current) in enumerate(values):
        ros.Time.fixed = 10**18 + number * 20_000_000
        ros.send("/motor", Motor(current))
        ros.send("/joints", Joints([first, second]))
        until(lambda: not any(node.waiting for each in ros.SUBSCRIPTIONS.values() for node, _ in each))


def test_topics_in_diagnostics_out(ros, arm):
    ros.TYPES.update({"/motor": "arm_msgs/msg/Motor", "/rosout": "x/msg/Log"})
    rng = np.random.default_rng(1)
    values = rng.normal(size=(20, 3))
    values[10:, 1] += 50.0
    with Watching(arm) as watching:
        ros.TYPES["/joints"] = "arm_msgs/msg/Joints"
        until(lambda: set(ros.SUBSCRIPTIONS) == {"/motor", "/joints"})
        publish(ros, values.tolist())
        until(lambda: watching.service.fleet.counts["samples"] == 20)
        robot = watching.service.fleet.robots["arm-1"]
        until(lambda: robot.score is not None and robot.step == 19)
        assert robot.time == pytest.approx(1e9 + 19 * 0.02)
        statuses = until(lambda: named(ros, "offnominal: arm-1 score"))
        assert (statuses[0].level, statuses[0].message, statuses[0].hardware_id) == (b"\x02", "active", "arm-1")
        found = {each.key: each.value for each in statuses[0].values}
        assert float(found["score"]) > float(found["threshold"])
        assert any(key.startswith("evidence /joints.position.1") for key in found)
        assert named(ros, "offnominal: arm-1 range:/joints.position.1")[0].level == b"\x01"
        # The state is repeated, and says when an alarm is shelved.
        until(lambda: len(named(ros, "offnominal: arm-1 score")) > 1)
        service = watching.service
        service.inbox.call(lambda: service.do(lambda fleet, now: fleet.shelve("arm-1", "score", 9.0, now))).result(10)
        shelved = until(lambda: [each for each in named(ros, "offnominal: arm-1 score") if "shelved" in each.message])
        assert shelved[0].level == b"\x00"
        assert named(ros, "offnominal: arm")[-1].level == b"\x00"
        node = ros.SUBSCRIPTIONS["/motor"][0][0]
    assert node.destroyed
    assert not node.context.initialised


def named(ros, name):
    return [status for topic, array in list(ros.PUBLISHED) for status in array.status if status.name == name]


def test_cleared_and_stale_alarms_have_their_levels(ros, arm):
    link = RosLink(Inbox(), arm)
    fleet = Fleet(arm)
    sample = {"robot": "r", "observation": [0.0, 0.0, 0.0], "seq": 0}
    fleet.take(sample, 0.0)
    link.events(fleet.tick(100.0))
    assert [each.level for each in named(ros, "offnominal: r stale")] == [b"\x03"]
    events = fleet.take({**sample, "seq": 1}, 101.0)
    link.events([event for event in events if event.alarm == "stale"])
    assert [each.level for each in named(ros, "offnominal: r stale")] == [b"\x03", b"\x00"]
    link.close()


def level_of(link, ros, name):
    ros.PUBLISHED.clear()
    link._repeat()
    return [each.level for each in named(ros, name)]


def test_alarms_of_a_checkpoint_are_published(ros, arm, tmp_path, monkeypatch):
    fleet, inbox = Fleet(arm), Inbox()
    fleet.take({"robot": "r", "observation": [0.0, 0.0, 0.0], "seq": 0}, 0.0)
    fleet.tick(100.0)
    write_checkpoint(tmp_path / "state", fleet.to_dict(), [])
    inbox.close()
    monkeypatch.setattr(running, "Inbox", lambda capacity: inbox)
    running.watch(
        running.WatchOptions(arm.folder, lines=False, ros=True, checkpoint=tmp_path / "state", out=tmp_path / "out")
    )
    assert [each.level for each in named(ros, "offnominal: r stale")] == [b"\x03"]
    again = Fleet(arm)
    again.restore(fleet.to_dict(), 0.0)
    assert [(each.alarm, each.state) for each in again.standing(0.0)] == [("stale", "active")]
    assert again.counts == fleet.counts


def test_what_an_operator_does_changes_no_diagnostics(ros, arm):
    link, fleet = RosLink(Inbox(), arm), Fleet(arm)
    for number in range(3):
        fleet.take({"robot": "r", "observation": [0.0, 0.0, 50.0 * number], "seq": number}, 0.0)
    link.events(fleet.standing(0.0))
    assert level_of(link, ros, "offnominal: r score") == [b"\x02"]
    link.events(fleet.shelve("r", "score", 9.0, 0.0))
    assert level_of(link, ros, "offnominal: r score") == [b"\x00"]
    for order in (fleet.begin_recalibration, fleet.undo_recalibration):
        link.events(order("r", 0.0))
        assert level_of(link, ros, "offnominal: r score") == [b"\x00"]
    link.close()


def test_a_channel_without_a_message_is_a_warning_and_an_exception_ends_nothing(ros, arm, caplog, monkeypatch):
    from arm_msgs.msg import Motor

    ros.TYPES.update({"/motor": "arm_msgs/msg/Motor", "/joints": "arm_msgs/msg/Joints"})
    link = RosLink(Inbox(), arm)
    assert level_of(link, ros, "offnominal: arm") == [b"\x01"]
    with monkeypatch.context() as patch:
        patch.setattr("offnominal.watch.ros_link.plain", lambda message: 1 / 0)
        ros.send("/motor", Motor(1.0))
        until(lambda: "ZeroDivisionError" in caplog.text)
    publish(ros, [[0.0, 0.0, 0.0]])
    assert level_of(link, ros, "offnominal: arm") == [b"\x00"]
    link.close()


def test_topics_of_unknown_types_are_named(ros, arm, caplog):
    ros.TYPES.update({"/motor": "nothing_msgs/msg/Motor"})
    RosLink(Inbox(), arm).close()
    assert "topic /motor has the type nothing_msgs/msg/Motor, which is not installed" in caplog.text


def test_without_ros_the_error_says_what_to_do(arm):
    with pytest.raises(MissingDependency, match=r"source /opt/ros/DISTRIBUTION/setup.bash"):
        RosLink(Inbox(), arm)


@pytest.mark.long
def test_the_program_says_so_too(arm):
    code, _, errors = run(arm.folder, "--ros")
    assert (code, "ROS 2 needs rclpy" in errors, "Traceback" in errors) == (2, True, False), errors
