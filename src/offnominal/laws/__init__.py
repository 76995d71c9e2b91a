"""Laws: contract checks that every world, environment, anomaly, detector and alarm must pass, also yours."""

from offnominal.anomalies.world_anomalies import anomalies_of
from offnominal.core.public_calls import name_wrong_arguments
from offnominal.laws.alarm import check_alarm
from offnominal.laws.anomaly import check_anomaly
from offnominal.laws.class_detector import check_class_detector
from offnominal.laws.detector import GPU_ROUNDING, check_detector
from offnominal.laws.environment import check_environment
from offnominal.laws.report import Finding, LawReport
from offnominal.laws.scene_detector import check_scene_detector
from offnominal.laws.street_scenes import street_scene
from offnominal.laws.world import check_world

__all__ = [
    "GPU_ROUNDING",
    "Finding",
    "LawReport",
    "anomalies_of",
    "check_alarm",
    "check_anomaly",
    "check_class_detector",
    "check_detector",
    "check_environment",
    "check_scene_detector",
    "check_world",
    "street_scene",
]

name_wrong_arguments(__name__)
