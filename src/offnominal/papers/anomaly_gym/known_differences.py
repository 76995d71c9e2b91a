"""Known reasons why our results differ from the published ones."""

from __future__ import annotations

NULL_NOTE = "the published value is near that of nominal episodes with random onsets"
SAP_NOTE = "in the original, constant channels were divided by 1e-6 and two faults leaked into later episodes"
ARM_NOTE = "in the original, constant channels were divided by 1e-6"
SPEED_NOTE = "in the original, robot_speed at tiny had no effect"
FRICTION_NOTE = "in the original, robot_friction at tiny removed the damping"
ROBOT_NOTE = "published: a real robot, 50 episodes per fault, without noise; ours: a virtual controller"
RIQN_NOTE = "the original learned from the first episode only and took the channel for the time"
EARLY_NOTE = "the published number is a range over detectors"
ENCODER_NOTE = "published: a network trained on other images; ours: an encoder trained on the nominal frames"
RANDOM_NOTE = "published: a network trained on other images; ours: an encoder with random weights"
PREDNET_NOTE = "in the original, pixels below zero were cut off and scores came one step late"
LRDM_NOTE = "the published numbers of LDM and LRDM are identical here"
SAME_DIGITS = ("MJC-CartpoleSwingup-v0", "SAP-Goal0-v0", "SAP-Goal1-v0", "URM-PnP-v0", "URR-Reach-v0")
"""Worlds in which the published numbers of LDM and LRDM are identical."""
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


def known_difference(world: str, level: str, detector: str, *, kind: str = "", images: bool = False) -> str:
    """Return the known reasons of a difference, or an empty string.

    Args:
        world: Id or group of the world; empty for a mean over worlds.
        level: Level of strength.
        detector: Name of our detector.
        kind: Kind of the faults; empty for all kinds.
        images: Whether it is an image detector.

    Example:
        >>> known_difference("URM-PnP-v0", "strong", "LRDM", images=True)
        'the published numbers of LDM and LRDM are identical here'
    """
    if detector in DETECTOR_NOTES:
        reasons = [DETECTOR_NOTES[detector]]
    elif images:
        reasons = [LRDM_NOTE] * (detector == "LRDM" and world in SAME_DIGITS)
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
