"""Sensors that hold or lose values. They are given as objects, and have no named strengths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from offnominal.anomalies.anomaly import FaultContext, SignalAnomaly
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray

HELD, STEP, AGE = "held", "step", "age"


@dataclass(frozen=True)
class Frozen(SignalAnomaly):
    """A sensor that shows each value for 1 + b steps: half the rate for b = 1, stuck for a large b.

    It holds the first value from its onset on, which is still true in the first step.

    Example:
        >>> from offnominal.anomalies.factory import make
        >>> from offnominal.anomalies.fault import Fault
        >>> env = make("SAP-Goal0-v0", faults=Fault(Frozen(), Frozen.typical, schedule=0))
        >>> observation, info = env.reset(seed=0)
        >>> first, second = (env.step(env.action_space.sample())[0] for _ in range(2))
        >>> bool((first == second).all())
        True
    """

    kind: ClassVar[str] = "frozen"
    minimum: ClassVar[float] = 0.0
    integer: ClassVar[bool] = True
    typical: ClassVar[float] = 1e9
    formula: ClassVar[str] = "x'[t] = x[t - (t - onset) mod (b + 1)]"

    def perturb(self, signal: FloatArray, parameter: float, context: FaultContext) -> FloatArray:
        """Return the held value."""
        memory = context.memory
        if memory.get(STEP) != context.step - 1 or memory[AGE] >= int(parameter):
            memory[HELD], memory[AGE] = signal.copy(), 0
        else:
            memory[AGE] += 1
        memory[STEP] = context.step
        held: FloatArray = memory[HELD]
        return held


@dataclass(frozen=True)
class Dropped(SignalAnomaly):
    """A sensor that loses each value with probability b, independently for each channel.

    Args:
        fill: What it shows instead: ``"previous"``, its last value, or ``"nan"``.
    """

    fill: Literal["previous", "nan"] = "previous"
    kind: ClassVar[str] = "drop"
    minimum: ClassVar[float] = 0.0
    maximum: ClassVar[float] = 1.0
    typical: ClassVar[float] = 0.1
    formula: ClassVar[str] = "x'[t] = x'[t - 1] or nan with probability b, else x[t]"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.fill not in ("previous", "nan"):
            raise InvalidParameter(f"fill is {self.fill!r}; choose 'previous' or 'nan'.")

    def perturb(self, signal: FloatArray, parameter: float, context: FaultContext) -> FloatArray:
        """Return the signal without the values that are lost."""
        memory = context.memory
        lost = context.uniform(len(signal)) < parameter
        begun = memory.get(STEP) == context.step - 1
        instead = np.full(len(signal), np.nan) if self.fill == "nan" else memory[HELD] if begun else signal
        memory[HELD], memory[STEP] = np.where(lost, instead, signal), context.step
        shown: FloatArray = memory[HELD]
        return shown


SENSOR_FAILURES: dict[str, type[Frozen | Dropped]] = {"observation/frozen": Frozen, "observation/drop": Dropped}
"""Classes by the id of their faults."""
