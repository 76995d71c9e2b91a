"""Published scenario files of CARLA's towns that run in ours."""

import json

import numpy as np
import pytest

from offnominal.cli.program import program
from offnominal.worlds.road.scenarios import ScenarioFile, read_published_scenarios, read_scenarios
from offnominal.worlds.road.scenarios.errors import InvalidScenario
from offnominal.worlds.road.scenes import ScenarioRun, adapt_scenarios, describe_turns
from offnominal.worlds.road.scenes.mapped_routes import map_route, turns_of
from offnominal.worlds.road.scenes.scenario_route import route_of
from offnominal.worlds.road.town import make_town

pytestmark = pytest.mark.long


def way(*legs, start=(-170.0, 310.0)):
    """Points at distances of 1 m, given (degrees, metres) of each leg; angles as in files, to the right."""
    points = [start]
    for degrees, length in legs:
        x, y = np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))
        for _ in range(length):
            points.append((points[-1][0] + x, points[-1][1] + y))
    return points


def entry(id, points, blueprint="static.prop.o_cow_animal", **changes):
    """A scenario as AnoVox's generator writes it: without a seed, a rig and a timing."""
    (x, y), (u, v) = points[0], points[-1]
    rotation = {"pitch": 0.0, "yaw": 12.0, "roll": 0.0}
    return {
        "id": id,
        "anomaly_config": {
            "anomalytype": "STATIC", "anomaly_bp_name": blueprint, "distance_to_waypoint": 70, "rotation": 211.5,
        },
        "ego_spawnpoint": {"location": {"x": x, "y": y, "z": 0.6}, "rotation": rotation},
        "ego_end_spawnpoint": {"location": {"x": u, "y": v, "z": 0.6}, "rotation": rotation},
        "ego_route": {"locations": [{"x": a, "y": b, "z": 0.0} for a, b in points]},
        "weather_preset": "HARD_RAIN_NOON",
        "npc_vehicle_amount": 20,
        "npc_walker_amount": 10,
        **changes,
    }  # fmt: skip


def write(folder, entries, town="Town05"):
    folder.mkdir(exist_ok=True)
    data = {"scenario_definition": {"map": town, "scenarios": entries}}
    (folder / f"scenario_config_map_{town}.json").write_text(json.dumps(data))
    return folder


STRAIGHT, LEFT = way((0, 140)), way((0, 90), (-90, 80))


def test_turns_are_found_with_their_distances():
    assert turns_of(np.array(way((0, 140)))) == ()
    turns = turns_of(np.array(way((30, 60), (120, 70), (30, 90))))
    assert [turn.left for turn in turns] == [True, False]
    np.testing.assert_allclose([turn.distance for turn in turns], (60, 130), atol=2)


def test_routes_of_other_towns_are_mapped_by_their_turns(tmp_path):
    found = adapt_scenarios(write(tmp_path / "files", [entry("straight", STRAIGHT), entry("left", LEFT)]))
    assert found.refused == {}
    assert list(found.mapped) == ["straight", "left"]
    town = make_town("grid")
    for scenario, length, turns in zip(found.scenarios, (140, 170), ([], [True]), strict=True):
        route = route_of(scenario, town)
        assert route.problems == ()
        assert route.length == pytest.approx(length, abs=5)
        # The file has y to the right: a turn to smaller y is one to the left.
        assert [turn.left for turn in turns_of(route.waypoints[0])] == turns
        assert scenario.anomaly.distance == 70
    assert found.mapped["left"].difference <= 40
    assert "left after" in describe_turns(found.mapped["left"])


def test_what_cannot_be_mapped_is_refused_with_a_reason_and_the_rest_goes_on(tmp_path):
    circles = way(*[(90 * (k % 4), 20) for k in range(9)])
    jump = [*STRAIGHT[:60], (500.0, 500.0)]
    nowhere = entry("no-route", STRAIGHT)
    del nowhere["ego_route"], nowhere["ego_spawnpoint"]
    entries = [
        entry("circles", circles),
        entry("jump", jump),
        nowhere,
        entry("short", way((0, 50))),
        entry("snow", STRAIGHT, weather_preset="SNOW"),
        entry("odd-object", STRAIGHT, "static.prop.o_trebuchet_special"),
        entry("no-class", STRAIGHT, "static.prop.box"),
        entry("straight", STRAIGHT),
        entry("straight", STRAIGHT),
    ]
    found = adapt_scenarios(write(tmp_path / "files", entries))
    assert [each.id for each in found.scenarios] == ["odd-object", "straight"]
    reasons = {place.partition("scenario ")[2]: reason for place, reason in found.refused.items()}
    assert "no route of grid" in reasons["circles"]
    assert "jumps" in reasons["jump"]
    assert "no ego_route" in reasons["no-route"]
    assert "its object is at 70 m" in reasons["short"] or "no route of grid" in reasons["short"]
    assert "SNOW" in reasons["snow"]
    assert "class of objects" in reasons["no-class"]
    assert "another scenario" in reasons["straight"]


def test_an_object_of_the_same_class_stands_in_or_the_scenario_is_left_out(tmp_path):
    blueprint = "static.prop.o_trebuchet_special"
    folder = write(tmp_path / "files", [entry("odd", STRAIGHT, blueprint), entry("cow", STRAIGHT)])
    found = read_published_scenarios(folder)
    (file,) = found.files.values()
    assert file.scenarios[0].anomaly.label.name == "SPECIAL"
    assert found.stand_ins == {blueprint: file.scenarios[0].anomaly.name}
    assert blueprint in json.dumps(ScenarioFile("grid", file.scenarios).to_json())
    strict = read_published_scenarios(folder, stand_ins=False)
    assert [each.id for file in strict.files.values() for each in file.scenarios] == ["cow"]
    assert "trebuchet" in next(iter(strict.refused.values()))


def test_a_damaged_file_does_not_reject_the_others(tmp_path):
    folder = write(tmp_path / "files", [entry("cow", STRAIGHT)])
    (folder / "scenario_config_map_Town01.json").write_text("{")
    (folder / "scenario_config_map_Town02.json").write_text('{"scenario_definition": {"map": "Town02"}}')
    found = read_published_scenarios(folder)
    assert list(found.files) == ["scenario_config_map_Town05.json"]
    assert set(found.refused) == {"scenario_config_map_Town01.json", "scenario_config_map_Town02.json"}


def test_scenarios_of_our_own_towns_stay_as_they_are(tmp_path):
    town = make_town("grid")
    points = [tuple(each) for each in map_route(np.array(way((0, 140))), town).route.waypoints[0]]
    own = entry("own", [(x, -y) for x, y in points])
    del own["ego_spawnpoint"], own["ego_end_spawnpoint"]
    found = adapt_scenarios(write(tmp_path / "files", [own]))
    assert found.mapped == found.refused == {}
    assert [each.id for each in found.scenarios] == ["own"]


def test_the_command_writes_scenario_files_that_run(tmp_path):
    runner = pytest.importorskip("typer.testing").CliRunner()
    folder = write(tmp_path / "files", [entry("left", LEFT), entry("snow", STRAIGHT, weather_preset="SNOW")])
    made = runner.invoke(program, ["scenarios", "adapt", str(folder), "--out", str(tmp_path / "ours")])
    assert made.exit_code == 1
    assert "Mapped left: " in made.stdout
    assert "Left out scenario_config_map_Town05.json, scenario snow: " in made.stdout
    (file,) = read_scenarios(tmp_path / "ours").values()
    assert ScenarioRun(file.scenarios[0]).route.problems == ()


def test_a_route_without_points_is_an_error():
    with pytest.raises(InvalidScenario, match="expected at least two"):
        map_route(np.zeros((1, 2)), make_town("grid"))
