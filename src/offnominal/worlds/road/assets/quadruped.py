"""Four-legged animals of any proportions."""

from __future__ import annotations

from dataclasses import dataclass

from offnominal.worlds.road.assets.primitives import ball, tube
from offnominal.worlds.road.assets.solid import Solid, union


@dataclass(frozen=True)
class Quadruped:
    """Proportions of a four-legged animal that faces along +x; lengths in metres.

    Args:
        coat: Colour.
        body: Length of the trunk.
        tall: Height of the back.
        depth: Half the height of the trunk.
        slim: Width of the trunk as a share of its height.
        neck: Reach of the neck ahead and up.
        neck_thick: Thickness of the neck as a share of that of the trunk.
        head: Length of the head.
        skull: Half the height of the head.
        muzzle: Thickness of the muzzle as a share of that of the head.
        droop: How far the muzzle is below the skull, as a share of the head's length.
        leg: Half the thickness of a leg.
        tail: Points of the tail, relative to the end of the back.
        tail_thick: Half the thickness of the tail.
        ear: Length of the ears.
        foot: Colour of the feet.
        face: Colour of the muzzle.
    """

    coat: str
    body: float
    tall: float
    depth: float
    slim: float = 0.8
    neck: tuple[float, float] = (0.25, 0.25)
    neck_thick: float = 0.6
    head: float = 0.35
    skull: float = 0.12
    muzzle: float = 0.55
    droop: float = 0.4
    leg: float = 0.06
    tail: tuple[tuple[float, float], ...] = ((-0.08, -0.1), (-0.1, -0.4))
    tail_thick: float = 0.03
    ear: float = 0.1
    foot: str = "black"
    face: str = "black"

    @property
    def centre(self) -> float:
        """Height of the middle of the trunk."""
        return self.tall - self.depth

    @property
    def skull_at(self) -> tuple[float, float]:
        """Position of the skull along x and z."""
        return 0.46 * self.body + self.neck[0], self.centre + 0.4 * self.depth + self.neck[1]

    def trunk(self) -> Solid:
        """Return trunk and neck, to be spotted or striped."""
        z, half, d = self.centre, 0.5 * self.body, self.depth
        points = (
            (-half, 0.0, z + 0.12 * d),
            (-0.6 * half, 0.0, z),
            (0.1 * half, 0.0, z - 0.06 * d),
            (0.7 * half, 0.0, z),
            (half, 0.0, z + 0.1 * d),
        )
        trunk = tube(self.coat, points, (0.6 * d, 0.95 * d, d, 0.92 * d, 0.6 * d), n=12, smooth=3).scale(
            1.0, self.slim, 1.0
        )
        x, up = self.skull_at
        start, thick = (0.36 * self.body, 0.0, z + 0.2 * d), self.neck_thick * d
        middle = (0.5 * (start[0] + x) + 0.1 * thick, 0.0, 0.46 * start[2] + 0.54 * up)
        neck = tube(self.coat, (start, middle, (x, 0.0, up)), (1.25 * thick, thick, 0.85 * self.skull), n=10, smooth=3)
        return trunk + neck.scale(1.0, 0.85, 1.0)

    def legs(self) -> Solid:
        """Return the four legs."""
        z, y, r = self.centre, 0.62 * self.depth * self.slim, self.leg
        parts = []
        for x, bend in ((0.38 * self.body, 0.25), (-0.4 * self.body, -0.5)):
            knee = (x + bend * r * 1.5, y, 0.48 * z)
            parts.append(tube(self.coat, ((x, 0.9 * y, z), knee, (x, y, 0.16 * z)), (1.9 * r, 1.05 * r, 0.75 * r), n=7))
            parts.append(tube(self.foot, ((x, y, 0.18 * z), (x + 0.2 * r, y, 0.5 * r)), (0.8 * r, 1.15 * r), n=7))
        return union(parts).both()

    def face_parts(self) -> Solid:
        """Return head, eyes, ears and tail."""
        x, z = self.skull_at
        length, s = self.head, self.skull
        nose = (x + 0.8 * length, 0.0, z - self.droop * length)
        skull = tube(
            self.coat,
            (
                (x - 0.25 * length, 0.0, z),
                (x + 0.1 * length, 0.0, z),
                (x + 0.45 * length, 0.0, z - 0.5 * self.droop * length),
                nose,
            ),
            (0.8 * s, s, 0.8 * s, self.muzzle * s),
            n=9,
            smooth=2,
        )
        snout = ball(self.face, 0.16 * length, 1.05 * self.muzzle * s, 0.95 * self.muzzle * s, nose, n=9)
        eye = ball("black", 0.12 * s, 0.12 * s, 0.14 * s, (x + 0.28 * length, 0.66 * s, z + 0.22 * s), n=6)
        ear = ball(self.coat, 0.2 * self.ear, 0.28 * self.ear, 0.5 * self.ear, (0.0, 0.0, 0.4 * self.ear), n=7).turn(
            x=-28.0
        )
        ears = ear.move(x - 0.08 * length, 0.55 * s, z + 0.7 * s)
        back = (-0.5 * self.body, 0.0, self.centre + 0.35 * self.depth)
        tail = tube(
            self.coat, (back, *((back[0] + a, 0.0, back[2] + b) for a, b in self.tail)), self.tail_thick, n=6, smooth=2
        )
        return skull.scale(1.0, 0.85, 1.0) + snout + (eye + ears).both() + tail

    def solid(self) -> Solid:
        """Return the whole animal."""
        return self.trunk() + self.legs() + self.face_parts()

    def horns(self, name: str, points: tuple[tuple[float, float, float], ...], thick: float) -> Solid:
        """Return a pair of horns or antlers, given points relative to the top of the skull."""
        x, z = self.skull_at
        path = tuple((x + a, 0.4 * self.skull + b, z + 0.7 * self.skull + c) for a, b, c in points)
        radii = [thick * (1.0 - 0.75 * k / (len(path) - 1)) for k in range(len(path))]
        return tube(name, path, radii, n=6, smooth=2).both()

    def mane(self, name: str, thick: float) -> Solid:
        """Return a mane along the neck."""
        x, z = self.skull_at
        start = (0.3 * self.body, 0.0, self.tall)
        points = (
            start,
            (0.5 * (start[0] + x) - 0.5 * thick, 0.0, 0.5 * (start[2] + z) + thick),
            (x, 0.0, z + 1.1 * self.skull),
        )
        return tube(name, points, thick, n=6, smooth=2).scale(1.0, 0.5, 1.0)
