"""The shipped anomalies by id."""

from __future__ import annotations

from collections.abc import Iterable

from offnominal.anomalies.anomaly import Anomaly, DynamicsAnomaly
from offnominal.core.registry import Registry, Spec

anomalies: Registry[Anomaly] = Registry("anomaly")

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

_CORRUPTIONS = "offnominal.anomalies.corruptions"
for _kind, _class, _summary in (
    ("gaussian", "Gaussian", "Gaussian noise, severity 1 to 5"),
    ("impulse", "Impulse", "impulse noise (salt and pepper), severity 1 to 5"),
    ("motion_blur", "MotionBlur", "motion blur, severity 1 to 5"),
    ("pixelate", "Pixelate", "coarse pixels, severity 1 to 5"),
):
    anomalies.register(Spec(f"camera/{_kind}", f"{_CORRUPTIONS}:{_class}", _summary))

for _physics_parameter, _summary in (
    ("mass", "mass multiplied by b, inertia with it (in classic worlds: mass of b kg)"),
    ("force", "constant external force of b newton"),
    ("friction", "dry friction raised (factor on contact friction in models found in other packages)"),
    ("moving_objects", "random forces up to b newton on objects"),
    ("damping", "damping changed"),
    ("gravity", "gravity multiplied by b (in classic worlds: gravity of b m/s²)"),
    ("gain", "actuator gain multiplied by b"),
    ("cart_mass", "cart of b kg"),
    ("pole_mass", "pole of b kg"),
    ("pole_length", "pole of twice b metres"),
    ("push_force", "pushes of b newton"),
    ("length", "pendulum of b metres"),
    ("max_speed", "speed limited to b rad/s"),
    ("max_torque", "torque limited to b N m"),
    ("robot_speed", "displacement limited to b metres per axis and step"),
    ("moving_goal", "goal that moves by b metres per step"),
    ("robot_friction", "viscous friction of b N m s/rad added to every joint"),
    ("payload", "mass of b kg at the gripper"),
    ("grip_loss", "part b of the gripper's force lost"),
    ("brake_fail", "decreases of the acceleration command multiplied by b"),
    ("steer_fail", "changes of the steering command multiplied by b"),
    ("slippery_road", "friction of the road multiplied by b"),
    ("ghost_driver", "wrong-way car of b m/s in the lane"),
    ("heavy_rain", "rain of b mm/h: less friction, worse sight"),
    ("inserted_item", "copies of the inserted item number b"),
    ("fence", "fences around trees, level b from easy (1) to hard (3)"),
    ("jungle_trees", "jungle trees, level b from four of them (1) to one (3)"),
    ("rotten_trees", "b rotten trees"),
    ("thief", "thief who takes b kinds of resources at once"),
    ("supplier", "supplier who gives a pogo stick, level b from at once (1) to late (3)"),
    ("walls", "walls of grass, level b from some (1) to all (3)"),
    ("recipe", "recipe number b of the pogo stick"),
    ("step_cost", "step costs multiplied by 1 + b"),
    ("extra_traders", "b additional traders"),
    ("moved_traders", "traders who stand elsewhere"),
    ("busy_traders", "traders who refuse half (1) or three quarters (2) of the trades"),
    ("locked_doors", "locked doors"),
    ("distributor", "distributor who mines diamonds (1), platinum (2) or both (3) and hands them out"),
    ("axe", "axe in the inventory (1), on the ground (2), or needed to cut trees (3)"),
    ("chest_thief", "thief who takes b kinds of resources at once and hides them in the chest"),
    ("only_saplings", "b saplings in place of trees"),
    ("merchants", "traders who look like merchants"),
):
    anomalies.register(
        Spec(
            f"dynamics/{_physics_parameter}",
            "offnominal.anomalies.anomaly:DynamicsAnomaly",
            _summary,
            {"physics_parameter": _physics_parameter},
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
        ['camera/blur', 'camera/dead_pixels']
    """
    return [spec.id for spec in anomalies if spec.id.startswith("camera/")]


def make_anomaly(anomaly: str | Anomaly) -> Anomaly:
    """Return an anomaly by id. ``dynamics/<name>`` exists for every physics parameter of any world."""
    if isinstance(anomaly, Anomaly):
        return anomaly
    if isinstance(anomaly, str) and anomaly.startswith("dynamics/") and anomaly not in anomalies:
        return DynamicsAnomaly(physics_parameter=anomaly.removeprefix("dynamics/"))
    return anomalies.make(anomaly)
