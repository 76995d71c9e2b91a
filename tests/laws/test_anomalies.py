"""Every anomaly obeys the laws in every world that has it; broken anomalies fail them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from _pytest.mark import ParameterSet
from gymnasium.spaces import Box

from offnominal.anomalies import CameraAnomaly, FaultContext, SignalAnomaly, camera_anomalies
from offnominal.anomalies.strengths import calibrated_strengths
from offnominal.core.types import FloatArray, Frame
from offnominal.laws import anomalies_of, check_anomaly
from offnominal.laws import anomaly as laws
from offnominal.worlds import make_world, worlds

pytestmark = pytest.mark.long

PONG = "OOD-Pong-v0"  # pixel observations only
WORLDS = [world for world in worlds.ids() if world != PONG]
# Generic anomalies are the same code in all worlds; where the physics is slow, two of them are checked by default.
SLOW_WORLDS = (
    "CRAFT-Pogo-v1",
    "CRAFT-Pogo-v2",
    "MJC-HalfCheetah-v0",
    "MJC-Reacher3D-v0",
    "URM-PnP-v0",
    "URM-Reach-v0",
    "URR-Reach-v0",
)
QUICK = ("action/delay", "observation/noise")


def case(world: str, anomaly: str) -> ParameterSet:
    is_slow = world in SLOW_WORLDS and not anomaly.startswith("dynamics/") and anomaly not in QUICK
    return pytest.param(world, anomaly, marks=[pytest.mark.slow] if is_slow else [])


SAME_IMAGES = (
    "CRAFT-Pogo-v1",
    "MJC-Reacher3D-v0",
    "SAP-Goal0-v0",
    "SAP-Goal1-v0",
    "SAP-Goal2-v0",
    "URM-PnP-v0",
    "URR-Reach-v0",
)
"""Worlds whose images are drawn by the code of another world."""
CASES = [case(world, anomaly) for world in WORLDS for anomaly in anomalies_of(world)]
FILMED = [
    *(("SAP-Goal0-v0", anomaly) for anomaly in camera_anomalies()),
    *((PONG, f"camera/{kind}") for kind in ("gaussian", "impulse", "motion_blur", "pixelate", "delay", "compression")),
    *((spec.id, "camera/frozen") for spec in worlds if "camera" in spec.tags and spec.id not in SAME_IMAGES),
]


def test_every_world_has_the_twelve_generic_anomalies_and_its_own() -> None:
    for world in WORLDS:
        ids, sample = anomalies_of(world), make_world(world, 1)
        generic = 12 if isinstance(sample.action_space, Box) else 6
        assert len([id for id in ids if not id.startswith("dynamics/")]) == generic
        assert {f"dynamics/{name}" for name in sample.physics_parameters} <= set(ids)


@pytest.mark.parametrize(("world", "anomaly"), CASES)
def test_every_anomaly_obeys_the_laws(world: str, anomaly: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if world in SLOW_WORLDS:
        monkeypatch.setattr(laws, "DAMAGE_EPISODES", 4)
    report = check_anomaly(anomaly, world)
    report.raise_if_broken()
    lines = [line for line in calibrated_strengths() if (line.world, line.anomaly) == (world, anomaly)]
    calibrated = any(line.attainable for line in lines)
    skipped = [finding.law for finding in report if not finding.holds]
    assert skipped == ([] if calibrated else ["a calibrated strength lowers the return"])


@pytest.mark.parametrize(("world", "anomaly"), FILMED)
def test_every_camera_anomaly_obeys_the_laws(world: str, anomaly: str) -> None:
    report = check_anomaly(anomaly, world)
    report.raise_if_broken()
    assert [finding.law for finding in report if not finding.holds] == ["a calibrated strength lowers the return"]


def test_a_world_with_pixel_observations_has_the_camera_anomalies() -> None:
    pytest.importorskip("ale_py", reason="Pong needs ale-py, which the extra `atari` installs")
    assert anomalies_of(PONG) == camera_anomalies()


def test_camera_anomalies_are_listed_on_request() -> None:
    assert anomalies_of("SAP-Goal0-v0", cameras=True) == anomalies_of("SAP-Goal0-v0") + camera_anomalies()


@dataclass(frozen=True)
class _Broken(SignalAnomaly):
    kind: ClassVar[str] = "broken"


@dataclass(frozen=True)
class Unscaled(_Broken):
    """Has an effect at neutral strength."""

    def perturb(self, signal: FloatArray, parameter: float, context: FaultContext) -> FloatArray:
        return signal + 0.1


@dataclass(frozen=True)
class Idle(_Broken):
    """Has no effect."""

    def perturb(self, signal: FloatArray, parameter: float, context: FaultContext) -> FloatArray:
        return signal


@dataclass(frozen=True)
class Crashing(_Broken):
    """Cannot be run."""

    def perturb(self, signal: FloatArray, parameter: float, context: FaultContext) -> FloatArray:
        raise RuntimeError("the sensor fell off")


@dataclass(frozen=True)
class Tinted(CameraAnomaly):
    """Has an effect at neutral strength."""

    kind: ClassVar[str] = "tinted"

    def perturb(self, frame: Frame, parameter: float, context: FaultContext) -> Frame:
        return frame ^ np.uint8(1)


@dataclass(frozen=True)
class Capped(CameraAnomaly):
    """Has no effect."""

    kind: ClassVar[str] = "capped"

    def perturb(self, frame: Frame, parameter: float, context: FaultContext) -> Frame:
        return frame


SEEN_BEFORE: list[int] = []


@dataclass(frozen=True)
class Remembering(CameraAnomaly):
    """Keeps a counter that no new episode resets."""

    kind: ClassVar[str] = "remembering"

    def perturb(self, frame: Frame, parameter: float, context: FaultContext) -> Frame:
        SEEN_BEFORE.append(context.step)
        return frame ^ np.uint8(len(SEEN_BEFORE) % 251) if parameter else frame


@pytest.mark.parametrize(
    ("anomaly", "law", "problem"),
    [
        (Tinted(), "neutral strength changes nothing", "differs at neutral strength"),
        (Capped(), "it changes only its target", "no image was changed"),
        (Remembering(), "it ends with its episode", "depends on the episode before it"),
        (Remembering(), "a faulty episode is reproducible by its seed", "two runs of seed 0 differ"),
        (Unscaled(on="observation"), "neutral strength changes nothing", "differs at neutral strength"),
        (Idle(on="observation"), "it changes only its target", "no observation was changed"),
        (Idle(on="action"), "it changes only its target", "no action was changed"),
        (Crashing(on="observation"), "nothing differs before the onset", "the sensor fell off"),
    ],
)
def test_a_broken_anomaly_fails_its_law(anomaly: SignalAnomaly | CameraAnomaly, law: str, problem: str) -> None:
    broken = {finding.law: finding.problem for finding in check_anomaly(anomaly, "SAP-Goal0-v0") if finding.problem}
    assert problem in broken[law]


def test_a_strength_without_effect_fails_its_law() -> None:
    report = check_anomaly("observation/quantisation", "SAP-Goal0-v0", strength=0.0)
    assert not report.ok


def test_a_valid_anomaly_of_a_user_obeys_the_laws() -> None:
    @dataclass(frozen=True)
    class Stuck(SignalAnomaly):
        kind: ClassVar[str] = "stuck"

        def perturb(self, signal: FloatArray, parameter: float, context: FaultContext) -> FloatArray:
            held = context.memory.setdefault("held", signal.copy())
            return np.asarray(signal + parameter * (held - signal))

    report = check_anomaly(Stuck(on="observation"), "SAP-Goal0-v0", strength=1.0)
    report.raise_if_broken()
