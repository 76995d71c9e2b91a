"""Anomalies by name."""

import numpy as np
import pytest

from offnominal.anomalies import (
    CameraAnomaly,
    DynamicsAnomaly,
    Fault,
    Noise,
    Quantisation,
    SignalAnomaly,
    anomalies,
    camera_anomalies,
    make_anomaly,
)
from offnominal.anomalies.catalogue import anomalies_with
from offnominal.anomalies.environment_info import EnvironmentInfo
from offnominal.anomalies.injection import Injection
from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.worlds.catalogue import make_world

GENERIC = [
    "action/delay",
    "action/drift",
    "action/noise",
    "action/offset",
    "action/scaling",
    "action/temporal_noise",
    "observation/drift",
    "observation/noise",
    "observation/offset",
    "observation/quantisation",
    "observation/scaling",
    "observation/temporal_noise",
]


CAMERA = ["blur", "compression", "dead_pixels", "dead_rows", "delay", "drop", "exposure", "frozen", "gaussian"]
CAMERA += ["impulse", "motion_blur", "noise", "occlusion", "pixelate"]
KINDS = {"dynamics": DynamicsAnomaly, "camera": CameraAnomaly}


def test_the_twelve_generic_anomalies_are_there():
    assert set(GENERIC) <= set(anomalies_with([]))


def test_the_fourteen_of_a_camera_are_listed_apart():
    assert {f"camera/{kind}" for kind in CAMERA} <= set(camera_anomalies())
    assert set(camera_anomalies()) < set(anomalies.ids())


@pytest.mark.parametrize("id", anomalies.ids())
def test_every_entry_makes_the_anomaly_it_names(id):
    made = make_anomaly(id)
    assert made.id == id
    assert made.target == id.partition("/")[0]
    assert isinstance(made, KINDS.get(made.target, SignalAnomaly))
    assert made.formula
    assert anomalies.spec(id).summary
    assert made.check(made.neutral) == made.neutral


def test_an_anomaly_is_its_own_name():
    noise = Noise(on="action")
    assert make_anomaly(noise) is noise
    assert make_anomaly("action/noise") == noise
    assert make_anomaly("observation/quantisation") == Quantisation(rounding="floor")


@pytest.mark.parametrize(
    ("id", "near"),
    [
        ("observation/noize", "observation/noise"),
        ("observation/quantization", "observation/quantisation"),
        ("action/Offset", "action/offset"),
        ("act/delay", "action/delay"),
        ("temporal_noise", "action/temporal_noise|observation/temporal_noise"),
    ],
)
def test_an_unknown_id_names_the_nearest(id, near):
    with pytest.raises(UnknownName, match=f"no anomaly named '{id}'. Did you mean '({near})'"):
        make_anomaly(id)


def test_an_id_like_no_other_gets_no_guess():
    with pytest.raises(UnknownName, match=r"no anomaly named 'xyzzy'\. `offnominal anomalies` lists all"):
        make_anomaly("xyzzy")


@pytest.mark.parametrize("id", [None, 3, ["observation/noise"], Noise])
def test_what_is_no_name_is_refused(id):
    with pytest.raises(InvalidParameter, match="expected a string"):
        make_anomaly(id)


def test_a_physics_parameter_without_a_name_is_refused():
    with pytest.raises(InvalidParameter, match="needs the name of a physics parameter"):
        make_anomaly("dynamics/")


def test_any_physics_parameter_can_be_named_and_the_world_says_whether_it_has_it():
    unknown = make_anomaly("dynamics/wind")
    assert unknown == DynamicsAnomaly(physics_parameter="wind")
    world = make_world("SAP-Goal0-v0", 1)
    with pytest.raises(
        UnknownName, match=r"SAP-Goal0-v0 has no physics parameter 'wind'.*dynamics/force, dynamics/moving_objects"
    ):
        Injection([(Fault(unknown, 1.0, 0),)], EnvironmentInfo.of(world))
    with pytest.raises(UnknownName, match=r"has no physics parameter 'masss'. Did you mean 'mass'"):
        Injection([(Fault("dynamics/masss", 1.0, 0),)], EnvironmentInfo.of(world))
    with pytest.raises(UnknownName, match="Its dynamics faults are: none"):
        Injection([(Fault("dynamics/mass", 1.0, 0),)], EnvironmentInfo(("0",), ("0",)))


def test_an_anomaly_of_the_compiled_kernel_says_how_it_is_used():
    with pytest.raises(InvalidParameter, match="use it in a Fault"):
        make_anomaly("action/noise").perturb(np.zeros(2), 1.0, None)  # type: ignore[attr-defined]
