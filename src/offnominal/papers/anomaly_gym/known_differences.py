"""Known reasons why our results differ from the published ones: measured evidence, or a remark without."""

from __future__ import annotations

from typing import NamedTuple

from offnominal.papers.anomaly_gym.evidence import explanation
from offnominal.papers.anomaly_gym.published_numbers import IMAGE_DETECTORS, worlds_with_same_numbers
from offnominal.studies.published_comparison import Cause, Flaw

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


class Reason(NamedTuple):
    """Reason of a difference.

    Args:
        note: The evidence, or a remark.
        cause: Kind of the reason; empty without measured evidence.
        flaw: What is wrong with the published number itself.
    """

    note: str = ""
    cause: Cause = ""
    flaw: Flaw = ""


def known_difference(
    world: str,
    level: str,
    detector: str,
    ours: float | None,
    published: float | None,
    *,
    kind: str = "",
    metric: str = "auroc",
) -> Reason:
    """Return the measured evidence that explains a difference, or a remark, and the flaw of the published number.

    Args:
        world: Id or group of the world.
        level: Level of strength.
        detector: Name of our detector.
        ours: Our number.
        published: The published number.
        kind: Kind of the faults; empty for all kinds.
        metric: Column of the metric.

    Example:
        >>> known_difference("URM-PnP-v0", "strong", "LRDM", 0.3, 0.5)
        Reason(note='the published numbers of LDM and LRDM are identical here, ...', cause='', flaw='impossible')
    """
    found = explanation((world, level, detector, metric, kind), ours, published)
    flaw: Flaw = "impossible" if _is_copy(world, detector) else ""
    if found is None:
        return Reason(_remark(world, level, detector, kind), flaw=flaw)
    return Reason(found.note, found.cause, flaw)


def _is_copy(world: str, detector: str) -> bool:
    """Whether the published numbers of LRDM are those of LDM, which alone is in the public code."""
    return detector == "LRDM" and world in worlds_with_same_numbers("LDM", "LRDM")


def _remark(world: str, level: str, detector: str, kind: str) -> str:
    if detector in DETECTOR_NOTES:
        reasons = [DETECTOR_NOTES[detector]]
    elif detector in IMAGE_DETECTORS:
        reasons = [LRDM_NOTE] * _is_copy(world, detector)
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
