"""The car of the lane-keeping world once more, in plain Python: the oracle of `test_lane_keeping`.

It shares no code and no constants with the kernel, and is for reading, not for speed.
"""

import math

import numpy as np

MASS, INERTIA, FRONT, REAR = 1900.0, 3700.0, 1.4, 1.5
FIFTY, HUNDRED = 50 / 3.6, 100 / 3.6


def curvature(nodes, s):
    """Return the curvature of the road."""
    return float(np.interp(s, 60.0 * np.arange(len(nodes)), nodes))


def brush(angle, stiffness, grip):
    """Return the force of a brush tyre at a slip angle."""
    sliding = 3.0 * grip / stiffness
    if abs(angle) >= sliding:
        return math.copysign(grip, angle)
    force = stiffness * abs(angle)
    return math.copysign(force - force**2 / (3 * grip) + force**3 / (27 * grip**2), angle)


class Car:
    """The agent's car, with its commands in -1 .. 1."""

    def __init__(self, state):
        self.s, self.d, self.psi, self.vx, self.vy, self.yaw, self.acceleration, self.throttle, self.steering = state

    def command(self, action, brake_fail=1.0, steer_fail=1.0):
        faster = action[0] * (brake_fail if action[0] < 0 else 1.0)
        self.throttle = float(np.clip(self.throttle + 0.1 * faster, -1, 1))
        self.steering = float(np.clip(self.steering + 0.1 * action[1] * steer_fail, -1, 1))

    def drive(self, nodes, friction=1.0, wind=0.0):
        """Drive for 0.05 s."""
        weight = MASS * 9.81
        grip = friction * weight
        pull = float(np.clip(self.pull(), -0.95 * grip, 0.95 * grip))
        left = math.sqrt(grip**2 - pull**2)
        angle = 0.6 * self.steering
        push = wind * min(self.vx / 3.0, 1.0)
        path = []
        for _ in range(5):
            slow = max(self.vx, 3.0)
            front = brush((angle * self.vx - self.vy - FRONT * self.yaw) / slow, 95e3, left * REAR / (FRONT + REAR))
            rear = brush((REAR * self.yaw - self.vy) / slow, 105e3, left * FRONT / (FRONT + REAR))
            ax, ay = (pull - self.resistance() - front * angle) / MASS, (front + rear) / MASS + push
            vx = self.vx + 0.01 * (ax + self.yaw * self.vy)
            self.vy += 0.01 * (ay - self.yaw * self.vx)
            self.yaw += 0.01 * (FRONT * front - REAR * rear) / INERTIA
            ax, self.vx = (ax - vx / 0.01, 0.0) if vx < 0 else (ax, vx)
            path.append((self.vx, self.vy, self.yaw))
        self.acceleration = math.hypot(ax, ay)
        self._move(*np.mean(path, axis=0), bend=curvature(nodes, self.s))

    def pull(self):
        engine = min(MASS * 3.5, 150e3 / max(self.vx, 1.0))
        return self.throttle * (engine if self.throttle >= 0 else 8.0 * MASS)

    def resistance(self):
        return 0.42 * self.vx**2 + (220.0 if self.vx > 0 else 0.0)

    def _move(self, vx, vy, yaw, *, bend):
        middle = self.psi + 0.025 * (yaw - bend * vx)
        along = (vx * math.cos(middle) - vy * math.sin(middle)) / (1 - bend * self.d)
        self.s += 0.05 * along
        self.d += 0.05 * (vx * math.sin(middle) + vy * math.cos(middle))
        self.psi += 0.05 * (yaw - bend * along)

    def reward(self, action):
        """Return the reward of a transition that does not end the episode."""
        slow = abs(self.vx - FIFTY) / HUNDRED
        return -slow - 0.1 * abs(self.psi) - 0.1 * abs(self.d) - 0.01 * math.hypot(*action)


class GearedCar(Car):
    """The same with an engine that brakes and five gears; the sums are those of the whole car with its engine."""

    RATIOS = tuple(gear * 4.0 / 0.3425 for gear in (3.73, 2.05, 1.39, 1.03, 0.82))
    RPM = 2 * math.pi / 60

    def __init__(self, state):
        super().__init__(state[:9])
        self.gear, self.waiting = round(state[9]), state[10]

    def drive(self, nodes, friction=1.0, wind=0.0):
        self.waiting = max(self.waiting - 0.05, 0.0)
        share = self.RATIOS[self.gear] * self.vx / (6300 * self.RPM)
        change = int(share > 0.35 and self.gear < 4) - int(share < 0.2 and self.gear > 0)
        if change and self.waiting == 0.0:
            self.gear, self.waiting = self.gear + change, 1.0
        super().drive(nodes, friction, wind)

    def pull(self):
        brake = 4 * 1500 / 0.3425 * max(-self.throttle, 0.0)
        if self.waiting > 0.5:
            return -brake
        ratio, pedal = self.RATIOS[self.gear], max(self.throttle, 0.0)
        engine = ratio * self.vx
        known = np.array([0.0, 1890.76, 5729.58]) * self.RPM
        most = np.interp(engine, known, [400, 500, 400]) if engine < 6300 * self.RPM else 0.0
        force = ratio * (pedal * most - (2.0 * (1 - pedal) + 0.15 * pedal) * engine) - brake
        acceleration = (force - self.resistance()) / (MASS + 1.0 * ratio**2)
        return MASS * acceleration + self.resistance()

    def resistance(self):
        return 4 * 0.25 / 0.3425**2 * self.vx + 0.5 * 1.25 * 0.3 * 1.8 * 1.4 * self.vx**2


def follow(speed, desired, gap, ahead):
    """Return the acceleration of the Intelligent Driver Model."""
    wanted = 2.5 + max(0.0, 1.2 * speed + speed * (speed - ahead) / (2 * math.sqrt(1.6 * 2.2)))
    return max(-8.0, 1.6 * (1 - (speed / desired) ** 4 - (wanted / max(gap, 0.1)) ** 2))
