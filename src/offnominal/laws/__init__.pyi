# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.anomalies.world_anomalies import anomalies_of as anomalies_of
from offnominal.laws.alarm import check_alarm as check_alarm
from offnominal.laws.anomaly import check_anomaly as check_anomaly
from offnominal.laws.class_detector import check_class_detector as check_class_detector
from offnominal.laws.craft_leaks import check_craft_leaks as check_craft_leaks
from offnominal.laws.detector import GPU_ROUNDING as GPU_ROUNDING
from offnominal.laws.detector import check_detector as check_detector
from offnominal.laws.environment import check_environment as check_environment
from offnominal.laws.leak_gate import LeakAuroc as LeakAuroc
from offnominal.laws.leak_gate import measure_leaks as measure_leaks
from offnominal.laws.leak_gate import needed_samples as needed_samples
from offnominal.laws.learning import MARGIN as MARGIN
from offnominal.laws.learning import check_learning as check_learning
from offnominal.laws.online_fdr import check_online_test as check_online_test
from offnominal.laws.report import Finding as Finding
from offnominal.laws.report import LawReport as LawReport
from offnominal.laws.scene_detector import check_scene_detector as check_scene_detector
from offnominal.laws.scene_files import check_scene_files as check_scene_files
from offnominal.laws.scene_leaks import check_scene_leaks as check_scene_leaks
from offnominal.laws.street_scenes import street_scene as street_scene
from offnominal.laws.world import check_world as check_world

__all__ = [
    "Finding",
    "GPU_ROUNDING",
    "LawReport",
    "LeakAuroc",
    "MARGIN",
    "anomalies_of",
    "check_alarm",
    "check_anomaly",
    "check_class_detector",
    "check_craft_leaks",
    "check_detector",
    "check_environment",
    "check_learning",
    "check_online_test",
    "check_scene_detector",
    "check_scene_files",
    "check_scene_leaks",
    "check_world",
    "measure_leaks",
    "needed_samples",
    "street_scene",
]
