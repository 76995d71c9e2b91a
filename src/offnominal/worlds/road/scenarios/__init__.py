"""Scenario description files of the driving world: types, the published JSON format, presets and normality."""

from offnominal.core.public_calls import name_wrong_arguments
from offnominal.worlds.road.scenarios.anomaly import TEMPORAL_KINDS, Anomaly, ContentAnomaly, TemporalAnomaly
from offnominal.worlds.road.scenarios.description import BEHAVIOURS, Place, Scenario, Timing
from offnominal.worlds.road.scenarios.errors import InvalidScenario
from offnominal.worlds.road.scenarios.normality import Normality, Violation, find_violations
from offnominal.worlds.road.scenarios.presets import ScenarioPreset, make_scenarios, scenario_preset, scenario_presets
from offnominal.worlds.road.scenarios.published_format import scenario_from_json, scenario_to_json
from offnominal.worlds.road.scenarios.scenario_file import (
    ScenarioFile,
    read_scenario_file,
    read_scenarios,
    write_scenario_file,
    write_scenarios,
)

__all__ = [
    "BEHAVIOURS",
    "TEMPORAL_KINDS",
    "Anomaly",
    "ContentAnomaly",
    "InvalidScenario",
    "Normality",
    "Place",
    "Scenario",
    "ScenarioFile",
    "ScenarioPreset",
    "TemporalAnomaly",
    "Timing",
    "Violation",
    "find_violations",
    "make_scenarios",
    "read_scenario_file",
    "read_scenarios",
    "scenario_from_json",
    "scenario_preset",
    "scenario_presets",
    "scenario_to_json",
    "write_scenario_file",
    "write_scenarios",
]

name_wrong_arguments(__name__)
