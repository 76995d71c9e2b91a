"""Kinematics of the UR3: forward kinematics, Jacobian and damped-least-squares inverse kinematics.

Lengths are in metres, angles in radians. Poses are those of the tool flange, or of a tool centre point (TCP) `tool`
metres beyond it, in the frame of the robot's base. At joint 1 = 0 the arm points along the negative x axis.

Pose and Jacobian use only IEEE arithmetic in a fixed order, so that the same joints give the same bits on every CPU.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from offnominal.core.compilation import compiled
from offnominal.core.deterministic_math import arctan2, sincos
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray

JOINTS = ("shoulder pan", "shoulder lift", "elbow", "wrist 1", "wrist 2", "wrist 3")
"""Names of the joints, from the base to the flange."""
A = (0.0, -0.24365, -0.21325, 0.0, 0.0, 0.0)
"""Denavit-Hartenberg link lengths of the UR3 (CB3), as Universal Robots publishes them."""
D = (0.1519, 0.0, 0.0, 0.11235, 0.08535, 0.0819)
"""Denavit-Hartenberg link offsets."""
ALPHA = (0.5 * math.pi, 0.0, 0.0, 0.5 * math.pi, -0.5 * math.pi, 0.0)
"""Denavit-Hartenberg link twists."""
COS_ALPHA = (0.0, 1.0, 1.0, 0.0, 0.0, 1.0)
SIN_ALPHA = (1.0, 0.0, 0.0, 1.0, -1.0, 0.0)

TURN = 2.0 * math.pi
MAX_JOINT_STEP = 0.5
"""Largest change of one joint in one iteration."""
ROTATION_WEIGHT = 0.1
"""Metres that one radian of orientation error counts as."""
INITIAL_DAMPING = 1e-6
MIN_DAMPING, MAX_DAMPING = 1e-12, 1e2
SOLVED = 1e-20
"""Squared weighted error, m², below which the iteration stops."""


def forward(q: ArrayLike, tool: float = 0.0) -> FloatArray:
    """Return the pose of the TCP as a 4 x 4 matrix.

    Args:
        q: Six joint angles.
        tool: Distance from the flange to the TCP along the axis of joint 6.

    Example:
        >>> forward([0.0, 0.0, 0.0, 0.0, 0.0, 0.0])[:3, 3].round(5).tolist()
        [-0.4569, -0.19425, 0.06655]
    """
    pose = np.empty((4, 4))
    forward_into(_vector("q", q), tool, pose)
    return pose


def jacobian(q: ArrayLike, tool: float = 0.0) -> FloatArray:
    """Return the 6 x 6 matrix from joint velocities to the linear and the angular velocity of the TCP.

    Args:
        q: Six joint angles.
        tool: See :func:`forward`.
    """
    matrix, pose = np.empty((6, 6)), np.empty((4, 4))
    jacobian_into(_vector("q", q), tool, pose, matrix)
    return matrix


def inverse(pose: ArrayLike, q0: ArrayLike, tool: float = 0.0, *, iterations: int = 200) -> FloatArray:
    """Return joint angles that bring the TCP to a pose, near the given ones.

    Args:
        pose: 4 x 4 matrix, or position and rotation vector (6 numbers).
        q0: Joint angles to start from.
        tool: See :func:`forward`.
        iterations: Largest number of iterations.

    Raises:
        InvalidParameter: The pose is out of reach, or not reachable from `q0` without passing a singularity.

    Example:
        >>> home = np.array([1.6, -1.6, 1.6, -1.6, -1.6, 0.0])
        >>> bool(np.abs(inverse(forward(home + 0.1), home) - home - 0.1).max() < 1e-9)
        True
    """
    target = np.asarray(pose, np.float64)
    target = pose_matrix(target) if target.shape == (6,) else target
    if target.shape != (4, 4) or not np.isfinite(target).all():
        raise InvalidParameter("a pose is a 4 x 4 matrix or six numbers (position, rotation vector), all finite.")
    q = _vector("q0", q0).copy()
    error = solve(target, tool, iterations, q)
    if not error < 1e-12:
        raise InvalidParameter(
            f"no joint angles found for a TCP at {target[:3, 3].round(4).tolist()}: the nearest pose found is "
            f"{math.sqrt(error):.1e} m away (1 rad counts as {ROTATION_WEIGHT} m); start nearer, or choose a pose "
            f"within reach."
        )
    return q


def pose_vector(pose: FloatArray) -> FloatArray:
    """Return the position and the rotation vector of a 4 x 4 matrix, as the robot's controller writes poses."""
    x, y, z = rotation_vector(pose)
    return np.array([pose[0, 3], pose[1, 3], pose[2, 3], x, y, z])


def tcp_velocity(q: FloatArray, qd: FloatArray, tool: float = 0.0) -> FloatArray:
    """Return the linear and the angular velocity of the TCP; `q` is not checked."""
    matrix, pose = np.empty((6, 6)), np.empty((4, 4))
    jacobian_into(q, tool, pose, matrix)
    velocity: FloatArray = matrix.dot(qd)
    return velocity


def tcp_vector(q: FloatArray, tool: float = 0.0) -> FloatArray:
    """Return the position and the rotation vector of the TCP; `q` is not checked."""
    result = np.empty(6)
    tcp_vector_into(q, tool, result)
    return result


def pose_matrix(vector: ArrayLike) -> FloatArray:
    """Return the 4 x 4 matrix of a position and a rotation vector (Rodrigues' formula)."""
    pose = np.empty((4, 4))
    _matrix_into(_vector("pose", vector), pose)
    return pose


def _vector(name: str, values: ArrayLike) -> FloatArray:
    vector = np.ascontiguousarray(values, np.float64)
    if vector.shape != (6,) or not all_finite(vector):
        raise InvalidParameter(f"{name} has shape {vector.shape}; expected six finite numbers.")
    return vector


@compiled
def all_finite(numbers: FloatArray) -> bool:
    """Return whether all numbers of a vector are finite."""
    for number in numbers:
        if not math.isfinite(number):
            return False
    return True


@compiled
def forward_into(q: FloatArray, tool: float, pose: FloatArray) -> None:
    """Write the pose of the TCP into a 4 x 4 matrix."""
    pose[:] = 0.0
    for i in range(4):
        pose[i, i] = 1.0
    for joint in range(6):
        _append_link(pose, q[joint], joint)
    for i in range(3):
        pose[i, 3] += tool * pose[i, 2]


@compiled
def _append_link(pose: FloatArray, angle: float, joint: int) -> None:
    """Multiply a pose by the transformation Rz(angle) Tz(d) Tx(a) Rx(alpha) of a joint and its link."""
    s, c = sincos(angle)
    for i in range(3):
        x = c * pose[i, 0] + s * pose[i, 1]
        y = c * pose[i, 1] - s * pose[i, 0]
        z = pose[i, 2]
        pose[i, 3] += A[joint] * x + D[joint] * z
        pose[i, 0] = x
        pose[i, 1] = COS_ALPHA[joint] * y + SIN_ALPHA[joint] * z
        pose[i, 2] = COS_ALPHA[joint] * z - SIN_ALPHA[joint] * y


@compiled
def jacobian_into(q: FloatArray, tool: float, pose: FloatArray, matrix: FloatArray) -> None:
    """Write the pose of the TCP and the Jacobian there."""
    origins = np.empty((6, 3))
    pose[:] = 0.0
    for i in range(4):
        pose[i, i] = 1.0
    for joint in range(6):
        for i in range(3):
            matrix[3 + i, joint] = pose[i, 2]
            origins[joint, i] = pose[i, 3]
        _append_link(pose, q[joint], joint)
    for i in range(3):
        pose[i, 3] += tool * pose[i, 2]
    for joint in range(6):
        x, y, z = pose[0, 3] - origins[joint, 0], pose[1, 3] - origins[joint, 1], pose[2, 3] - origins[joint, 2]
        ax, ay, az = matrix[3, joint], matrix[4, joint], matrix[5, joint]
        matrix[0, joint] = ay * z - az * y
        matrix[1, joint] = az * x - ax * z
        matrix[2, joint] = ax * y - ay * x


@compiled
def rotation_vector(rotation: FloatArray) -> tuple[float, float, float]:
    """Return axis times angle of a rotation matrix, or of the rotation in a pose; the angle is at most pi."""
    r = rotation
    trace = r[0, 0] + r[1, 1] + r[2, 2]
    if trace > 0.0:
        w, x, y, z = 1.0 + trace, r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]
    elif r[0, 0] >= r[1, 1] and r[0, 0] >= r[2, 2]:
        w, x = r[2, 1] - r[1, 2], 1.0 + r[0, 0] - r[1, 1] - r[2, 2]
        y, z = r[0, 1] + r[1, 0], r[0, 2] + r[2, 0]
    elif r[1, 1] >= r[2, 2]:
        w, y = r[0, 2] - r[2, 0], 1.0 - r[0, 0] + r[1, 1] - r[2, 2]
        x, z = r[0, 1] + r[1, 0], r[1, 2] + r[2, 1]
    else:
        w, z = r[1, 0] - r[0, 1], 1.0 - r[0, 0] - r[1, 1] + r[2, 2]
        x, y = r[0, 2] + r[2, 0], r[1, 2] + r[2, 1]
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    sine = math.sqrt(x * x + y * y + z * z)
    if sine == 0.0:
        return 0.0, 0.0, 0.0
    scale = 2.0 * arctan2(sine, w) / sine
    return scale * x, scale * y, scale * z


@compiled
def tcp_vector_into(q: FloatArray, tool: float, vector: FloatArray) -> None:
    """Write the position and the rotation vector of the TCP."""
    pose = np.empty((4, 4))
    forward_into(q, tool, pose)
    vector[0], vector[1], vector[2] = pose[0, 3], pose[1, 3], pose[2, 3]
    vector[3], vector[4], vector[5] = rotation_vector(pose)


@compiled
def _matrix_into(vector: FloatArray, pose: FloatArray) -> None:
    x, y, z = vector[3], vector[4], vector[5]
    square = x * x + y * y + z * z
    angle = math.sqrt(square)
    s, c = sincos(angle)
    # Below 1e-8 rad the next term of each series is under half a unit in the last place.
    first = s / angle if angle > 1e-8 else 1.0
    second = (1.0 - c) / square if angle > 1e-8 else 0.5
    pose[:] = 0.0
    axis = (x, y, z)
    for i in range(3):
        for j in range(3):
            pose[i, j] = second * axis[i] * axis[j] + (c if i == j else 0.0)
        pose[i, 3] = vector[i]
    pose[0, 1] -= first * z
    pose[0, 2] += first * y
    pose[1, 0] += first * z
    pose[1, 2] -= first * x
    pose[2, 0] -= first * y
    pose[2, 1] += first * x
    pose[3, 3] = 1.0


@compiled
def angle_between(first: FloatArray, second: FloatArray) -> float:
    """Return the angle between the orientations of two poses, each a position and a rotation vector."""
    a, b, turn = np.empty((4, 4)), np.empty((4, 4)), np.empty((3, 3))
    _matrix_into(first, a)
    _matrix_into(second, b)
    for i in range(3):
        for j in range(3):
            turn[i, j] = a[i, 0] * b[j, 0] + a[i, 1] * b[j, 1] + a[i, 2] * b[j, 2]
    x, y, z = rotation_vector(turn)
    return math.sqrt(x * x + y * y + z * z)


@compiled
def _error_into(target: FloatArray, pose: FloatArray, turn: FloatArray, matrix: FloatArray, error: FloatArray) -> float:
    """Write what is missing to the target pose (metres, weighted radians), weight the Jacobian, return the square."""
    for i in range(3):
        error[i] = target[i, 3] - pose[i, 3]
        for j in range(3):
            turn[i, j] = target[i, 0] * pose[j, 0] + target[i, 1] * pose[j, 1] + target[i, 2] * pose[j, 2]
    x, y, z = rotation_vector(turn)
    error[3], error[4], error[5] = ROTATION_WEIGHT * x, ROTATION_WEIGHT * y, ROTATION_WEIGHT * z
    square = 0.0
    for i in range(6):
        square += error[i] * error[i]
        for joint in range(6):
            matrix[i, joint] *= ROTATION_WEIGHT if i >= 3 else 1.0
    return square


@compiled
def _damped_step(matrix: FloatArray, error: FloatArray, damping: float, step: FloatArray) -> None:
    """Write the joint step J^T (J J^T + damping I)^-1 error, by Cholesky decomposition."""
    normal, solution = np.empty((6, 6)), np.empty(6)
    for i in range(6):
        for j in range(i + 1):
            total = damping if i == j else 0.0
            for k in range(6):
                total += matrix[i, k] * matrix[j, k]
            for k in range(j):
                total -= normal[i, k] * normal[j, k]
            normal[i, j] = math.sqrt(max(total, 1e-300)) if i == j else total / normal[j, j]
    for i in range(6):
        total = error[i]
        for k in range(i):
            total -= normal[i, k] * solution[k]
        solution[i] = total / normal[i, i]
    for i in range(5, -1, -1):
        total = solution[i]
        for k in range(i + 1, 6):
            total -= normal[k, i] * solution[k]
        solution[i] = total / normal[i, i]
    largest = 0.0
    for joint in range(6):
        step[joint] = 0.0
        for i in range(6):
            step[joint] += matrix[i, joint] * solution[i]
        largest = max(largest, abs(step[joint]))
    if largest > MAX_JOINT_STEP:
        for joint in range(6):
            step[joint] *= MAX_JOINT_STEP / largest


@compiled
def solve_vector(target: FloatArray, tool: float, iterations: int, q: FloatArray) -> float:
    """Do as :func:`solve` for a target that is a position and a rotation vector."""
    pose = np.empty((4, 4))
    _matrix_into(target, pose)
    return solve(pose, tool, iterations, q)


@compiled
def solve(target: FloatArray, tool: float, iterations: int, q: FloatArray) -> float:
    """Move joint angles towards a pose and return the squared weighted error that is left, m².

    Each iteration is a damped-least-squares step. The damping falls after a step that reduces the error; a step that
    does not is taken back, and the damping rises (Levenberg and Marquardt). Out of reach, the joints end at a pose
    near the target.

    Args:
        target: 4 x 4 matrix.
        tool: See :func:`forward`.
        iterations: Largest number of iterations.
        q: Joint angles to start from; overwritten by the solution.
    """
    pose, turn, step, trial = np.empty((4, 4)), np.empty((3, 3)), np.empty(6), np.empty(6)
    matrix, error, trial_matrix, trial_error = np.empty((6, 6)), np.empty(6), np.empty((6, 6)), np.empty(6)
    damping = INITIAL_DAMPING
    jacobian_into(q, tool, pose, matrix)
    square = _error_into(target, pose, turn, matrix, error)
    for _ in range(iterations):
        if square < SOLVED:
            break
        _damped_step(matrix, error, damping, step)
        for joint in range(6):
            trial[joint] = q[joint] + step[joint]
        jacobian_into(trial, tool, pose, trial_matrix)
        trial_square = _error_into(target, pose, turn, trial_matrix, trial_error)
        if trial_square < square:
            for joint in range(6):
                q[joint] = trial[joint]
            square, damping = trial_square, max(0.1 * damping, MIN_DAMPING)
            matrix, trial_matrix = trial_matrix, matrix
            error, trial_error = trial_error, error
        else:
            damping = min(10.0 * damping, MAX_DAMPING)
    for joint in range(6):
        limit = 0.5 * TURN if joint == 2 else TURN
        while q[joint] > limit:
            q[joint] -= TURN
        while q[joint] < -limit:
            q[joint] += TURN
    return square
