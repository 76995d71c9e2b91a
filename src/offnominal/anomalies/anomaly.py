"""The interface of an anomaly: a kind of fault without schedule, channels and strength."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from offnominal.core.checks import require_shape
from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown
from offnominal.core.streams import Stream
from offnominal.core.types import FloatArray, Frame

Target = Literal["observation", "action", "dynamics", "camera"]

EPISODE_LANE = 1 << 17


@dataclass(frozen=True)
class Anomaly(ABC):
    """One kind of fault. It holds no environment, no schedule and no strength.

    Attributes:
        kind: Name of the effect, such as ``"noise"``.
        symbol: Symbol of the parameter in the formula.
        neutral: Parameter without effect.
        minimum: Smallest allowed parameter.
        maximum: Largest allowed parameter.
        integer: Whether the parameter is a whole number.
        formula: The effect in one line.
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
        """What the anomaly acts on."""

    @property
    def id(self) -> str:
        """Id of the anomaly: ``target/kind``."""
        return f"{self.target}/{self.kind}"

    def check(self, parameter: Any) -> float:
        """Return the parameter as a float, or raise :class:`InvalidParameter`."""
        return checked_parameter(self.id, parameter, minimum=self.minimum, maximum=self.maximum, integer=self.integer)

    def lookback(self, parameter: float) -> int:
        """Return how many transitions before its onset the effect uses; most use none.

        A fault that starts at run time needs that many recent signals or images.
        """
        return 0


@dataclass(frozen=True)
class FaultContext:
    """Context in which a fault acts: position in the episode, random numbers and memory.

    Args:
        step: Index of the transition; -1 for the first image of an episode, before any transition.
        since: Transitions since the onset.
        lane: Index of the fault within the episode.
        stream: The episode's anomaly stream.
        memory: Memory of the fault until the end of the episode.
    """

    step: int
    since: int
    lane: int
    stream: Stream
    memory: dict[str, Any]

    def normal(self, size: int) -> FloatArray:
        """Return standard normal numbers for this fault and this transition."""
        return self.stream.normal(size, step=self.step, lane=self.lane)

    def uniform(self, size: int) -> FloatArray:
        """Return uniform numbers on (0, 1) for this fault and this transition."""
        return self.stream.uniform(size, step=self.step, lane=self.lane)

    def uniform_per_episode(self, size: int) -> FloatArray:
        """Return uniform numbers on (0, 1) for this fault that are the same in every transition of the episode."""
        return self.stream.uniform(size, lane=EPISODE_LANE + self.lane)


@dataclass(frozen=True)
class SignalAnomaly(Anomaly):
    """An anomaly of a signal: the observation or the action.

    Subclasses outside this package implement :meth:`perturb`; the built-in ones run in one compiled kernel.

    Args:
        on: The signal, ``"observation"`` or ``"action"``.

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
            raise InvalidParameter(f"on is {self.on!r}; choose 'observation' or 'action'.")
        if self.code == 0 and type(self).perturb is SignalAnomaly.perturb:
            raise InvalidParameter(f"{type(self).__name__} has no `perturb`; implement it.")

    @property
    def target(self) -> Target:
        """The signal."""
        return self.on

    @property
    def option(self) -> float:
        """Constant of this anomaly for the compiled kernel."""
        return 0.0

    def perturb(self, signal: FloatArray, parameter: float, context: FaultContext) -> FloatArray:
        """Return the perturbed signal of one row. The given array must not be changed.

        Args:
            signal: (channels,): the signal.
            parameter: The current parameter.
            context: Context in the episode.
        """
        raise InvalidParameter(f"{type(self).__name__} runs in the compiled kernel; use it in a Fault.")


@dataclass(frozen=True)
class CameraAnomaly(Anomaly):
    """An anomaly of a camera: it changes images.

    The environment must have images (``observation="image"``). Subclasses implement :meth:`perturb`; those that need
    earlier images also :meth:`observe`. There are no named strengths, because the return of an agent with vector
    observations does not change.

    Attributes:
        typical: A parameter with a clearly visible effect.

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
        """The camera."""
        return "camera"

    @abstractmethod
    def perturb(self, frame: Frame, parameter: float, context: FaultContext) -> Frame:
        """Return the changed image while the fault is on.

        Args:
            frame: (H, W, 3) uint8; read-only, and valid during this call only.
            parameter: The current parameter.
            context: Context in the episode.
        """

    def observe(self, frame: Frame, parameter: float, context: FaultContext) -> None:
        """Record an image while the fault is off, such as the first one of every episode.

        Args:
            frame: As for :meth:`perturb`.
            parameter: The parameter at full strength.
            context: Context in the episode; :meth:`perturb` gets the same memory.
        """


@dataclass(frozen=True)
class DynamicsAnomaly(Anomaly):
    """An anomaly of the dynamics: it changes a physics parameter of the world.

    Args:
        physics_parameter: Name of a physics parameter on the world's card.
    """

    physics_parameter: str = ""
    kind: ClassVar[str] = "dynamics"
    formula: ClassVar[str] = "the physics parameter takes the value b"

    def __post_init__(self) -> None:
        if not self.physics_parameter:
            raise InvalidParameter("a dynamics anomaly needs the name of a physics parameter, such as 'mass'.")

    @property
    def target(self) -> Target:
        """The dynamics."""
        return "dynamics"

    @property
    def id(self) -> str:
        """``dynamics/<physics_parameter>``."""
        return f"dynamics/{self.physics_parameter}"


def require_frame(frame: Frame) -> None:
    """Raise :class:`InvalidParameter` unless an image has the shape (height, width, 3)."""
    require_shape("frame", frame, "height", "width", 3)


def checked_parameter(
    name: str, value: Any, *, minimum: float, maximum: float = np.inf, integer: bool = False
) -> float:
    """Return the parameter of a fault as a float, or raise :class:`InvalidParameter`."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise InvalidParameter(
            f"the parameter of {name} is {shown(value)} ({type(value).__name__}); expected a number or a strength "
            "such as 'medium'."
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
