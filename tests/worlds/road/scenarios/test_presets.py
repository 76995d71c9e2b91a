"""Presets have the published sizes and proportions, and depend only on the seed."""

import json
from collections import Counter

import pytest

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.core.files import sha256_of
from offnominal.worlds.road.rigs import RIGS
from offnominal.worlds.road.scenarios import (
    TEMPORAL_KINDS,
    ContentAnomaly,
    Normality,
    Scenario,
    ScenarioFile,
    ScenarioPreset,
    find_violations,
    make_scenarios,
    scenario_preset,
)
from offnominal.worlds.road.town import town_names
from offnominal.worlds.road.town.description import LANE_WIDTH
from offnominal.worlds.road.weather import WEATHERS

pytestmark = pytest.mark.long

PLACEMENTS = ("lane", "unstable", "air")
BASE = {"id": "first", "town": "grid", "weather": "CLEAR_NOON", "seed": 3, "vehicles": 20, "pedestrians": 10}


@pytest.fixture(scope="module")
def full():
    return make_scenarios("full", seed=1)


@pytest.mark.parametrize(
    ("name", "scenarios", "frames"),
    [("smoke", 4, 20), ("mini", 24, 50), ("cityscapes", 595, 5), ("full", 1228, 200), ("always-visible", 24, 50)],
)
def test_presets_have_their_sizes(name, scenarios, frames):
    preset = scenario_preset(name)
    assert (preset.scenarios, preset.timing.frames) == (scenarios, frames)
    assert preset.timing.ticks == 215


def test_frames_are_the_published_numbers():
    assert scenario_preset("full").frames == 245_600
    assert scenario_preset("cityscapes").frames == 2975


def test_same_seed_gives_the_same_set():
    assert make_scenarios("mini", seed=3) == make_scenarios("mini", seed=3)
    assert make_scenarios("mini", seed=3) != make_scenarios("mini", seed=4)


def test_pinned_set_of_one_seed():
    made = make_scenarios("mini", seed=5, temporal=list(TEMPORAL_KINDS))
    assert sha256_of(json.dumps([each.to_dict() for each in made]))[:16] == "1b59ab4ca357934a"


def test_full_preset_has_the_published_proportions(full):
    assert Counter(each.rig for each in full) == {"mono": 1117, "stereo": 76, "multi": 35}
    towns = Counter(each.town for each in full)
    assert towns == dict.fromkeys(town_names(), 153) | {"downtown": 157}
    kinds = Counter((each.town, each.type) for each in full)
    assert len(kinds) == 24
    assert max(kinds.values()) - min(kinds.values()) <= 2
    weathers = Counter(each.weather for each in full)
    assert set(weathers) == set(WEATHERS)
    assert max(weathers.values()) - min(weathers.values()) <= 1


def test_full_preset_draws_anomalies_within_the_published_ranges(full):
    content = [each.anomaly for each in full if each.type == "content"]
    temporal = [each.anomaly for each in full if each.type == "temporal"]
    assert {each.distance for each in content} == set(range(65, 106))
    assert all(-360.0 <= each.yaw <= 0.0 for each in content)
    offsets = {kind: {each.lateral_offset for each in content if each.placement == kind} for kind in PLACEMENTS}
    assert max(map(abs, offsets["lane"] | offsets["air"])) <= 0.5 * LANE_WIDTH
    assert -3.2 <= min(offsets["unstable"]) <= max(offsets["unstable"]) <= -2.2
    assert {each.label.name for each in content} == {"HOME", "ANIMAL", "SPECIAL", "NATURE", "FALLING", "AIRPLANE"}
    assert {each.lead_distance for each in temporal} == set(range(7, 13))
    assert {each.kind for each in temporal} == {"sudden-braking"}
    assert len({each.id for each in full}) == len({each.seed for each in full}) == 1228


def test_normal_scenarios_are_prepared_like_those_with_an_anomaly(full):
    normal = [each for each in full if each.type == "normal"]
    assert abs(sum(each.setting == "content" for each in normal) - 0.5 * len(normal)) <= 0.5
    assert {(each.anomaly, each.planned is None) for each in normal} == {(None, False)}
    assert all(each.prepared_for is None and each.setting == each.type for each in full if each.type != "normal")
    for made in (make_scenarios("cityscapes"), make_scenarios("mini", types=["normal", "temporal"])):
        settings = Counter(each.setting for each in made if each.type == "normal")
        assert set(settings) == ({"content", "temporal"} if len(made) == 595 else {"temporal"})


def test_types_do_not_depend_on_the_order_of_towns():
    made = [each for seed in range(200) for each in make_scenarios("smoke", seed=seed)]
    first = Counter(each.type for each in made if each.town == town_names()[0])
    assert max(first.values()) < 2 * min(first.values()), "the first town is mostly of one type"


@pytest.mark.parametrize(
    ("name", "offset", "turned", "ego"),
    [
        ("published", 0.5 * LANE_WIDTH, True, "blind"),
        ("public-code", 0.0, False, "blind"),
        ("always-visible", 1.0, True, "stopping"),
    ],
)
def test_placings(name, offset, turned, ego):
    preset = ScenarioPreset("mine", 300, 1, ("content",), {"mono": 1}, placing=name)
    objects = [each.anomaly for each in make_scenarios(preset, seed=1)]
    offsets = [abs(each.lateral_offset) for each in objects if each.placement == "lane"]
    assert 0.9 * offset <= max(offsets) <= offset
    assert any(each.yaw for each in objects) == turned
    assert {each.ego for each in make_scenarios(preset, seed=1)} == {ego}
    with pytest.raises(UnknownName, match="Did you mean"):
        ScenarioPreset("mine", 1, 1, ("content",), {"mono": 1}, placing="publised")


def test_mini_preset_has_every_type_in_every_town():
    assert set(Counter((each.town, each.type) for each in make_scenarios("mini", seed=2)).values()) == {1}


def test_all_temporal_anomalies_can_be_drawn():
    made = make_scenarios("full", types=["temporal"], temporal=list(TEMPORAL_KINDS))
    assert {each.anomaly.kind for each in made} == set(TEMPORAL_KINDS)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"preset": "smok"}, UnknownName, "Did you mean 'smoke'?"),
        ({"types": ["normale"]}, InvalidParameter, "Did you mean 'normal'?"),
        ({"types": []}, InvalidParameter, "expected a list of some of normal, content, temporal"),
        ({"temporal": "cut-in"}, InvalidParameter, "expected a list"),
        ({"temporal": ["cutin"]}, InvalidParameter, "Did you mean 'cut-in'?"),
        ({"seed": -1}, InvalidParameter, "seed -1"),
    ],
)
def test_wrong_argument_is_named(options, error, message):
    with pytest.raises(error) as raised:
        make_scenarios(**{"preset": "smoke"} | options)
    assert message in str(raised.value)


def test_nominal_sets_are_within_normality():
    for made in (make_scenarios("cityscapes"), make_scenarios("mini", types=["normal"])):
        assert not any(Normality().violations(each) for each in made)


def test_violations_say_where(full):
    bad = Scenario(
        **BASE | {"id": "bad"},
        rig="stereo-one-lidar",
        behaviour="aggressive",
        anomaly=ContentAnomaly("cow", 80.0),
    )
    found = find_violations([ScenarioFile("grid", (Scenario(**BASE), bad))])
    assert {(each.file, each.scenario) for each in found} == {("scenario_config_map_Town05.json", "bad")}
    assert [each.entry for each in found] == ["rig", "behaviour", "anomaly"]
    assert "'cow'" in found[-1].message
    assert "ANIMAL" in found[-1].message
    assert [each.entry for each in Normality().with_anomalies().violations(bad)] == ["rig", "behaviour"]
    anomalous = [each for each in full if each.type != "normal"]
    assert all(Normality().violations(each) for each in anomalous)
    assert not any(Normality().with_anomalies().violations(each) for each in full)


def test_narrower_definition_of_normality_rejects_more():
    narrow = Normality(towns=("grid",), weathers=("CLEAR_NOON",), rigs=("mono",))
    assert not narrow.violations(Scenario(**BASE))
    assert [v.entry for v in narrow.violations(Scenario(**BASE | {"town": "rural", "weather": "WET_NOON"}))] == [
        "town",
        "weather",
    ]
    assert set(Normality().rigs) < set(RIGS)
    with pytest.raises(UnknownName, match="Did you mean 'grid'"):
        Normality(towns=("gird",))
    assert Normality.from_dict(narrow.to_dict()) == narrow
