"""Scenario description files of the driving world: types, the published JSON format, presets and normality."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "anomaly": ("Anomaly", "ContentAnomaly", "TEMPORAL_KINDS", "TemporalAnomaly"),
        "description": ("BEHAVIOURS", "Place", "Scenario", "Timing"),
        "errors": ("InvalidScenario",),
        "normality": ("Normality", "Violation", "find_violations"),
        "presets": ("Placing", "ScenarioPreset", "make_scenarios", "placing", "scenario_preset", "scenario_presets"),
        "published_format": ("scenario_from_json", "scenario_to_json"),
        "published_scenarios": ("PublishedScenarios", "read_published_scenarios"),
        "scenario_file": (
            "ScenarioFile",
            "read_scenario_file",
            "read_scenarios",
            "write_scenario_file",
            "write_scenarios",
        ),
    },
)
