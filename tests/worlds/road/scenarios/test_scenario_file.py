"""Scenario files are written whole, read back equal, and say what is wrong with them."""

import copy
import json

import pytest

from offnominal.core.checksum import NoChecksum, read_checked_json, with_checksum, write_checked_json
from offnominal.core.errors import AlreadyExists, DamagedFile, InaccessibleFile, MissingFile, UnknownName
from offnominal.worlds.road.scenarios import (
    ContentAnomaly,
    InvalidScenario,
    Scenario,
    make_scenarios,
    read_scenario_file,
    read_scenarios,
    scenario_from_json,
    scenario_to_json,
    write_scenario_file,
    write_scenarios,
)
from offnominal.worlds.road.scenarios import scenario_file as module
from offnominal.worlds.road.scenarios.published_format import ANOMALY_TYPES

pytestmark = pytest.mark.long

# A file as the published generator writes it: without a seed, with y and yaw to the right.
PUBLISHED = {
    "scenario_definition": {
        "map": "Town10HD",
        "scenarios": [
            {
                "id": "7b0e7a3c-95a1-4a7d-8f43-0f2f6e2b1c11",
                "anomaly_config": {
                    "anomalytype": "STATIC",
                    "anomaly_bp_name": "static.prop.o_cow_animal",
                    "distance_to_waypoint": 71,
                    "rotation": 211.37,
                },
                "ego_spawnpoint": {
                    "location": {"x": 10.5, "y": -3.25, "z": 0.6},
                    "rotation": {"pitch": 0.0, "yaw": 90.2, "roll": 0.0},
                },
                "ego_end_spawnpoint": {
                    "location": {"x": 99.0, "y": 40.0, "z": 0.6},
                    "rotation": {"pitch": 0.0, "yaw": -179.9, "roll": 0.0},
                },
                "ego_route": {"locations": [{"x": 10.5, "y": -3.25, "z": 0.0}, {"x": 11.5, "y": -3.25, "z": 0.0}]},
                "weather_preset": "WET_CLOUDYSUNSET",
                "npc_vehicle_amount": 150,
                "npc_walker_amount": 150,
            },
            {
                "id": "normal-1",
                "anomaly_config": {
                    "anomalytype": "NORMALITY",
                    "anomaly_bp_name": "---",
                    "distance_to_waypoint": 0,
                    "rotation": 0,
                },
                "weather_preset": "CLEAR_NOON",
                "npc_vehicle_amount": 150,
                "npc_walker_amount": 150,
            },
            {
                "id": "temporal-1",
                "anomaly_config": {
                    "anomalytype": "SUDDEN_BREAKING_OF_VEHICLE_AHEAD",
                    "anomaly_bp_name": "vehicle.audi.a2",
                    "approximate_dist_to_spawning_waypoint": 8,
                },
                "weather_preset": "MID_RAINY_NOON",
                "npc_vehicle_amount": 20,
                "npc_walker_amount": 0,
            },
        ],
    }
}


@pytest.fixture
def data():
    return copy.deepcopy(PUBLISHED)


@pytest.fixture
def read(tmp_path):
    def read(data):
        path = tmp_path / "scenario_config_map_Town10HD.json"
        path.write_text(data if isinstance(data, str) else json.dumps(with_checksum(data)), encoding="utf-8")
        return read_scenario_file(path)

    return read


def contains(whole, part):
    """Whether an object has all entries of another one, with equal values."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(key in whole and contains(whole[key], part[key]) for key in part)
    if isinstance(part, list):
        return len(whole) == len(part) and all(map(contains, whole, part))
    return whole == part


def test_published_file_is_read_in_the_frame_of_this_package(data, read):
    first, normal, temporal = read(data).scenarios
    assert (first.town, first.weather, first.rig, first.anomaly.name) == ("downtown", "WET_CLOUDYSUNSET", "mono", "cow")
    assert (first.start.y, first.start.yaw, first.route[0][1]) == (3.25, -90.2, 3.25)
    assert first.anomaly.yaw == -211.37
    assert normal.anomaly is None
    assert (temporal.anomaly.kind, temporal.anomaly.actor, temporal.anomaly.ticks) == (
        "sudden-braking",
        "vehicle.audi.a2",
        (140, 170),
    )


def test_round_trip_keeps_every_entry_also_unknown_ones(data, read):
    data["version"] = 2
    definition = data["scenario_definition"]
    definition["author"] = {"name": "someone"}
    first = definition["scenarios"][0]
    first["note"] = [1, None]
    first["anomaly_config"]["colour"] = "red"
    first["ego_spawnpoint"]["road"] = 7
    first["ego_spawnpoint"]["location"]["lane"] = -1
    first["ego_route"]["length"] = 2
    file = read(data)
    assert contains(file.to_json(), data)
    assert read(file.to_json()) == file
    named = " ".join(file.unknown_entries())
    for entry in ("version", "scenario_definition", "note", "anomaly_config.colour", "ego_spawnpoint.road"):
        assert entry in named
    assert "ego_route.length" in named
    assert "ego_spawnpoint.location.lane" in named


def test_whole_distances_are_written_as_integers():
    scenario = Scenario("a", "grid", "CLEAR_NOON", 1, 2, 3, anomaly=ContentAnomaly("cow", 71.0))
    for distance, kind in ((71.0, int), (71.5, float)):
        changed = scenario.replace(anomaly=scenario.anomaly.replace(distance=distance))
        written = scenario_to_json(changed)["anomaly_config"]["distance_to_waypoint"]
        assert written == distance
        assert type(written) is kind


def test_scenario_without_seed_gets_one_from_its_id(data, read):
    seeds = [each.seed for each in read(data).scenarios]
    assert seeds == [each.seed for each in read(data).scenarios]
    assert len(set(seeds)) == 3


def test_weather_and_actors_are_also_found_inside_the_route(data, read):
    first = data["scenario_definition"]["scenarios"][0]
    expected = read(data).scenarios[0]
    for key in ("weather_preset", "npc_vehicle_amount", "npc_walker_amount"):
        first["ego_route"][key] = first.pop(key)
    assert read(data).scenarios[0] == expected


def test_missing_number_of_actors_is_that_of_the_town(data, read):
    del data["scenario_definition"]["scenarios"][1]["npc_walker_amount"]
    assert read(data).scenarios[1].pedestrians == 150


@pytest.mark.parametrize(
    ("keys", "value", "message"),
    [
        (["scenario_definition", "map"], "Town10", "no town named 'Town10'. Did you mean 'Town10HD'?"),
        (["scenario_definition", "scenarios"], {}, "scenarios is {}; expected a list"),
        (["scenario_definition"], [], "scenario_definition is []; expected an object"),
        ([0], 3, "scenario 0: the scenario is 3; expected an object"),
        ([0, "weather_preset"], "WET_SUNSTE", "scenario 0: no weather named 'WET_SUNSTE'. Did you mean 'WET_SUNSET'?"),
        ([0, "anomaly_config", "anomalytype"], "STATICS", "no anomalytype named 'STATICS'. Did you mean 'STATIC'?"),
        ([0, "anomaly_config", "anomalytype"], 4, "anomalytype is 4"),
        ([0, "anomaly_config", "anomaly_bp_name"], "static.prop.o_cwo_animal", "Did you mean 'cow'?"),
        ([0, "anomaly_config", "distance_to_waypoint"], -71, "the distance of an object is -71; expected a number in"),
        ([0, "anomaly_config", "distance_to_waypoint"], "far", "the distance of an object is 'far'"),
        ([0, "anomaly_config", "rotation"], "left", "rotation is 'left'"),
        ([0, "anomaly_config", "size"], "tiny", "size is 'tiny', but 'cow' is big"),
        ([0, "anomaly_config", "anomalytype"], "NORMALITY", "anomalytype is NORMALITY, but anomaly_bp_name is"),
        ([0, "ego_spawnpoint", "location", "x"], None, "ego_spawnpoint.location has no entry 'x'; add it"),
        ([0, "ego_spawnpoint", "location"], "here", "ego_spawnpoint.location is 'here'; expected an object"),
        ([0, "ego_route", "locations"], 3, "ego_route.locations is 3; expected a list"),
        ([0, "ego_route", "locations"], [{"x": 1, "y": 2}], "ego_route.locations[0] has no entry 'z'"),
        ([0, "ego_route", "locations"], [{"x": 1, "y": 2, "z": 0, "w": 1}], "has the unknown entry 'w'"),
        ([0, "npc_vehicle_amount"], -4, "the number of vehicles is -4"),
        ([0, "seed"], "five", "seed 'five' is a str; expected an integer"),
        ([0, "sensor_rig"], "mano", "no rig named 'mano'. Did you mean 'mono'?"),
        ([0, "ego_behavior"], "norml", "no behaviour named 'norml'. Did you mean 'normal'?"),
        ([0, "timing"], {"frames": 3}, "Timing has no field 'frames'"),
        ([0, "timing"], [3], "timing is [3]"),
        ([0, "id"], "a/b", "the id of a scenario is 'a/b'"),
        ([0, "id"], "normal-1", "two scenarios have the id normal-1"),
        ([2, "anomaly_config", "ticks"], [170, 140], "the last tick of an anomaly is 140"),
    ],
)
def test_wrong_entry_is_named_with_its_place(data, read, keys, value, message):
    place = data
    if isinstance(keys[0], int):
        place = data["scenario_definition"]["scenarios"]
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = value
    with pytest.raises((InvalidScenario, UnknownName)) as raised:
        read(data)
    assert message in str(raised.value)
    assert "scenario_config_map_Town10HD.json: " in str(raised.value)


@pytest.mark.parametrize("key", ["id", "anomaly_config", "weather_preset"])
def test_missing_entry_is_named(data, read, key):
    del data["scenario_definition"]["scenarios"][1][key]
    with pytest.raises(InvalidScenario, match=f"scenario 1: the scenario has no entry '{key}'; add it"):
        read(data)


def test_misspelled_entry_is_recognised(data, read):
    scenario = data["scenario_definition"]["scenarios"][1]
    scenario["weather_prest"] = scenario.pop("weather_preset")
    with pytest.raises(InvalidScenario, match="It has 'weather_prest' instead: rename it"):
        read(data)


@pytest.mark.parametrize(
    ("keys", "misspelled", "meant"),
    [
        ([], "scenario_definitions", "scenario_definition"),
        (["scenario_definition"], "scenario", "scenarios"),
        ([0], "sead", "seed"),
        ([0], "Seed", "seed"),
        ([0], "sensor_rigs", "sensor_rig"),
        ([0], "ego_behaviour", "ego_behavior"),
        ([0], "npc_walker_ammount", "npc_walker_amount"),
        ([0], "ego_spawnpiont", "ego_spawnpoint"),
        ([0, "anomaly_config"], "lateral_ofset", "lateral_offset"),
        ([0, "anomaly_config"], "hight", "height"),
        ([0, "ego_spawnpoint"], "rotaton", "rotation"),
        ([0, "ego_route"], "location", "locations"),
        ([2, "anomaly_config"], "tick", "ticks"),
    ],
)
def test_a_misspelled_entry_is_an_error_beside_the_right_one_and_without_it(data, read, keys, misspelled, meant):
    place = data if not keys or isinstance(keys[0], str) else data["scenario_definition"]["scenarios"]
    for key in keys:
        place = place[key]
    place[misspelled] = 3
    with pytest.raises(InvalidScenario, match=rf"has the unknown entry '{misspelled}'. Did you mean '{meant}'\?"):
        read(data)


def test_a_known_name_with_something_behind_it_is_another_entry(data, read):
    data["scenario_definition"]["scenarios"][0]["seed_of_traffic"] = 3
    assert read(data).scenarios[0].extra == {"seed_of_traffic": 3}


def test_a_changed_value_is_noticed(tmp_path):
    (name,) = write_scenarios(make_scenarios("smoke", seed=5)[:1], tmp_path / "set")
    path = tmp_path / "set" / name
    text = path.read_text()
    seed = read_scenario_file(path).scenarios[0].seed
    path.write_text(text.replace(f'"seed": {seed}', f'"seed": {seed + 1}'))
    with pytest.raises(DamagedFile, match=r"Town\d+\w*.json was changed: .*remove the entry 'checksum'"):
        read_scenario_file(path)


def test_a_file_of_an_early_version_or_of_the_published_generator_is_read_with_a_warning(data, tmp_path):
    path = tmp_path / "scenario_config_map_Town10HD.json"
    path.write_text(json.dumps(data))
    with pytest.warns(NoChecksum, match=r"Town10HD.json has no checksum"):
        assert read_scenario_file(path).scenarios[1].id == "normal-1"


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"scenario_definition": ', "[" * 100_000])
def test_malformed_json_is_a_damaged_file(read, text):
    with pytest.raises(DamagedFile, match="scenario_config_map_Town10HD"):
        read(text)


def test_set_is_read_back_equal_and_bytes_depend_only_on_the_seed(tmp_path):
    made = make_scenarios("mini", seed=7, temporal=["sudden-braking", "jaywalker", "cut-in"])
    for name in ("first", "second"):
        write_scenarios(made, tmp_path / name)
    files = read_scenarios(tmp_path / "first")
    assert len(files) == 8
    assert sorted((s for file in files.values() for s in file.scenarios), key=lambda s: s.id) == sorted(
        made, key=lambda s: s.id
    )
    for name in files:
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "second" / name).read_bytes()


def test_existing_files_are_not_overwritten(tmp_path):
    made = make_scenarios("smoke", seed=5)
    files = write_scenarios(made, tmp_path / "set")
    before = {path: path.read_bytes() for path in (tmp_path / "set").iterdir()}
    with pytest.raises(AlreadyExists, match="choose another folder"):
        write_scenarios(make_scenarios("smoke", seed=6), tmp_path / "set")
    name, file = next(iter(files.items()))
    with pytest.raises(AlreadyExists, match="choose another name"):
        write_scenario_file(file, tmp_path / "set" / name)
    assert {path: path.read_bytes() for path in (tmp_path / "set").iterdir()} == before


def test_failed_write_leaves_nothing(tmp_path, monkeypatch):
    write, written = write_checked_json, []

    def fails_later(path, data):
        if written:
            raise OSError(28, "No space left on device")
        written.append(path)
        write(path, data)

    monkeypatch.setattr(module, "write_checked_json", fails_later)
    with pytest.raises(InaccessibleFile, match="free some space"):
        write_scenarios(make_scenarios("smoke"), tmp_path / "new" / "set")
    assert written
    assert not list(tmp_path.iterdir())


def test_folder_without_scenario_files_is_named(tmp_path):
    with pytest.raises(MissingFile, match="has no scenario files"):
        read_scenarios(tmp_path)
    with pytest.raises(MissingFile, match="does not exist"):
        read_scenarios(tmp_path / "missing")


def test_same_id_in_two_files_is_named(tmp_path):
    made = make_scenarios("smoke", seed=5)
    write_scenarios(made, tmp_path / "set")
    path = next(iter(sorted((tmp_path / "set").iterdir())))
    other = read_checked_json(path)
    other["scenario_definition"]["map"] = "Town10HD"
    write_checked_json(tmp_path / "set" / "scenario_config_map_Town10HD.json", other)
    with pytest.raises(InvalidScenario, match="two scenarios have the id"):
        read_scenarios(tmp_path / "set")


def test_every_anomalytype_is_read():
    for kind in ANOMALY_TYPES[2:]:
        config = {"anomalytype": kind, "anomaly_bp_name": "vehicle.sedan"}
        if kind == "JAYWALKER":
            config["anomaly_bp_name"] = "walker.pedestrian"
        if kind in ("SUDDEN_BREAKING_OF_VEHICLE_AHEAD", "STOPPED_CAR", "SWERVING_CAR"):
            config["approximate_dist_to_spawning_waypoint"] = 9
        data = {"id": "a", "anomaly_config": config, "weather_preset": "CLEAR_NOON"}
        assert scenario_from_json(data, "Town05").type == "temporal"
