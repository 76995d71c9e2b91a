"""Twelve generic anomalies of observations and actions.

The classes are declarations; :mod:`offnominal.anomalies.kernel` implements each in one branch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from offnominal.anomalies.anomaly import SignalAnomaly
from offnominal.core.errors import InvalidParameter

NOISE, SCALING, OFFSET, DRIFT, TEMPORAL, TEMPORAL_PUBLISHED, FLOOR, NEAREST, DELAY = range(1, 10)


@dataclass(frozen=True)
class Noise(SignalAnomaly):
    """White noise on every channel."""

    kind: ClassVar[str] = "noise"
    symbol: ClassVar[str] = "s"
    minimum: ClassVar[float] = 0.0
    code: ClassVar[int] = NOISE
    formula: ClassVar[str] = "x' = x + s e,  e ~ N(0, 1) per channel and step"


@dataclass(frozen=True)
class Scaling(SignalAnomaly):
    """A gain error."""

    kind: ClassVar[str] = "scaling"
    neutral: ClassVar[float] = 1.0
    code: ClassVar[int] = SCALING
    formula: ClassVar[str] = "x' = b x"


@dataclass(frozen=True)
class Offset(SignalAnomaly):
    """A constant bias."""

    kind: ClassVar[str] = "offset"
    code: ClassVar[int] = OFFSET
    formula: ClassVar[str] = "x' = x + b"


@dataclass(frozen=True)
class Drift(SignalAnomaly):
    """A bias that grows linearly with the time since onset."""

    kind: ClassVar[str] = "drift"
    code: ClassVar[int] = DRIFT
    formula: ClassVar[str] = "x' = x + b (t - onset + 1)"


@dataclass(frozen=True)
class TemporalNoise(SignalAnomaly):
    """Autocorrelated noise: a first-order autoregression with stationary standard deviation s.

    Args:
        correlation: Correlation of successive steps.
        variant: ``"stationary"``, or ``"published"`` for the formula of the paper, n = s n + s e, which vanishes for
            small s and diverges for s >= 1.
    """

    correlation: float = 0.95
    variant: Literal["stationary", "published"] = "stationary"
    kind: ClassVar[str] = "temporal_noise"
    symbol: ClassVar[str] = "s"
    minimum: ClassVar[float] = 0.0
    formula: ClassVar[str] = "x' = x + s n,  n <- r n + sqrt(1 - r^2) e,  r = 0.95,  n ~ N(0, 1) at onset"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 <= self.correlation < 1.0:
            raise InvalidParameter(f"correlation is {self.correlation}; expected a number in [0, 1).")
        if self.variant not in ("stationary", "published"):
            raise InvalidParameter(f"variant is {self.variant!r}; choose 'stationary' or 'published'.")

    @property
    def code(self) -> int:  # type: ignore[override]
        """Branch of the kernel."""
        return TEMPORAL if self.variant == "stationary" else TEMPORAL_PUBLISHED

    @property
    def option(self) -> float:
        """Correlation of successive steps."""
        return self.correlation


@dataclass(frozen=True)
class Quantisation(SignalAnomaly):
    """Quantisation to multiples of b.

    Args:
        rounding: ``"floor"`` as in the paper (biased by half a step), or ``"nearest"``.
    """

    rounding: Literal["floor", "nearest"] = "floor"
    kind: ClassVar[str] = "quantisation"
    minimum: ClassVar[float] = 0.0
    formula: ClassVar[str] = "x' = b floor(x / b)"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rounding not in ("floor", "nearest"):
            raise InvalidParameter(f"rounding is {self.rounding!r}; choose 'floor' or 'nearest'.")

    @property
    def code(self) -> int:  # type: ignore[override]
        """Branch of the kernel."""
        return FLOOR if self.rounding == "floor" else NEAREST


@dataclass(frozen=True)
class Delay(SignalAnomaly):
    """A delayed command: the one of d steps ago, or the first one of the episode."""

    on: Literal["observation", "action"] = "action"
    kind: ClassVar[str] = "delay"
    symbol: ClassVar[str] = "d"
    minimum: ClassVar[float] = 0.0
    integer: ClassVar[bool] = True
    code: ClassVar[int] = DELAY
    formula: ClassVar[str] = "a'[t] = a[max(t - d, 0)]"

    def lookback(self, parameter: float) -> int:
        """The length of the delay."""
        return int(parameter)
