"""Every anomaly keeps the laws in every world that has it; one that does not is found out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from offnominal.anomalies import Moment, SignalAnomaly
from offnominal.anomalies.strengths import LEVELS, strengths_of
from offnominal.core.types import FloatArray
from offnominal.laws import anomalies_of, check_anomaly
from offnominal.worlds import worlds

CASES = [(world, anomaly) for world in worlds.ids() for anomaly in anomalies_of(world)]


def test_every_world_has_the_twelve_generic_anomalies_and_its_own() -> None:
    for world in worlds.ids():
        ids = anomalies_of(world)
        assert len([id for id in ids if not id.startswith("dynamics/")]) == 12
        assert {"dynamics/mass", "dynamics/force"} <= set(ids)


@pytest.mark.parametrize(("world", "anomaly"), CASES)
def test_every_anomaly_keeps_the_laws(world: str, anomaly: str) -> None:
    report = check_anomaly(anomaly, world)
    report.raise_if_broken()
    calibrated = any(level in LEVELS for place, level in strengths_of(world) if place == anomaly)
    skipped = [finding.law for finding in report if not finding.holds]
    assert skipped == ([] if calibrated else ["a calibrated strength does harm"])


@dataclass(frozen=True)
class _Broken(SignalAnomaly):
    kind: ClassVar[str] = "broken"


@dataclass(frozen=True)
class Unscaled(_Broken):
    """Acts even at its neutral strength."""

    def perturb(self, signal: FloatArray, parameter: float, moment: Moment) -> FloatArray:
        return signal + 0.1


@dataclass(frozen=True)
class Idle(_Broken):
    """Claims to act and does not."""

    def perturb(self, signal: FloatArray, parameter: float, moment: Moment) -> FloatArray:
        return signal


@dataclass(frozen=True)
class Crashing(_Broken):
    """Cannot be run."""

    def perturb(self, signal: FloatArray, parameter: float, moment: Moment) -> FloatArray:
        raise RuntimeError("the sensor fell off")


@pytest.mark.parametrize(
    ("anomaly", "law", "problem"),
    [
        (Unscaled(on="observation"), "neutral strength changes nothing", "differs at neutral strength"),
        (Idle(on="observation"), "it changes what it says", "no observation was changed"),
        (Idle(on="action"), "it changes what it says", "no action was changed"),
        (Crashing(on="observation"), "before the onset nothing differs", "the sensor fell off"),
    ],
)
def test_a_broken_anomaly_is_found_out(anomaly: SignalAnomaly, law: str, problem: str) -> None:
    broken = {finding.law: finding.problem for finding in check_anomaly(anomaly, "SAP-Goal0-v0") if finding.problem}
    assert problem in broken[law]


def test_a_strength_that_does_nothing_is_found_out() -> None:
    report = check_anomaly("observation/quantisation", "SAP-Goal0-v0", strength=0.0)
    assert not report.ok


def test_a_healthy_anomaly_of_a_user_keeps_the_laws() -> None:
    @dataclass(frozen=True)
    class Stuck(SignalAnomaly):
        kind: ClassVar[str] = "stuck"

        def perturb(self, signal: FloatArray, parameter: float, moment: Moment) -> FloatArray:
            held = moment.memory.setdefault("held", signal.copy())
            return np.asarray(signal + parameter * (held - signal))

    report = check_anomaly(Stuck(on="observation"), "SAP-Goal0-v0", strength=1.0)
    report.raise_if_broken()
