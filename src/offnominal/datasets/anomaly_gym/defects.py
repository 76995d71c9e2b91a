"""What is known to be wrong in the published recordings of Anomaly-Gym, from the public code that made them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Defect:
    """A defect of the published recordings.

    Args:
        worlds: Beginnings of our ids of the worlds that have it.
        text: What is wrong, and what follows from it.
        splits: Beginnings of our names of the splits that have it; all if empty.
    """

    worlds: tuple[str, ...]
    text: str
    splits: tuple[str, ...] = ()

    def concerns(self, world: str, split: str) -> bool:
        """Whether a split of a world has the defect."""
        return world.startswith(self.worlds) and (not self.splits or split.startswith(self.splits))


DEFECTS = (
    Defect(
        ("SAP-",),
        "The fault is never undone, and one environment is reused for the whole split. From the second episode on it "
        "acts from the first step, while labels say nominal until the onset: AUROC within episodes is too low.",
        ("dynamics/force@", "dynamics/moving_objects@"),
    ),
    Defect(
        ("SAP-",),
        "Levels that could not be attained have the parameter of another level: medium, strong and extreme are the "
        "same fault.",
        ("dynamics/moving_objects@",),
    ),
    Defect(
        ("SAP-",),
        "The force on the agent is the same fault as action/offset with a fifth of the parameter.",
        ("dynamics/force@", "action/offset@"),
    ),
    Defect(
        ("SAP-", "URM-", "URR-"),
        "Channels that never change while nominal (desired goal, quaternion of the goal; in SAP-Goal0 the hazard lidar)"
        " are perturbed too, so that every detector that divides by their spread finds the fault at once.",
        ("observation/",),
    ),
    Defect(
        ("URM-Reach", "URR-Reach"),
        "Success is recorded as false in every episode, because the environment does not report it. It is left out.",
    ),
    Defect(
        ("URM-Reach",),
        "The limit is above the largest step of the arm: the fault has no effect.",
        ("dynamics/robot_speed@tiny",),
    ),
    Defect(
        ("URM-",),
        "The simulation makes one step more per transition from the onset on (0.044 instead of 0.042 s).",
        ("dynamics/moving_goal@",),
    ),
    Defect(
        ("URM-PnP",),
        "The parameter is zero, which removes the damping of the joints: the policy does better than without a fault.",
        ("dynamics/robot_friction@tiny",),
    ),
    Defect(
        ("URM-PnP",),
        "The level could not be attained and has the parameter of strong.",
        ("dynamics/moving_goal@extreme",),
    ),
    Defect(("URM-PnP",), "The first observation of an episode shows the block where it is not."),
    Defect(
        ("URR-Reach",),
        "The level could not be attained; the parameter is the limit of the search.",
        ("observation/offset@extreme",),
    ),
    Defect(
        ("CAR-LaneKeep",),
        "Recorded actions are those after the fault: a model of the dynamics cannot see it.",
        ("dynamics/brake_fail@", "dynamics/steer_fail@"),
    ),
    Defect(("CAR-LaneKeep",), "The parameter is 1: there is no fault.", ("observation/scaling@tiny",)),
    Defect(
        ("CAR-LaneKeep",),
        "The distance to the lane centre is about a tenth of its square, with the sign; after an exception of the "
        "simulator an observation is random.",
    ),
    Defect(
        ("MJC-",),
        "Masses are multiplied, moments of inertia are not.",
        ("dynamics/mass@",),
    ),
)
"""All known defects. What concerns only images is not listed, because videos are not read."""


def known_defects(world: str, split: str) -> tuple[str, ...]:
    """Return what is known to be wrong in a split of the published recordings.

    Args:
        world: Our id of the world.
        split: Our name of the split.

    Example:
        >>> known_defects("CAR-LaneKeep-v0", "observation/scaling@tiny")[0]
        'The parameter is 1: there is no fault.'
        >>> known_defects("MJC-HalfCheetah-v0", "test")
        ()
    """
    return tuple(defect.text for defect in DEFECTS if defect.concerns(world, split))
