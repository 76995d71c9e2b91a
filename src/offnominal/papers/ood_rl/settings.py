"""The 150 environments of the paper's Table 1: three worlds, each with one modification at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from offnominal.anomalies.fault import Fault
from offnominal.anomalies.schedule import Schedule
from offnominal.core.errors import UnknownName

CARTPOLE, PENDULUM, PONG = "OOD-CartPole-v0", "OOD-Pendulum-v0", "OOD-Pong-v0"

CARTPOLE_DIVISORS = tuple(range(10, 1, -1))
CARTPOLE_MULTIPLES = tuple(range(2, 11))
PENDULUM_DIVISORS = (20, 10, 5, 2)
PENDULUM_MULTIPLES = (2, 5, 10, 20)
SEVERITIES = (1, 2, 3, 4, 5)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A modified quantity of a world, one row of Table 1.

    Args:
        world: Id of the world.
        anomaly: Id of the anomaly that modifies it.
        name: Name in the paper.
        default: Its value in the unmodified world, as published.
        decimals: To which the paper rounds its values; None for exact ones.
    """

    world: str
    anomaly: str
    name: str
    default: float
    decimals: int | None = None


@dataclass(frozen=True, slots=True)
class OODSetting:
    """One environment of Table 1.

    Args:
        quantity: Modified quantity.
        parameter: The anomaly's parameter: the value in force, or the severity of a corruption.
        published: The value as Table 1 has it.

    Example:
        >>> long_pole = describe_environment("OOD-CartPole-v0", "dynamics/pole_length", 2.0)
        >>> long_pole.label, long_pole.fault().strength
        ('length of the pole 2', 2.0)
    """

    quantity: Quantity
    parameter: float
    published: str

    @property
    def world(self) -> str:
        """Id of the world."""
        return self.quantity.world

    @property
    def anomaly(self) -> str:
        """Id of the anomaly."""
        return self.quantity.anomaly

    @property
    def label(self) -> str:
        """Modified quantity and its value."""
        return f"{self.quantity.name} {self.published}"

    def fault(self, schedule: Schedule | str | int | tuple[int, int] = "start") -> Fault:
        """Return the modification as a fault; in the paper it is active from the start."""
        return Fault(self.anomaly, self.parameter, schedule)


CARTPOLE_QUANTITIES = (
    Quantity(CARTPOLE, "dynamics/gravity", "gravity", 9.8, 2),
    Quantity(CARTPOLE, "dynamics/cart_mass", "mass of the cart", 1.0, 4),
    Quantity(CARTPOLE, "dynamics/pole_length", "length of the pole", 0.5, 4),
    Quantity(CARTPOLE, "dynamics/pole_mass", "mass of the pole", 0.1, 4),
    Quantity(CARTPOLE, "dynamics/push_force", "force", 10.0, 4),
)
PENDULUM_QUANTITIES = (
    Quantity(PENDULUM, "dynamics/gravity", "gravity", 10.0),
    Quantity(PENDULUM, "dynamics/mass", "mass of the pole", 1.0),
    Quantity(PENDULUM, "dynamics/length", "length of the pole", 1.0),
    Quantity(PENDULUM, "dynamics/max_speed", "maximum speed", 8.0),
    Quantity(PENDULUM, "dynamics/max_torque", "maximum torque", 2.0),
)
CORRUPTIONS = {
    Quantity(PONG, "camera/gaussian", "Gaussian noise", 0.0): ("0.08", "0.12", "0.18", "0.26", "0.38"),
    Quantity(PONG, "camera/impulse", "impulse noise", 0.0): ("0.03", "0.06", "0.09", "0.17", "0.27"),
    Quantity(PONG, "camera/motion_blur", "motion blur", 0.0): ("(10, 3)", "(15, 5)", "(15, 8)", "(15, 12)", "(20, 15)"),
    Quantity(PONG, "camera/pixelate", "pixelate", 1.0): ("0.6", "0.5", "0.4", "0.3", "0.25"),
}
"""The corruptions of Pong, with the published parameters of severities 1 to 5."""


def values(quantity: Quantity, divisors: tuple[int, ...], multiples: tuple[int, ...]) -> list[float]:
    """Return the default divided by each of some numbers, then multiplied by each of others, rounded as published.

    Example:
        >>> values(PENDULUM_QUANTITIES[3], PENDULUM_DIVISORS, PENDULUM_MULTIPLES)
        [0.4, 0.8, 1.6, 4.0, 16.0, 40.0, 80.0, 160.0]
    """
    default, decimals = quantity.default, quantity.decimals
    found = [*(default / by for by in divisors), *(default * by for by in multiples)]
    return found if decimals is None else [round(value, decimals) for value in found]


@cache
def settings(world: str | None = None) -> tuple[OODSetting, ...]:
    """Return the settings of a world in the order of Table 1; without one, all 150.

    Example:
        >>> [len(settings(world)) for world in (CARTPOLE, PENDULUM, PONG, None)]
        [90, 40, 20, 150]
    """
    physics = [(each, CARTPOLE_DIVISORS, CARTPOLE_MULTIPLES) for each in CARTPOLE_QUANTITIES]
    physics += [(each, PENDULUM_DIVISORS, PENDULUM_MULTIPLES) for each in PENDULUM_QUANTITIES]
    listed = [OODSetting(rule[0], value, f"{value:g}") for rule in physics for value in values(*rule)]
    for quantity, published in CORRUPTIONS.items():
        listed += [OODSetting(quantity, float(level), each) for level, each in zip(SEVERITIES, published, strict=True)]
    return tuple(each for each in listed if world in (None, each.world))


def describe_environment(world: str, anomaly: str, parameter: float) -> OODSetting:
    """Return one setting of Table 1."""
    for each in settings(world):
        if (each.anomaly, each.parameter) == (anomaly, parameter):
            return each
    offered = sorted({each.anomaly for each in settings(world)})
    known = ", ".join(f"{each.parameter:g}" for each in settings(world) if each.anomaly == anomaly)
    raise UnknownName(
        f"Table 1 has no {anomaly} of {parameter:g} in {world}; "
        + (f"it has {known}." if known else f"it changes {', '.join(offered) or 'nothing there'}.")
    )
