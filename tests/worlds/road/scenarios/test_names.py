"""Scenario files and the town simulation use the same names."""

import pytest

from offnominal.worlds.road import scenarios, town
from offnominal.worlds.road.scenarios import anomaly
from offnominal.worlds.road.town import incidents

pytestmark = pytest.mark.long


def test_scenarios_name_what_the_simulation_has():
    assert tuple(scenarios.BEHAVIOURS) == tuple(town.BEHAVIOURS)
    assert scenarios.TEMPORAL_KINDS.keys() == town.TEMPORAL_ANOMALIES.keys()
    assert anomaly.BRAKING_TICKS == incidents.BRAKING_TICKS
