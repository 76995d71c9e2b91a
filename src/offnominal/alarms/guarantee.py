"""What an alarm promises, in words and numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from offnominal.core.config import Config

Kind = Literal["none", "marginal", "pac"]
Unit = Literal["episode", "step"]

EXCHANGEABLE = "fresh nominal episodes come from the law of the calibration episodes, in no particular order"


@dataclass(frozen=True)
class Guarantee(Config):
    """How often an alarm may be false.

    Guaranteed:
        With ``"marginal"``, the chance of a false alarm in a fresh nominal unit is at most `level`, averaged over
        calibrations. With ``"pac"`` it is at most `level` for this very calibration, unless that was one of the unlucky
        ones, of which there are at most a share of 1 - `confidence`.

    Not guaranteed:
        Anything once the assumption fails, and anything about faults: whether they are noticed, or how soon.

    Args:
        kind: What is promised; ``"none"`` promises nothing.
        level: Largest probability of a false alarm; None if nothing is promised.
        unit: In what: a whole episode or a single step.
        assumption: What has to be true.
        confidence: Of a ``"pac"`` guarantee only.

    Example:
        >>> print(Guarantee("marginal", 0.05, "episode", EXCHANGEABLE))
        a false alarm in at most 5% of nominal episodes, on average over calibrations
    """

    kind: Kind
    level: float | None
    unit: Unit
    assumption: str
    confidence: float | None = None

    def __str__(self) -> str:
        if self.level is None:
            return "nothing is promised"
        guarantee = f"a false alarm in at most {100 * self.level:.3g}% of nominal {self.unit}s"
        if self.confidence is None:
            return f"{guarantee}, on average over calibrations"
        return f"{guarantee}, in at least {100 * self.confidence:.3g}% of calibrations"
