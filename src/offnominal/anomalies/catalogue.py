"""The shipped anomalies by id."""

from __future__ import annotations

from collections.abc import Iterable

from offnominal.anomalies.anomaly import Anomaly, DynamicsAnomaly
from offnominal.core.registry import Registry, Spec
from offnominal.worlds.catalogue import worlds

anomalies: Registry[Anomaly] = Registry("anomaly", catalogue="offnominal.anomalies.catalogue:register_dynamics")

_GAIN = "factor on the gain of actuators, in models that are found in other packages"

_SIGNALS = "offnominal.anomalies.signals"
_GENERIC = (
    ("noise", "Noise", "white noise of standard deviation s"),
    ("scaling", "Scaling", "multiplied by b"),
    ("offset", "Offset", "b added"),
    ("drift", "Drift", "b added per step since onset"),
    ("temporal_noise", "TemporalNoise", "autocorrelated noise of standard deviation s"),
)
for _kind, _class, _summary in _GENERIC:
    for _on in ("observation", "action"):
        anomalies.register(Spec(f"{_on}/{_kind}", f"{_SIGNALS}:{_class}", _summary, {"on": _on}))
anomalies.register(Spec("observation/quantisation", f"{_SIGNALS}:Quantisation", "rounded down to multiples of b"))
anomalies.register(Spec("action/delay", f"{_SIGNALS}:Delay", "executed d steps late"))

_CAMERA = "offnominal.anomalies.camera"
for _kind, _class, _summary in (
    ("noise", "CameraNoise", "noise of standard deviation s grey levels"),
    ("blur", "Blur", "blurred by a Gaussian of s pixels"),
    ("exposure", "Exposure", "brighter or darker by b stops"),
    ("dead_pixels", "DeadPixels", "a share b of the pixels is stuck"),
    ("occlusion", "Occlusion", "a patch hides b of the height and the width"),
    ("frozen", "Frozen", "each image is shown for 1 + b frames"),
    ("drop", "Drop", "images are lost with probability b"),
    ("delay", "CameraDelay", "shown d frames late"),
):
    anomalies.register(Spec(f"camera/{_kind}", f"{_CAMERA}:{_class}", _summary))

_READOUT = "offnominal.anomalies.camera_readout"
for _kind, _class, _summary in (
    ("dead_rows", "DeadRows", "a share b of the rows is black or white"),
    ("compression", "Compression", "compressed with b times the steps of JPEG"),
):
    anomalies.register(Spec(f"camera/{_kind}", f"{_READOUT}:{_class}", _summary))

_CORRUPTIONS = "offnominal.anomalies.corruptions"
for _kind, _class, _summary in (
    ("gaussian", "Gaussian", "Gaussian noise, severity 1 to 5"),
    ("impulse", "Impulse", "impulse noise (salt and pepper), severity 1 to 5"),
    ("motion_blur", "MotionBlur", "motion blur, severity 1 to 5"),
    ("pixelate", "Pixelate", "coarse pixels, severity 1 to 5"),
):
    anomalies.register(Spec(f"camera/{_kind}", f"{_CORRUPTIONS}:{_class}", _summary))


def register_dynamics(registry: Registry[Anomaly]) -> None:
    """Register ``dynamics/<name>`` for every physics parameter on the card of a registered world.

    The summary is the effect that the cards state.
    """
    effects: dict[str, dict[str, None]] = {"gain": {_GAIN: None}}
    for id in worlds.ids():
        for parameter in worlds.card(id).physics_parameters:
            effects.setdefault(parameter.name, {})[parameter.summary] = None
    for name, summaries in effects.items():
        registry.register(
            Spec(
                f"dynamics/{name}",
                "offnominal.anomalies.anomaly:DynamicsAnomaly",
                "; ".join(summaries),
                {"physics_parameter": name},
            )
        )


def anomalies_with(physics_parameters: Iterable[str], *, discrete: bool = False) -> list[str]:
    """Return the ids of the signal and dynamics anomalies of a world.

    :func:`camera_anomalies` returns those of its images.

    Args:
        physics_parameters: Names of its physics parameters.
        discrete: Whether its actions are discrete; signal anomalies do not apply to these.

    Example:
        >>> anomalies_with(["mass"])[-2:]
        ['observation/temporal_noise', 'dynamics/mass']
        >>> any(id.startswith("action/") for id in anomalies_with(["mass"], discrete=True))
        False
    """
    others = ("dynamics/", "camera/", "action/") if discrete else ("dynamics/", "camera/")
    listed = [spec.id for spec in anomalies if not spec.id.startswith(others)]
    return listed + [f"dynamics/{name}" for name in physics_parameters]


def camera_anomalies() -> list[str]:
    """Return the ids of the camera anomalies, which every environment with images has.

    Example:
        >>> camera_anomalies()[:2]
        ['camera/blur', 'camera/compression']
    """
    return [spec.id for spec in anomalies if spec.id.startswith("camera/")]


def make_anomaly(anomaly: str | Anomaly) -> Anomaly:
    """Return an anomaly by id. ``dynamics/<name>`` exists for every physics parameter of any world."""
    if isinstance(anomaly, Anomaly):
        return anomaly
    if isinstance(anomaly, str) and anomaly.startswith("dynamics/") and anomaly not in anomalies:
        return DynamicsAnomaly(physics_parameter=anomaly.removeprefix("dynamics/"))
    return anomalies.make(anomaly)
