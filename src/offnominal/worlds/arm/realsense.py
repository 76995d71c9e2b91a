"""An Intel RealSense camera in front of a real robot, with the image contract of the other cameras."""

from __future__ import annotations

from typing import Any

import numpy as np

from offnominal.core.checks import number_in, text
from offnominal.core.errors import MissingDependency, UnsupportedEnvironment
from offnominal.core.types import Array, Frame, Frames, IntArray
from offnominal.worlds.arm.errors import RobotConnectionLost, RobotTimeout, RobotUnreachable
from offnominal.worlds.camera import Camera, resized

WIDTH, HEIGHT, RATE = 640, 480, 30
"""Pixels and images per second of the colour stream."""


class RealSenseCamera(Camera):
    """Takes colour images with an Intel RealSense camera.

    This class was never used with a camera. The stream has 640 × 480 pixels, 30 times per second; an image is its
    central square, resized, as in Anomaly-Gym. It needs ``pip install "offnominal[realsense]"``. The camera is opened
    for its first image. Unlike drawn images, those of equal states differ.

    Args:
        serial: Serial number of the camera; None for any.
        exposure: Fixed exposure in the unit of the camera, 0.1 ms; None for automatic exposure.
        timeout: Longest time to wait for an image, s.

    Example:
        >>> camera = RealSenseCamera(timeout=0.5)
        >>> camera.close()
    """

    def __init__(self, *, serial: str | None = None, exposure: float | None = 100.0, timeout: float = 2.0) -> None:
        self.serial = None if serial is None else text("serial", serial)
        self.exposure = None if exposure is None else number_in("exposure", exposure, 1.0, 10_000.0)
        self.timeout = number_in("timeout", timeout, 0.01, 60.0)
        self._pipeline: Any = None

    def draw(self, rows: IntArray, observations: Array | None, size: int) -> Frames:
        """Return the next image of the camera, resized, for every row; see :class:`Camera`.

        Raises:
            UnsupportedEnvironment: If a reported state is asked for.
            MissingDependency: If pyrealsense2 is not installed.
            RobotUnreachable: If there is no such camera.
            RobotTimeout: If no image comes in time.
            RobotConnectionLost: If the camera was unplugged.
        """
        if observations is not None:
            raise UnsupportedEnvironment("a real camera shows the true state only; use camera='clean'.")
        image = self.image()
        side = min(image.shape[:2])
        top, left = ((length - side) // 2 for length in image.shape[:2])
        square = resized(image[top : top + side, left : left + side], size)
        return np.repeat(square[None], len(rows), axis=0)

    def image(self) -> Frame:
        """Return the next whole image, (480, 640, 3) bytes; the errors are those of :meth:`draw`."""
        if self._pipeline is None:
            self._open()
        try:
            arrived, frames = self._pipeline.try_wait_for_frames(round(1000.0 * self.timeout))
            colour = frames.get_color_frame() if arrived else None
        except RuntimeError:
            colour = None
        if not colour:
            self.close()
            if not self._connected():
                raise RobotConnectionLost("the RealSense camera is no longer connected; check its cable.")
            raise RobotTimeout(f"the RealSense camera gives no image within {self.timeout:g} s.")
        return np.array(colour.get_data(), np.uint8)

    def close(self) -> None:
        """Stop the camera; the next image opens it again."""
        pipeline, self._pipeline = self._pipeline, None
        if pipeline is not None:
            try:
                pipeline.stop()
            except RuntimeError:
                return

    def _open(self) -> None:
        realsense = _realsense()
        config, pipeline = realsense.config(), realsense.pipeline()
        if self.serial is not None:
            config.enable_device(self.serial)
        config.enable_stream(realsense.stream.color, WIDTH, HEIGHT, realsense.format.rgb8, RATE)
        try:
            sensor = pipeline.start(config).get_device().first_color_sensor()
            sensor.set_option(realsense.option.enable_auto_exposure, float(self.exposure is None))
            if self.exposure is not None:
                sensor.set_option(realsense.option.exposure, self.exposure)
        except RuntimeError as error:
            name = "" if self.serial is None else f" with the serial number {self.serial}"
            raise RobotUnreachable(f"no RealSense camera{name} gives colour images ({error}).") from None
        self._pipeline = pipeline

    def _connected(self) -> bool:
        realsense = _realsense()
        serials = [device.get_info(realsense.camera_info.serial_number) for device in realsense.context().devices]
        return bool(serials) if self.serial is None else self.serial in serials


def _realsense() -> Any:
    try:
        import pyrealsense2
    except ImportError:
        raise MissingDependency(
            'a RealSense camera needs pyrealsense2; install it with `pip install "offnominal[realsense]"`.'
        ) from None
    return pyrealsense2
