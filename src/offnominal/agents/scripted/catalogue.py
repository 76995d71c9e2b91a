"""Which scripted expert belongs to which world."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from offnominal.agents.policy import Policy
from offnominal.agents.scripted.ball_follower import BallFollower
from offnominal.agents.scripted.damped_least_squares import DampedLeastSquares
from offnominal.agents.scripted.energy_pump import EnergyPump
from offnominal.agents.scripted.gait import Gait
from offnominal.agents.scripted.pole_balance import PoleBalance
from offnominal.agents.scripted.potential_field import PotentialField
from offnominal.agents.scripted.swing_up import SwingUp
from offnominal.core.errors import UnknownName, did_you_mean

_EXPERTS: dict[str, Callable[[], Policy]] = {
    "MJC-CartpoleSwingup-v0": SwingUp,
    "MJC-HalfCheetah-v0": Gait,
    "MJC-Reacher3D-v0": DampedLeastSquares,
    "OOD-CartPole-v0": PoleBalance,
    "OOD-Pendulum-v0": EnergyPump,
    "OOD-Pong-v0": BallFollower,
    **{id: partial(PotentialField.for_world, id) for id in ("SAP-Goal0-v0", "SAP-Goal1-v0", "SAP-Goal2-v0")},
}


def scripted_expert(world: str) -> Policy:
    """Return the scripted expert of a world: a controller that never learned.

    Args:
        world: Id of a world that comes with the package.

    Example:
        >>> from offnominal.rollouts import evaluate_policy
        >>> evaluate_policy("MJC-Reacher3D-v0", scripted_expert("MJC-Reacher3D-v0"), 20).mean_return > -60
        True
    """
    if world not in _EXPERTS:
        raise UnknownName(
            f"no scripted expert for {world!r}.{did_you_mean(world, _EXPERTS)} There is one for each of "
            f"{', '.join(_EXPERTS)}."
        )
    return _EXPERTS[world]()
