"""A hand brought to its goal by damped least squares on the joints."""

from __future__ import annotations

import numpy as np

from offnominal.agents.policy import FunctionPolicy
from offnominal.core.types import Array, FloatArray

# How willingly each joint moves, shoulder to hand: the two at the shoulder turn by 0.1 rad/s at most.
MOBILITY = np.array([0.1, 0.1, 1.0, 0.3, 1.0, 1.0, 1.0])
# Upper arm rolled inwards, elbow and wrist bent: the stretched arm of the start cannot move along itself.
FOLDED = np.array([0.0, 0.0, -1.7, -1.75, 0.0, -1.4, 0.0])
FOLDING = FOLDED != 0.0


class DampedLeastSquares(FunctionPolicy):
    """Brings the hand of MJC-Reacher3D-v0 to its goal.

    The joints step so that the hand would move to the goal, by least squares that also charge the length of the step,
    less for joints that move easily. The arm folds meanwhile, the more the farther the goal: that is where the step
    starts from. Torques are springs to the end of the step, with brakes.

    Args:
        damping: Charge on long steps, m². Large is slow, small is jerky where the arm is stretched.
        folding: Part of the way to the folded arm that a step goes, per metre to the goal.
        stiffness: Torque per step of a joint of mobility 1, N m/rad. Stiff joints are those that move unwillingly.
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
        seen = observations.astype(np.float64)
        angles, goal, speeds = seen[:, :7], seen[:, 7:10], seen[:, 10:]
        hand, moves = hand_and_moves(angles)
        miss = goal - hand
        distance = np.sqrt(np.sum(miss**2, axis=1, keepdims=True))
        fold = self.folding * distance * FOLDING * (FOLDED - angles)
        step = fold + self._least_squares(moves, miss - np.sum(moves * fold[:, :, None], axis=1))
        torques: FloatArray = np.clip(self.stiffness * step / MOBILITY - self.braking * speeds, -1.0, 1.0)
        return torques

    def _least_squares(self, moves: FloatArray, miss: FloatArray) -> FloatArray:
        """Return the joints' steps, (n, 7), that bring the hand nearer by a vector, (n, 3)."""
        willing = moves * MOBILITY[:, None]
        normal = np.sum(willing[:, :, :, None] * moves[:, :, None, :], axis=1) + self.damping * np.eye(3)
        pull = np.linalg.solve(normal, miss[:, :, None])[:, None, :, 0]
        steps: FloatArray = np.sum(willing * pull, axis=2)
        return steps


def hand_and_moves(angles: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return where the hand is, (n, 3), and how each joint moves it, (n, 7, 3), for angles, (n, 7).

    A joint moves the hand at right angles to its axis and to the lever between joint and hand.
    """
    # That module loads MuJoCo, which only those who run this world need.
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
