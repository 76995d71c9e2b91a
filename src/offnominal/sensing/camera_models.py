"""What a real camera does to an image: blur of motion, lens, exposure, noise, colour filter and compression."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from offnominal.core.checks import boolean, number_in
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.core.streams import Stream
from offnominal.core.types import FloatArray, IntArray
from offnominal.sensing.camera import Camera
from offnominal.sensing.camera_image import CameraImage
from offnominal.sensing.lens import NONE
from offnominal.sensing.lens_image import sampled, through_lens

Vector = tuple[float, float, float]
LN2 = 0.6931471805599453


@dataclass(frozen=True)
class CameraModel(Config):
    """How the image of a camera is made from that of an ideal pinhole camera.

    The steps are those of a camera, in this order: the scene moves while the shutter is open; the lens distorts; the
    sensor counts light with noise, each pixel behind a filter of one colour; the missing colours are interpolated; the
    bytes are compressed. Light is in shares of what saturates the sensor. A byte b is the light (b / 255)².

    Labels, instances and depths are those of the ray of each pixel: they follow the lens, but not blur and noise.

    Args:
        name: Name of the model.
        exposure: Exposure in stops: 1 doubles the light of all pixels, 0 leaves it.
        shutter: How long the shutter is open, s; it blurs what moves relative to the camera.
        distortion: Coefficients k1 and k2 of the lens, see :mod:`offnominal.sensing.lens`.
        read_noise: Standard deviation of the noise of a dark pixel.
        shot_noise: Standard deviation of the noise of counted light at saturation; it grows with the root of the light.
        bayer: Whether each pixel has one colour, in the pattern red, green; green, blue.
        compression: Factor on the steps of JPEG's tables: 0 is lossless, 0.2 is quality 90, 1 is quality 50.
        version: Raised if the numbers of a named model change.

    Example:
        >>> camera_model("dashcam").distortion
        (-0.08, 0.01)
        >>> CameraModel("soft", shutter=0.02).is_ideal
        False
    """

    name: str = "ideal"
    exposure: float = 0.0
    shutter: float = 0.0
    distortion: tuple[float, float] = NONE
    read_noise: float = 0.0
    shot_noise: float = 0.0
    bayer: bool = False
    compression: float = 0.0
    version: int = 1

    def __post_init__(self) -> None:
        where = f"camera model {self.name!r}: "
        number_in(where + "exposure", self.exposure, -10.0, 10.0)
        number_in(where + "shutter", self.shutter, 0.0, 0.1)
        number_in(where + "read_noise", self.read_noise, 0.0, 1.0)
        number_in(where + "shot_noise", self.shot_noise, 0.0, 1.0)
        number_in(where + "compression", self.compression, 0.0, 50.0)
        boolean(where + "bayer", self.bayer)
        given = self.distortion
        if np.shape(given) != (2,) or not np.isfinite(np.asarray(given, np.float64)).all():
            raise InvalidParameter(f"{where}distortion is {given}; expected two finite coefficients (k1, k2).")
        object.__setattr__(self, "distortion", (float(given[0]), float(given[1])))

    @property
    def is_ideal(self) -> bool:
        """Whether the image is that of the pinhole camera, byte for byte."""
        return self.replace(name="ideal", version=1) == IDEAL


IDEAL = CameraModel()
CAMERA_MODELS: dict[str, CameraModel] = {
    each.name: each
    for each in (
        IDEAL,
        CameraModel("dashcam", 0.0, 0.008, (-0.08, 0.01), 0.004, 0.02, bayer=True, compression=0.4),
        CameraModel("night", -2.5, 0.033, (-0.02, 0.0), 0.012, 0.06, bayer=True, compression=0.2),
        CameraModel("cheap", 0.5, 0.02, (-0.08, 0.01), 0.02, 0.06, bayer=True, compression=2.0),
    )
}
"""The camera models by name."""


def camera_model(model: str | CameraModel) -> CameraModel:
    """Return a camera model by its name; a model is returned as it is."""
    if isinstance(model, CameraModel):
        return model
    if model not in CAMERA_MODELS:
        hint = did_you_mean(str(model), CAMERA_MODELS)
        raise UnknownName(f"no camera model named {model!r}.{hint} Choose one of {', '.join(CAMERA_MODELS)}.")
    return CAMERA_MODELS[model]


@dataclass(frozen=True, eq=False)
class Motion:
    """How the camera and the objects move at the time of an image.

    Args:
        velocity: Velocity of the camera in the world, m/s.
        turning: Angular velocity of the camera about the vertical, rad/s to the left.
        centre: Point about which it turns, m; None is the camera itself.
        instances: (n,): identities of the objects that move, in rising order.
        velocities: (n, 3): their velocities in the world, m/s.
    """

    velocity: Vector = (0.0, 0.0, 0.0)
    turning: float = 0.0
    centre: Vector | None = None
    instances: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    velocities: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))

    def of(self, position: Vector) -> Vector:
        """Return the velocity of a sensor at a position on the vehicle, m/s."""
        if self.centre is None:
            return self.velocity
        x, y = position[0] - self.centre[0], position[1] - self.centre[1]
        return self.velocity[0] - self.turning * y, self.velocity[1] + self.turning * x, self.velocity[2]


STILL = Motion()


def photograph(
    image: CameraImage,
    camera: Camera,
    model: CameraModel,
    *,
    motion: Motion = STILL,
    seed: int = 0,
    step: int = 0,
) -> CameraImage:
    """Return the image that a real camera takes.

    Args:
        image: Image of ``camera.source()``; with a shutter that is open for a while, with depth.
        camera: The camera, with the distortion of the model.
        model: The camera model.
        motion: How the camera and the objects move.
        seed: Root seed of the stream ``camera``, from which the noise is drawn.
        step: Time index within that stream. The same seed and step always give the same noise.

    Example:
        >>> from offnominal.sensing import Instance, Plane, Scene, render
        >>> camera = Camera((0.0, -4.0, 1.5), (0.0, 0.0, 0.5), distortion=(-0.08, 0.01))
        >>> image = render(Scene((Instance(Plane()),)), camera.source(), ("rgb", "depth"))
        >>> photograph(image, camera, camera_model("dashcam"), seed=3).rgb.shape
        (128, 128, 3)
    """
    from offnominal.core.deterministic_math import exp
    from offnominal.sensing.camera_kernel import blur, develop, expose
    from offnominal.sensing.compression_kernel import compressed

    given = image.rgb
    if given is None or model.is_ideal:
        return CameraImage(**through_lens(vars(image), camera))
    light = (given.astype(np.float32) * np.float32(1.0 / 255.0)) ** 2
    source = camera.source()
    if model.shutter > 0.0:
        if image.depth is None:
            raise InvalidParameter(f"camera model {model.name!r} blurs what moves, which needs depth; render it too.")
        velocity = np.array((*motion.of(camera.position), motion.turning))
        instance = np.zeros(image.depth.shape, np.int32) if image.instance is None else image.instance
        light = blur(
            light, image.depth, instance, source.packed(), velocity, model.shutter,
            np.asarray(motion.instances, np.int64), np.asarray(motion.velocities, np.float64).reshape(-1, 3),
        )  # fmt: skip
    if camera.distortion != NONE:
        light = sampled(light, camera)
    numbers = np.array((exp(LN2 * model.exposure), model.read_noise, model.shot_noise, float(model.bayer)))
    expose(light, numbers, Stream.named(seed, 0, "camera").key, step)
    rgb: NDArray[np.uint8] = develop(light, model.bayer)
    if model.compression > 0.0:
        rgb = compressed(rgb, model.compression)
    truth = through_lens({**vars(image), "rgb": None}, camera)
    return CameraImage(**{**truth, "rgb": rgb})
