# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.worlds.road.scenarios.anomaly import TEMPORAL_KINDS as TEMPORAL_KINDS
from offnominal.worlds.road.scenarios.anomaly import Anomaly as Anomaly
from offnominal.worlds.road.scenarios.anomaly import ContentAnomaly as ContentAnomaly
from offnominal.worlds.road.scenarios.anomaly import TemporalAnomaly as TemporalAnomaly
from offnominal.worlds.road.scenarios.description import BEHAVIOURS as BEHAVIOURS
from offnominal.worlds.road.scenarios.description import Place as Place
from offnominal.worlds.road.scenarios.description import Scenario as Scenario
from offnominal.worlds.road.scenarios.description import Timing as Timing
from offnominal.worlds.road.scenarios.errors import InvalidScenario as InvalidScenario
from offnominal.worlds.road.scenarios.normality import Normality as Normality
from offnominal.worlds.road.scenarios.normality import Violation as Violation
from offnominal.worlds.road.scenarios.normality import find_violations as find_violations
from offnominal.worlds.road.scenarios.presets import Placing as Placing
from offnominal.worlds.road.scenarios.presets import ScenarioPreset as ScenarioPreset
from offnominal.worlds.road.scenarios.presets import make_scenarios as make_scenarios
from offnominal.worlds.road.scenarios.presets import placing as placing
from offnominal.worlds.road.scenarios.presets import scenario_preset as scenario_preset
from offnominal.worlds.road.scenarios.presets import scenario_presets as scenario_presets
from offnominal.worlds.road.scenarios.published_format import scenario_from_json as scenario_from_json
from offnominal.worlds.road.scenarios.published_format import scenario_to_json as scenario_to_json
from offnominal.worlds.road.scenarios.published_scenarios import PublishedScenarios as PublishedScenarios
from offnominal.worlds.road.scenarios.published_scenarios import read_published_scenarios as read_published_scenarios
from offnominal.worlds.road.scenarios.scenario_file import ScenarioFile as ScenarioFile
from offnominal.worlds.road.scenarios.scenario_file import read_scenario_file as read_scenario_file
from offnominal.worlds.road.scenarios.scenario_file import read_scenarios as read_scenarios
from offnominal.worlds.road.scenarios.scenario_file import write_scenario_file as write_scenario_file
from offnominal.worlds.road.scenarios.scenario_file import write_scenarios as write_scenarios

__all__ = [
    "Anomaly",
    "BEHAVIOURS",
    "ContentAnomaly",
    "InvalidScenario",
    "Normality",
    "Place",
    "Placing",
    "PublishedScenarios",
    "Scenario",
    "ScenarioFile",
    "ScenarioPreset",
    "TEMPORAL_KINDS",
    "TemporalAnomaly",
    "Timing",
    "Violation",
    "find_violations",
    "make_scenarios",
    "placing",
    "read_published_scenarios",
    "read_scenario_file",
    "read_scenarios",
    "scenario_from_json",
    "scenario_preset",
    "scenario_presets",
    "scenario_to_json",
    "write_scenario_file",
    "write_scenarios",
]
