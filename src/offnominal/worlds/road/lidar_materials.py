"""How the surfaces of a town reflect the light of a lidar, by their labels."""

from __future__ import annotations

import numpy as np

from offnominal.worlds.road.labels import Label

# Base, share of the colour, and share of the light that comes back from any angle.
OBJECT = (0.10, 0.70, 0.05)
SURFACES = {
    Label.ROAD: (0.06, 0.30, 0.0),
    Label.ROAD_LINE: (0.25, 0.50, 0.55),
    Label.SIDEWALK: (0.15, 0.40, 0.0),
    Label.GROUND: (0.15, 0.35, 0.0),
    Label.BUILDING: (0.10, 0.60, 0.0),
    Label.VEGETATION: (0.45, 0.30, 0.35),
    Label.TERRAIN: (0.40, 0.30, 0.20),
    Label.TRAFFIC_SIGN: (0.50, 0.50, 0.90),
    Label.GUARD_RAIL: (0.35, 0.40, 0.10),
    Label.POLE: (0.25, 0.40, 0.05),
}
"""Materials of surfaces that do not move.

Everything else is of one material, so that intensities tell neither road users that behave anomalously nor objects that
are anomalies.
"""
MATERIALS = np.tile(np.array(OBJECT, np.float32), (1 + max(Label), 1))
MATERIALS[[int(label) for label in SURFACES]] = list(SURFACES.values())
