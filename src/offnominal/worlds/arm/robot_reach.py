"""URR-Reach: the task of URM-Reach on a robot behind its own protocol, virtual or real."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.worlds.arm.card import BASE_HEIGHT, MAX_STEP, ROBOT_REACH, ROBOT_STEP, TARGET_HIGH, TARGET_LOW, TOOL
from offnominal.worlds.arm.errors import SafetyStop
from offnominal.worlds.arm.kernel import REACHED, move_goals, point_down
from offnominal.worlds.arm.kinematics import forward, forward_into, solve, tcp_vector_into
from offnominal.worlds.arm.reach import Reach
from offnominal.worlds.arm.rtde.client import LOOKAHEAD, RobotClient
from offnominal.worlds.arm.rtde.controller import VirtualController
from offnominal.worlds.arm.rtde.limits import MotionLimits
from offnominal.worlds.arm.rtde.lockstep import LocalRobot, LockstepGroup
from offnominal.worlds.arm.rtde.motion import ITERATIONS
from offnominal.worlds.arm.rtde.mujoco_backend import MujocoBackend
from offnominal.worlds.arm.rtde.state import RobotState
from offnominal.worlds.arm.world import ARM, START
from offnominal.worlds.camera import Camera

ELBOW = 2
MIN_ELBOW = 0.35
"""Smallest angle of the elbow, rad. A straight elbow is singular: its joints would have to move too fast."""
MAX_LATENCY = 1.0
"""Longest latency, s."""
LIMITS = MotionLimits(max_step=0.04, max_servo_speed=1.0, max_lag=0.03)
"""Limits of the motions. Targets are relative to the arm, so they stay near it; when an action reverses, they jump."""


class RobotReach(Reach):
    """N UR3 robots that reach for goals through the robot's own protocol.

    Each row has a client that sends a servo target every 0.04 s and reads the joints back. The target is the position
    of the arm plus 9 mm times the action. The arm lags behind it and moves about 4 mm, as in URM-Reach. Observations
    and rewards are computed from the joints as there. Without `host`, each row has a virtual controller with the arm of
    URM-Reach in this process; the client and the controller exchange the bytes of the protocol.

    A protective stop of such a controller is part of the episode: the arm stands still until the next reset, and every
    step is critical. With `host` it raises :class:`~offnominal.worlds.arm.errors.SafetyStop`.

    Args:
        n: Number of rows; one with `host`.
        threads: See :class:`Reach`.
        host: Address of a controller; None for virtual ones in this process. It was never run with a real robot.
        model: Generation of the virtual controllers, ``"cb3"`` or ``"e-series"``.
        robot_camera: Camera that looks at the robot, such as
            :class:`~offnominal.worlds.arm.realsense.RealSenseCamera`; None for images drawn from the joints.
        **options: Options of :class:`~offnominal.worlds.arm.rtde.client.RobotClient`, with `host` only.

    Example:
        >>> world = RobotReach(1)
        >>> world.reset(np.arange(1), seeds=np.array([7]), episodes=np.zeros(1, int))
        >>> world.step(np.array([[1.0, 0.0, 0.0, 0.0]]))
        >>> bool(world.observations[0, 3] > 0.0)
        True
        >>> world.close()
    """

    card = ROBOT_REACH

    def __init__(
        self,
        n: int,
        *,
        threads: int | None = None,
        host: str | None = None,
        model: str = "cb3",
        robot_camera: Camera | None = None,
        **options: Any,
    ) -> None:
        super().__init__(n, threads=threads)
        if host is None and options:
            raise InvalidParameter(f"{', '.join(options)} need a host; virtual robots have none of them.")
        if host is not None and n != 1:
            raise InvalidParameter(f"a host is one robot; expected 1 row instead of {n}.")
        if robot_camera is not None and (n != 1 or not isinstance(robot_camera, Camera)):
            raise InvalidParameter(
                f"robot_camera is {shown(robot_camera)} for {n} rows; expected a Camera and one row."
            )
        self._robot_camera = robot_camera
        self._poses = np.zeros((n, 6))
        self._halted = np.zeros(n, bool)
        self._group = LockstepGroup()
        self._robots = [RobotClient(host, **options) if host is not None else self._virtual(model) for _ in range(n)]
        self._compile()
        for robot in self._robots:
            robot.connect()

    def _compile(self) -> None:
        """Compile what a step needs now, because a robot that waits for its client for long stops."""
        none, actions = self._all[:0], np.zeros((len(self._all), 4))
        move_goals(none, self._settings["moving_goal"], self._goals, self._directions)
        self._displace_targets(none, actions)
        self._write_outcomes(none, actions)

    def _virtual(self, model: str) -> RobotClient:
        local = LocalRobot(VirtualController(model, MujocoBackend()), period=self.card.dt, group=self._group)
        return RobotClient(local, limits=LIMITS)

    def _start(self, rows: IntArray) -> None:
        self._halted[rows] = False
        for row in rows:
            self._read(row, self._at_start(self._robots[row]))
        super()._start(rows)

    def _at_start(self, robot: RobotClient) -> RobotState:
        """Bring an arm to its start: a virtual controller starts anew, a real one moves there."""
        if robot.local is None:
            robot.restart_program()
            return robot.move_j(START)
        if not robot.connected:
            robot.local.controller.reset()
            robot.reconnect()
        return robot.reset_virtual()

    def step(self, actions: Array, rows: IntArray | None = None) -> None:
        """Send one servo target to every robot and read the joints 0.04 s later."""
        executed = self.executed(actions)
        stepped = self._all if rows is None else rows
        move_goals(stepped, self._settings["moving_goal"], self._goals, self._directions)
        self._displace_targets(stepped, executed)
        latencies = np.minimum(self._settings["control_latency"], MAX_LATENCY).tolist()
        lookaheads = np.minimum(self._settings["control_smoothing"], LOOKAHEAD[1]).tolist()
        for row in stepped[~self._halted[stepped]].tolist():
            with self._halting(row):
                self._robots[row].servo_l(
                    self._poses[row], period=self.card.dt, time=latencies[row], lookahead=lookaheads[row], wait=False
                )
        for row in stepped[~self._halted[stepped]].tolist():
            with self._halting(row):
                self._read(row, self._robots[row].finish_servo())
        self._write_outcomes(stepped, executed)
        halted = stepped[self._halted[stepped]]
        self.critical[halted], self.cost[halted] = True, 1.0
        self._ticks[stepped] += 1

    @contextmanager
    def _halting(self, row: int) -> Iterator[None]:
        """Let the arm of a row stand still until the next reset if its virtual controller makes a safety stop."""
        try:
            yield
        except SafetyStop:
            if self._robots[row].local is None:
                raise
            self._halted[row] = True
            self._qvel[row, ARM] = 0.0

    def executed(self, actions: Array) -> Array:
        """Return the actions within the largest displacement of the target; the gripper has no limit."""
        limited = np.array(actions, np.float64)
        limited[..., :3] = np.clip(limited[..., :3], -MAX_STEP / ROBOT_STEP, MAX_STEP / ROBOT_STEP)
        return limited

    def refusal(self, anomaly: str) -> str:
        """Refuse noise unless all robots are virtual: it shakes the arm."""
        if anomaly.endswith("noise") and not all(robot.is_virtual for robot in self._robots):
            return "noise shakes the arm, so it is allowed with virtual controllers only."
        return ""

    def current_physics(self, row: int) -> dict[str, Any]:
        """Return the physics parameters of a row."""
        return {name: float(values[row]) for name, values in self._settings.items()}

    def stop(self) -> None:
        """Stop the arms and their programs at once. Virtual robots start anew at the next reset."""
        for robot in self._robots:
            robot.stop()

    def close(self) -> None:
        """Stop the robots' programs and close the connections."""
        for robot in self._robots:
            robot.close()
        if self._robot_camera is not None:
            self._robot_camera.close()

    @property
    def camera(self) -> Camera:
        """Camera that looks at the robot, or one that draws its joints."""
        return super().camera if self._robot_camera is None else self._robot_camera

    def _displace_targets(self, rows: IntArray, actions: FloatArray) -> None:
        limits = self._robots[0].limits
        low, high = np.array(limits.low), np.array(limits.high)
        displace_targets(rows, actions, self._qpos, low, high, self._targets, self._joints, self._poses)

    def _read(self, row: int, state: RobotState) -> None:
        self._qpos[row, ARM], self._qvel[row, ARM] = state.q, state.qd


def table_position(q: FloatArray) -> FloatArray:
    """Return the position of the TCP in the frame of the table."""
    x, y, z = forward(q, TOOL)[:3, 3]
    return np.array([-x, -y, z + BASE_HEIGHT])


@compiled
def displace_targets(
    rows: IntArray,
    actions: FloatArray,
    qpos: FloatArray,
    low: FloatArray,
    high: FloatArray,
    targets: FloatArray,
    joints: FloatArray,
    poses: FloatArray,
) -> None:
    """Displace the targets of some rows from their arms and write the poses of the flange that put the TCPs there.

    Shorter displacements are tried at the edge of the arm's reach; if none is possible, the last target stays.

    Args:
        rows: Indices of the rows.
        actions: (n, 4).
        qpos: (n, 6): joint angles of the arms.
        low: (3,): lower corner of the box of the poses, in the frame of the base.
        high: (3,): upper corner of that box.
        targets: (n, 3): TCP targets in the frame of the table; updated.
        joints: (n, 6): joint angles of the targets; updated.
        poses: (n, 6): poses of the flange in the frame of the base; updated.
    """
    pose, position, target, q = np.empty((4, 4)), np.empty(3), np.empty(3), np.empty(6)
    for i in range(rows.shape[0]):
        r = rows[i]
        forward_into(qpos[r], TOOL, pose)
        position[0], position[1], position[2] = -pose[0, 3], -pose[1, 3], pose[2, 3] + BASE_HEIGHT
        for part in (1.0, 0.5, 0.25):
            for c in range(3):
                step = part * clip(ROBOT_STEP * actions[r, c], -MAX_STEP, MAX_STEP)
                target[c] = clip(position[c] + step, TARGET_LOW[c], TARGET_HIGH[c])
            point_down(target, pose)
            for c in range(6):
                q[c] = qpos[r, c]
            if solve(pose, TOOL, int(ITERATIONS), q) < REACHED and q[ELBOW] > MIN_ELBOW:
                # Loops are compiled in a fraction of the time of an assignment to a slice.
                for c in range(6):
                    joints[r, c] = q[c]
                for c in range(3):
                    targets[r, c] = target[c]
                break
        tcp_vector_into(joints[r], 0.0, poses[r])
        for c in range(3):
            poses[r, c] = clip(poses[r, c], low[c], high[c])


@compiled
def clip(x: float, low: float, high: float) -> float:
    """Return a number within bounds; NaN stays NaN."""
    return low if x < low else high if x > high else x
