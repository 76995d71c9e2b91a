"""Remarks on published values: what is known about the original, and flaws. None of them explains a difference."""

from __future__ import annotations

from offnominal.papers.anomaly_gym.published_numbers import IMAGE_DETECTORS, worlds_with_same_numbers
from offnominal.studies.published_comparison import Flaw

NULL_NOTE = "the published value is near that of nominal episodes with random onsets"
SAP_NOTE = "in the original, constant channels were divided by 1e-6 and two faults leaked into later episodes"
ARM_NOTE = "in the original, constant channels were divided by 1e-6"
SPEED_NOTE = "in the original, robot_speed at tiny had no effect"
FRICTION_NOTE = "in the original, robot_friction at tiny removed the damping"
ROBOT_NOTE = "published: a real robot, 50 episodes per fault, without noise; ours: a virtual controller"
RIQN_NOTE = "the original learned from a single episode and took the channel for the time"
ENCODER_NOTE = "published: a network trained on other images; ours: an encoder trained on the nominal frames"
RANDOM_NOTE = "published: a network trained on other images; ours: an encoder with random weights"
PREDNET_NOTE = "in the original, pixels below zero were cut off and scores came one step late"
LRDM_NOTE = "the published numbers of LDM and LRDM are identical here, deviations included: one column is a copy"
TINY = "tiny"
TINY_NOTES = {"URM-Reach-v0": SPEED_NOTE, "URM-PnP-v0": FRICTION_NOTE}
DETECTOR_NOTES = {
    "RIQN": RIQN_NOTE,
    "PredNet": PREDNET_NOTE,
    "KNN-encoder": ENCODER_NOTE,
    "Patch-encoder": ENCODER_NOTE,
    "KNN-random": RANDOM_NOTE,
    "Patch-random": RANDOM_NOTE,
}
WITHOUT_ACTIONS = ("iF", "OC-SVM", "KNN")
"""Vector detectors that only use observations."""


def flaw_of(world: str, detector: str) -> Flaw:
    """Return what is wrong with published numbers: those of LRDM are copies of LDM, which alone is in the public code.

    Example:
        >>> flaw_of("URM-PnP-v0", "LRDM"), flaw_of("URM-PnP-v0", "LDM")
        ('impossible', '')
    """
    return "impossible" if detector == "LRDM" and world in worlds_with_same_numbers("LDM", "LRDM") else ""


def remark(world: str, level: str, detector: str, kind: str = "") -> str:
    """Return what is known about the original of a published value; empty if nothing is.

    Args:
        world: Id or group of the world.
        level: Level of strength.
        detector: Name of our detector.
        kind: Kind of the faults; empty for all kinds.

    Example:
        >>> remark("URM-Reach-v0", "strong", "PE-DM")
        'in the original, constant channels were divided by 1e-6'
    """
    if detector in DETECTOR_NOTES:
        reasons = [DETECTOR_NOTES[detector]]
    elif detector in IMAGE_DETECTORS:
        reasons = [LRDM_NOTE] * bool(flaw_of(world, detector))
    elif world.startswith("SAP"):
        reasons = [SAP_NOTE]
    elif world.startswith("UR"):
        reasons = [ARM_NOTE] * (kind in ("", "observation"))
    else:
        reasons = [NULL_NOTE] * (level == TINY and detector in WITHOUT_ACTIONS)
    if level == TINY and world in TINY_NOTES:
        reasons.append(TINY_NOTES[world])
    if world.startswith("URR"):
        reasons.append(ROBOT_NOTE)
    return "; ".join(reasons)
