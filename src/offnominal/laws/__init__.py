"""Laws: contract checks that every world, environment, anomaly, detector and alarm must pass, also yours."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "alarm": ("check_alarm",),
        "anomaly": ("check_anomaly",),
        "class_detector": ("check_class_detector",),
        "craft_leaks": ("check_craft_leaks",),
        "detector": ("GPU_ROUNDING", "check_detector"),
        "environment": ("check_environment",),
        "offnominal.anomalies.world_anomalies": ("anomalies_of",),
        "leak_gate": ("LeakAuroc", "measure_leaks", "needed_samples"),
        "learning": ("MARGIN", "check_learning"),
        "online_fdr": ("check_online_test",),
        "report": ("Finding", "LawReport"),
        "scene_detector": ("check_scene_detector",),
        "scene_files": ("check_scene_files",),
        "scene_leaks": ("check_scene_leaks",),
        "street_scenes": ("street_scene",),
        "world": ("check_world",),
    },
)
