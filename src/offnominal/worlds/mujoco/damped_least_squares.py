"""Scripted expert for Reacher 3D: inverse kinematics by damped least squares."""

from __future__ import annotations

import numpy as np

from offnominal.core.policy import FunctionPolicy
from offnominal.core.types import Array, FloatArray

# Mobility of each joint, shoulder to hand: the two at the shoulder turn by at most 0.1 rad/s.
MOBILITY = np.array([0.1, 0.1, 1.0, 0.3, 1.0, 1.0, 1.0])
# Upper arm rolled inwards, elbow and wrist bent: the stretched arm of the start is singular along its axis.
FOLDED = np.array([0.0, 0.0, -1.7, -1.75, 0.0, -1.4, 0.0])
FOLDING = FOLDED != 0.0


class DampedLeastSquares(FunctionPolicy):
    """Moves the hand of MJC-Reacher3D-v0 to its goal.

    The step of the joints is the least-squares solution that moves the hand to the goal, with a penalty on the step
    length that is smaller for mobile joints. The step starts from a partly folded arm; the arm folds more if the
    goal is farther away. Torques are proportional to the step and damped by the velocity.

    Args:
        damping: Penalty on long steps, m². A large value is slow, a small one is jerky near the stretched arm.
        folding: Fraction of the way to the folded arm per step and per metre to the goal.
        stiffness: Torque per step of a joint of mobility 1, N m/rad. Joints of low mobility are stiffer.
        braking: Torque against the velocity, N m s/rad.

    Example:
        >>> from offnominal.rollouts import evaluate_policy
        >>> evaluate_policy("MJC-Reacher3D-v0", DampedLeastSquares(), 20).mean_return > -60
        True
    """

    def __init__(
        self, damping: float = 0.1, folding: float = 0.4, stiffness: float = 5.0, braking: float = 0.2
    ) -> None:
        super().__init__(self._reach)
        self.damping = damping
        self.folding = folding
        self.stiffness = stiffness
        self.braking = braking

    def _reach(self, observations: Array) -> Array:
        values = observations.astype(np.float64)
        angles, goal, speeds = values[:, :7], values[:, 7:10], values[:, 10:]
        hand, moves = hand_and_moves(angles)
        miss = goal - hand
        distance = np.sqrt(np.sum(miss**2, axis=1, keepdims=True))
        fold = self.folding * distance * FOLDING * (FOLDED - angles)
        step = fold + self._least_squares(moves, miss - np.sum(moves * fold[:, :, None], axis=1))
        torques: FloatArray = np.clip(self.stiffness * step / MOBILITY - self.braking * speeds, -1.0, 1.0)
        return torques

    def _least_squares(self, moves: FloatArray, miss: FloatArray) -> FloatArray:
        """Return the steps of the joints, (n, 7), that move the hand by a vector, (n, 3)."""
        weighted = moves * MOBILITY[:, None]
        normal = np.sum(weighted[:, :, :, None] * moves[:, :, None, :], axis=1) + self.damping * np.eye(3)
        pull = np.linalg.solve(normal, miss[:, :, None])[:, None, :, 0]
        steps: FloatArray = np.sum(weighted * pull, axis=2)
        return steps


def hand_and_moves(angles: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the hand position, (n, 3), and its Jacobian, (n, 7, 3), for joint angles, (n, 7).

    A joint moves the hand along the cross product of its axis and the vector from joint to hand.
    """
    # That module imports MuJoCo, which only this world needs.
    from offnominal.worlds.mujoco.reacher import BASE_Y, FOREARM, HAND, SHOULDER_OFFSET, UPPER_ARM

    cosines, sines = np.cos(angles)[:, :, None], np.sin(angles)[:, :, None]
    forward, left, upward = (np.tile(axis, (len(angles), 1)) for axis in np.eye(3))
    ahead = cosines[:, 0] * forward + sines[:, 0] * left
    across = cosines[:, 0] * left - sines[:, 0] * forward
    along = cosines[:, 1] * ahead - sines[:, 1] * upward
    base = BASE_Y * left
    shoulder = base + SHOULDER_OFFSET * ahead
    end = shoulder + UPPER_ARM * along
    axes, places = [upward, across], [base, shoulder]
    for roll, length in ((2, FOREARM), (4, HAND)):
        axes.append(along)
        across = cosines[:, roll] * across + sines[:, roll] * np.cross(along, across)
        axes.append(across)
        along = cosines[:, roll + 1] * along + sines[:, roll + 1] * np.cross(across, along)
        places += [end, end]
        end = end + length * along
    axes.append(along)
    places.append(end)
    return end, np.cross(np.stack(axes, axis=1), end[:, None, :] - np.stack(places, axis=1))
