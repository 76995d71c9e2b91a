"""The contract of an anomaly: what goes wrong, without when, where or how hard."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from offnominal.core.errors import InvalidParameter
from offnominal.core.streams import Stream
from offnominal.core.types import FloatArray, Frame

Target = Literal["observation", "action", "dynamics", "camera"]

EPISODE_LANE = 1 << 17


@dataclass(frozen=True)
class Anomaly(ABC):
    """One kind of fault. It holds no environment, no time and no strength.

    Attributes:
        kind: What happens, such as ``"noise"``.
        symbol: The letter of the parameter in the formulas.
        neutral: The parameter at which nothing happens.
        minimum: Smallest allowed parameter.
        maximum: Largest allowed parameter.
        integer: Whether the parameter counts something.
        formula: What happens, in one line.
    """

    kind: ClassVar[str]
    symbol: ClassVar[str] = "b"
    neutral: ClassVar[float] = 0.0
    minimum: ClassVar[float] = -np.inf
    maximum: ClassVar[float] = np.inf
    integer: ClassVar[bool] = False
    formula: ClassVar[str] = ""

    @property
    @abstractmethod
    def target(self) -> Target:
        """What it touches."""

    @property
    def id(self) -> str:
        """The name users write: target/kind."""
        return f"{self.target}/{self.kind}"

    def check(self, parameter: Any) -> float:
        """Return the parameter as a float, or raise :class:`InvalidParameter`."""
        return checked_parameter(self.id, parameter, minimum=self.minimum, maximum=self.maximum, integer=self.integer)


@dataclass(frozen=True)
class FaultContext:
    """Where in an episode a fault acts.

    Args:
        step: Index of the transition; -1 for the first picture of an episode, before any transition.
        since: Transitions since the onset.
        lane: Number of the fault within the episode.
        stream: The episode's anomaly stream.
        memory: Whatever the fault wants to keep until its next transition of the same episode.
    """

    step: int
    since: int
    lane: int
    stream: Stream
    memory: dict[str, Any]

    def normal(self, size: int) -> FloatArray:
        """Return standard normal numbers that belong to this fault and this transition."""
        return self.stream.normal(size, step=self.step, lane=self.lane)

    def uniform(self, size: int) -> FloatArray:
        """Return uniform numbers on (0, 1) that belong to this fault and this transition."""
        return self.stream.uniform(size, step=self.step, lane=self.lane)

    def uniform_per_episode(self, size: int) -> FloatArray:
        """Return uniform numbers on (0, 1) that belong to this fault and stay the same for the whole episode."""
        return self.stream.uniform(size, lane=EPISODE_LANE + self.lane)


@dataclass(frozen=True)
class SignalAnomaly(Anomaly):
    """A fault of a signal: of what is seen or of what is commanded.

    Subclasses outside this package implement :meth:`perturb`; the built-in ones run in one compiled kernel.

    Args:
        on: ``"observation"`` or ``"action"``.

    Example:
        >>> @dataclass(frozen=True)
        ... class Stuck(SignalAnomaly):
        ...     kind = "stuck"
        ...     formula = "o' = value at onset"
        ...
        ...     def perturb(self, signal, parameter, context):
        ...         return context.memory.setdefault("held", signal.copy())
        >>> Stuck(on="observation").id
        'observation/stuck'
    """

    on: Literal["observation", "action"] = "observation"
    code: ClassVar[int] = 0

    def __post_init__(self) -> None:
        if self.on not in ("observation", "action"):
            raise InvalidParameter(f"on={self.on!r} is no signal; choose 'observation' or 'action'.")
        if self.code == 0 and type(self).perturb is SignalAnomaly.perturb:
            raise InvalidParameter(f"{type(self).__name__} does not say what it does; implement `perturb`.")

    @property
    def target(self) -> Target:
        """The signal it touches."""
        return self.on

    @property
    def option(self) -> float:
        """A constant of this anomaly that the compiled kernel needs."""
        return 0.0

    def perturb(self, signal: FloatArray, parameter: float, context: FaultContext) -> FloatArray:
        """Return the perturbed signal of one row; must not change the given one."""
        raise InvalidParameter(f"{type(self).__name__} runs in the compiled kernel; use it in a Fault.")


@dataclass(frozen=True)
class CameraAnomaly(Anomaly):
    """A fault of a camera: what it shows is not what stands before it.

    It acts on pictures, so the environment must be one that shows some (``observation="image"``). Subclasses
    implement :meth:`perturb`; those that need earlier pictures also :meth:`observe`. There are no named strengths: an
    agent that sees the vector loses nothing.

    Attributes:
        typical: A parameter whose effect people see at a glance.

    Example:
        >>> @dataclass(frozen=True)
        ... class Swapped(CameraAnomaly):
        ...     kind = "swapped"
        ...     formula = "red and blue change places if b > 0"
        ...
        ...     def perturb(self, frame, parameter, context):
        ...         return frame[..., ::-1] if parameter > 0 else frame
        >>> Swapped().id
        'camera/swapped'
    """

    typical: ClassVar[float] = 1.0

    @property
    def target(self) -> Target:
        """The picture."""
        return "camera"

    @abstractmethod
    def perturb(self, frame: Frame, parameter: float, context: FaultContext) -> Frame:
        """Return the picture that is shown instead of this one, while the fault is on.

        Args:
            frame: (H, W, 3) uint8; read-only, and valid during this call only.
            parameter: The one in force.
            context: Where in the episode.
        """

    def observe(self, frame: Frame, parameter: float, context: FaultContext) -> None:
        """Take note of a picture that passes while the fault is off; the first of an episode is always one.

        Args:
            frame: As for :meth:`perturb`.
            parameter: The one at full strength.
            context: Where in the episode; its memory is the one that `perturb` gets.
        """


@dataclass(frozen=True)
class DynamicsAnomaly(Anomaly):
    """A fault of the physics: a physics parameter of the world is changed.

    Args:
        physics_parameter: Name of the physics parameter; the world says which it has.
    """

    physics_parameter: str = ""
    kind: ClassVar[str] = "dynamics"
    formula: ClassVar[str] = "the physics parameter takes the value b"

    def __post_init__(self) -> None:
        if not self.physics_parameter:
            raise InvalidParameter("a dynamics anomaly needs the name of a physics parameter, such as 'mass'.")

    @property
    def target(self) -> Target:
        """The physics."""
        return "dynamics"

    @property
    def id(self) -> str:
        """``dynamics/<physics_parameter>``."""
        return f"dynamics/{self.physics_parameter}"


def checked_parameter(
    name: str, value: Any, *, minimum: float, maximum: float = np.inf, integer: bool = False
) -> float:
    """Return a fault's parameter as a float, or raise :class:`InvalidParameter`."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise InvalidParameter(
            f"the parameter of {name} is {value!r} ({type(value).__name__}); expected a number or a strength such as "
            "'medium'."
        )
    number = float(value)
    if not np.isfinite(number):
        raise InvalidParameter(f"the parameter of {name} is {number}; expected a finite number.")
    if number < minimum:
        raise InvalidParameter(f"the parameter of {name} is {number:g}; expected at least {minimum:g}.")
    if number > maximum:
        raise InvalidParameter(f"the parameter of {name} is {number:g}; expected at most {maximum:g}.")
    if integer and number != int(number):
        raise InvalidParameter(f"the parameter of {name} is {number:g}; expected a whole number of steps.")
    return number
