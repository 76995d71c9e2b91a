"""The gate against leaks: it passes what does not tell and refuses what does, in the numbers that it states."""

import math
from statistics import NormalDist

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.laws import check_scene_leaks, measure_leaks, needed_samples
from offnominal.laws import scene_leaks as module
from offnominal.laws.leak_gate import leak_laws, standard_error
from offnominal.laws.report import check_laws
from offnominal.worlds.road.scenarios import make_scenarios, scenario_presets

pytestmark = pytest.mark.long

SHIFT = math.sqrt(2.0) * NormalDist().inv_cdf(0.6)
"""Distance of two normal distributions with an AUROC of 0.6."""


def samples(n, values):
    draws = np.random.default_rng(n).normal(size=(2, n))
    return tuple([{"value": list(values(float(x), k))} for x in draws[k]] for k in (0, 1))


def report_of(n, values):
    nominal, anomalous = samples(n, values)
    return check_laws("samples", leak_laws(["value"], lambda: measure_leaks(nominal, anomalous), noun="samples"))


@pytest.mark.parametrize("channels", [1, 8, 12])
def test_the_number_of_samples_keeps_both_errors(channels):
    n = needed_samples(channels)
    z = NormalDist()
    refused = 2.0 * (1.0 - z.cdf(0.05 / standard_error(n, n)))
    assert channels * refused <= 0.01
    assert z.cdf(-0.05 / math.sqrt(0.24 / n)) <= 0.01
    smaller = n - 1
    assert channels * 2.0 * (1.0 - z.cdf(0.05 / standard_error(smaller, smaller))) > 0.01 or smaller < 520


def test_what_does_not_depend_on_the_class_passes():
    (finding,) = report_of(2 * needed_samples(1), lambda x, anomalous: [x])
    assert finding.holds


@pytest.mark.parametrize(
    "values",
    [
        lambda x, anomalous: [x + SHIFT * anomalous],
        lambda x, anomalous: [x * (1.0 + anomalous)],
        lambda x, anomalous: ["high" if x > 0.6 - 0.6 * anomalous else "low"],
    ],
    ids=["shifted", "spread", "category"],
)
def test_a_planted_leak_is_refused(values):
    (finding,) = report_of(2 * needed_samples(1), values)
    assert "tells anomalous samples with an AUROC of 0." in finding.problem


def test_few_samples_decide_only_what_is_clear():
    (unclear,) = report_of(100, lambda x, anomalous: [x + SHIFT * anomalous])
    assert "520 of each class decide" in unclear.skipped
    (clear,) = report_of(100, lambda x, anomalous: [x + 3.0 * anomalous])
    assert clear.problem
    with pytest.raises(InvalidParameter, match="give 4 each"):
        measure_leaks([{"value": [1.0]}], [{"value": [1.0]}])


def few(scenario):
    return scenario.replace(vehicles=10, pedestrians=5)


PRESETS = [each.name for each in scenario_presets()]


# Temporal anomalies are set up by the same code in every preset.
@pytest.mark.parametrize(
    ("preset", "setting"),
    [
        *((preset, "content") for preset in PRESETS),
        *((preset, "temporal") for preset in ("cityscapes", "smoke")),
        *(
            pytest.param(each, "temporal", marks=pytest.mark.slow)
            for each in PRESETS
            if each not in ("cityscapes", "smoke")
        ),
    ],
)
def test_no_preset_leaks_in_its_description_and_before_its_first_anomaly(preset, setting):
    report = check_scene_leaks(preset, setting=setting, pairs=1, changes=few)
    report.raise_if_broken()
    skipped = [finding.skipped for finding in report if finding.skipped]
    if preset == "cityscapes":
        assert set(skipped) == {"the preset has no scenes with an anomaly of this setting"}
        assert len(skipped) == 1 + len(module.CHANNELS)
    else:
        assert skipped == ["it was not measured; give at least 1390 scenes of each class"] * 2


def test_an_avoiding_ego_is_refused():
    report = check_scene_leaks("smoke", pairs=1, changes=lambda scenario: few(scenario).replace(ego="avoiding"))
    (broken,) = (finding for finding in report if finding.problem)
    assert broken.law == "a scene equals its nominal twin until the anomaly has an effect"
    assert "differs from its nominal twin at tick" in broken.problem


def test_types_that_follow_the_order_of_towns_are_refused(monkeypatch):
    def sorted_types(preset, *, seed):
        made = make_scenarios(preset, seed=seed)
        return [each for each in made if each.anomaly is None or each.town != made[0].town]

    monkeypatch.setattr(module, "make_scenarios", sorted_types)
    report = check_scene_leaks("smoke", pairs=1, changes=few)
    assert "its town does not tell" in [finding.law for finding in report if finding.problem]


@pytest.mark.slow
@pytest.mark.parametrize("setting", ["content", "temporal"])
@pytest.mark.parametrize("preset", [each.name for each in scenario_presets()])
def test_no_preset_leaks(preset, setting):
    report = check_scene_leaks(preset, setting=setting, pairs=6)
    report.raise_if_broken()
    if preset == "cityscapes":
        assert {finding.skipped for finding in report} == {"the preset has no scenes with an anomaly of this setting"}


@pytest.mark.slow
def test_the_speed_of_an_avoiding_ego_tells_and_that_of_a_blind_one_does_not():
    def ego(name):
        report = check_scene_leaks("mini", pairs=1, scenes=40, changes=lambda scenario: few(scenario).replace(ego=name))
        return {finding.law: finding for finding in report}["its ego vehicle does not tell"]

    assert "tells anomalous scenes" in ego("avoiding").problem
    assert "695 of each class decide" in ego("blind").skipped


@pytest.mark.slow
def test_the_ego_vehicle_of_independent_scenes_does_not_tell():
    """With a tenth of the traffic, so that 2,780 simulations take minutes."""
    report = check_scene_leaks("mini", pairs=1, scenes=2 * needed_samples(len(module.CHANNELS)), changes=few)
    report.raise_if_broken()
    assert all(finding.holds for finding in report)
