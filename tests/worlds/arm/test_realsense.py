"""A RealSense camera gives the images of URR-Reach; a small module stands in for the camera's package."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

import offnominal as off
from offnominal.core.errors import InvalidParameter, MissingDependency, UnsupportedEnvironment
from offnominal.worlds.arm.errors import RobotConnectionLost, RobotTimeout, RobotUnreachable
from offnominal.worlds.arm.realsense import RealSenseCamera
from offnominal.worlds.arm.robot_reach import RobotReach

pytestmark = pytest.mark.long

ROW = np.arange(1)


class Device:
    """Camera behind the module: what is plugged in and what was asked for."""

    def __init__(self):
        self.serials = ["123"]
        self.answers = True
        self.running = 0
        self.options = {}
        self.stream = ()
        self.image = np.zeros((480, 640, 3), np.uint8)
        self.image[:, 80:560] = 200
        self.image[240:, 320:560] = (10, 20, 30)

    def module(self):
        name = SimpleNamespace(serial_number="serial")
        info = [SimpleNamespace(get_info=lambda _, serial=serial: serial) for serial in self.serials]
        return SimpleNamespace(
            pipeline=lambda: Pipeline(self),
            config=Config,
            stream=SimpleNamespace(color="colour"),
            format=SimpleNamespace(rgb8="rgb8"),
            option=SimpleNamespace(enable_auto_exposure="auto", exposure="exposure"),
            camera_info=name,
            context=lambda: SimpleNamespace(devices=info[: len(self.serials)]),
        )


class Config:
    """Wanted serial number and stream."""

    serial = None

    def enable_device(self, serial):
        self.serial = serial

    def enable_stream(self, *stream):
        self.stream = stream


class Pipeline:
    """Gives the image of the device."""

    def __init__(self, device):
        self.device = device

    def start(self, config):
        if not self.device.serials or config.serial not in (None, *self.device.serials):
            raise RuntimeError("No device connected")
        self.device.running += 1
        self.device.stream = config.stream
        sensor = SimpleNamespace(set_option=self.device.options.__setitem__)
        return SimpleNamespace(get_device=lambda: SimpleNamespace(first_color_sensor=lambda: sensor))

    def try_wait_for_frames(self, milliseconds):
        assert milliseconds == 2000
        colour = SimpleNamespace(get_data=lambda: self.device.image)
        return self.device.answers, SimpleNamespace(get_color_frame=lambda: colour)

    def stop(self):
        self.device.running -= 1
        if not self.device.serials:
            raise RuntimeError("stop() cannot be called before start()")


@pytest.fixture
def device(monkeypatch):
    device = Device()
    monkeypatch.setitem(sys.modules, "pyrealsense2", device.module())
    return device


def test_image_is_the_central_square_of_the_colour_stream(device):
    camera = RealSenseCamera(serial="123")
    frames = camera.draw(ROW, None, 256)
    assert (frames.shape, frames.dtype) == ((1, 256, 256, 3), np.uint8)
    assert (frames[0, :128] == 200).all()
    assert (frames[0, 128:, :128] == 200).all()
    assert (frames[0, 128:, 128:] == (10, 20, 30)).all()
    assert device.stream == ("colour", 640, 480, "rgb8", 30)
    assert device.options == {"auto": 0.0, "exposure": 100.0}
    camera.draw(ROW, None, 128)
    assert device.running == 1
    camera.close()
    camera.close()
    assert device.running == 0


def test_world_takes_its_frames_from_the_camera(device):
    env = off.make("URR-Reach-v0", observation="image", robot_camera=RealSenseCamera(exposure=None))
    observation, _ = env.reset(seed=0)
    assert (observation.shape, observation.dtype) == ((3, 128, 128), np.uint8)
    assert (observation[:, :64] == 200).all()
    assert device.options == {"auto": 1.0}
    env.close()
    assert device.running == 0


def test_missing_package_is_named_with_the_way_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyrealsense2", None)
    with pytest.raises(MissingDependency, match=r"offnominal\[realsense\]"):
        RealSenseCamera().draw(ROW, None, 128)


def test_absent_camera_is_a_named_error(device):
    with pytest.raises(RobotUnreachable, match="serial number 7"):
        RealSenseCamera(serial="7").draw(ROW, None, 128)
    device.serials.clear()
    with pytest.raises(RobotUnreachable, match="No device connected"):
        RealSenseCamera().draw(ROW, None, 128)


def test_silent_camera_is_a_named_error_and_the_next_image_opens_it_again(device):
    camera = RealSenseCamera()
    device.answers = False
    with pytest.raises(RobotTimeout, match="no image within 2 s"):
        camera.image()
    assert device.running == 0
    device.answers = True
    assert camera.image().shape == (480, 640, 3)


def test_unplugged_camera_is_a_named_error(device):
    camera = RealSenseCamera(serial="123")
    camera.image()
    device.answers = False
    device.serials.clear()
    with pytest.raises(RobotConnectionLost, match="cable"):
        camera.image()


def test_reported_states_and_invalid_options_are_refused(device):
    with pytest.raises(UnsupportedEnvironment, match="true state only"):
        RealSenseCamera().draw(ROW, np.zeros((1, 13)), 128)
    for options in ({"serial": 3}, {"exposure": 0.0}, {"timeout": float("nan")}):
        with pytest.raises(InvalidParameter):
            RealSenseCamera(**options)
    with pytest.raises(InvalidParameter, match="one row"):
        RobotReach(2, robot_camera=RealSenseCamera())
    with pytest.raises(InvalidParameter, match="robot_camera"):
        RobotReach(1, robot_camera="realsense")
