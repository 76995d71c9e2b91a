"""Studies as data: which cells they are, and what is said of mistakes."""

import re

import pytest

from offnominal.core.errors import InvalidParameter, ModuleNotAllowed, UnknownName
from offnominal.evaluation.false_alarm_budget import FalseAlarmBudget
from offnominal.kinds.faults.cell import Cell
from offnominal.kinds.faults.study import Scale, Study
from offnominal.studies.catalogue import parse
from offnominal.studies.detector_study import DetectorEntry
from offnominal.studies.kinds import cell_from

from ...studies.cases import ALARM, DATA, WORLD

SCALES = {
    "small": Scale(seeds=(5,), data={"episodes": 4}, parameters={"KNN": {"n_neighbors": 2}}, replicates=3),
    "one": Scale(detectors=("Time",), worlds=("SAP-Goal1-v0",)),
    "wrong": Scale(detectors=("Timer",)),
    "wrong-parameters": Scale(parameters={"KN": {"n_neighbors": 2}}),
    "wrong-data": Scale(data={"episode": 4}),
}


def study(**changes):
    fields = {
        "worlds": (WORLD, "SAP-Goal1-v0"),
        "detectors": (DetectorEntry("KNN", parameters={"n_neighbors": 3, "view": "transition"}, seeds=(0, 9)), *PLAIN),
        "alarms": (ALARM,),
        "seeds": (0, 1),
        "data": DATA,
        "replicates": 10,
        "scales": SCALES,
    }
    return Study("mine", **{**fields, **changes})


PLAIN = (DetectorEntry("Time"), DetectorEntry("Mine", "package.module:Mine"))


def test_cells_are_all_combinations_world_by_world():
    labels = [cell.label for cell in study().cells()]
    in_one = ["KNN/0", "KNN/9", "Time/0", "Time/1", "Mine/0", "Mine/1"]
    assert labels == [f"{world}/expert/{each}" for world in (WORLD, "SAP-Goal1-v0") for each in in_one]


def test_a_cell_has_everything_from_its_study():
    cell = study(policies=("sac",)).cells()[-1]
    assert (cell.detector, cell.name, cell.policy, cell.seed) == ("package.module:Mine", "Mine", "sac", 1)
    assert (cell.data, cell.alarms, cell.replicates) == (DATA, (ALARM,), 10)


def test_a_scale_changes_what_it_names_and_nothing_else():
    small = study().at("small")
    assert small.data == DATA.replace(episodes=4)
    assert small.replicates == 3
    assert small.worlds == study().worlds
    assert {cell.seed for cell in small.cells() if cell.name == "Time"} == {5}
    assert small.detectors[0].parameters == {"n_neighbors": 2, "view": "transition"}
    assert small.detectors[1].parameters == {}
    one = study().at("one")
    assert [cell.label for cell in one.cells()] == ["SAP-Goal1-v0/expert/Time/0", "SAP-Goal1-v0/expert/Time/1"]
    assert study().at(None) == study()


def test_a_world_has_at_most_its_maximum_number_of_episodes_at_every_scale():
    few = study(max_episodes={"SAP-Goal1-v0": 5}, data=DATA.replace(nominal=30, validation=3))
    first, *_, last = few.cells()
    assert (first.data.episodes, first.data.nominal, first.data.validation) == (6, 30, 3)
    assert (last.data.episodes, last.data.nominal, last.data.validation) == (5, 5, 3)
    assert {cell.data.episodes for cell in few.at("small").cells()} == {4}
    assert study(max_episodes={WORLD: 1}, data=DATA.replace(nominal=None)).cells()[0].data.nominal is None
    assert [cell for cell in few.cells() if cell.world == WORLD] == [
        cell for cell in few.replace(max_episodes={}).cells() if cell.world == WORLD
    ]


@pytest.mark.parametrize(
    ("scale", "error", "said"),
    [
        ("smal", UnknownName, "no scale 'smal'. Did you mean 'small'?"),
        ("wrong", UnknownName, "names detector 'Timer'. Did you mean 'Time'?"),
        ("wrong-parameters", UnknownName, "names detector 'KN'. Did you mean 'KNN'?"),
        ("wrong-data", InvalidParameter, "no field 'episode'. Did you mean 'episodes'?"),
    ],
)
def test_a_wrong_scale_is_answered_with_the_nearest_right_one(scale, error, said):
    with pytest.raises(error) as caught:
        study().at(scale)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"worlds": ("SAP-Goal9-v0",)}, UnknownName, "Did you mean 'SAP-Goal"),
        ({"detectors": (DetectorEntry("Mahalonobis"),)}, UnknownName, "Did you mean 'Mahalanobis'?"),
        ({"detectors": (DetectorEntry("A", "KNN"), DetectorEntry("A", "Time"))}, InvalidParameter, "the same name"),
        ({"detectors": ()}, InvalidParameter, "has no detectors"),
        ({"worlds": ()}, InvalidParameter, "has no worlds"),
        ({"seeds": ()}, InvalidParameter, "has no seeds"),
        ({"policies": ()}, InvalidParameter, "has no policies"),
        ({"policies": ("sca-*", "nothing-?")}, InvalidParameter, "but no shipped policy matches"),
        ({"max_episodes": {"SAP-Goal7-v0": 5}}, UnknownName, "Did you mean 'SAP-Goal"),
        ({"max_episodes": {WORLD: 0}}, InvalidParameter, "max_episodes of SAP-Goal0-v0 is 0"),
    ],
)
def test_a_wrong_study_says_what_is_wrong(change, error, said):
    with pytest.raises(error) as caught:
        study(**change)
    assert said in str(caught.value)


def test_a_pattern_stands_for_the_shipped_policies_of_each_world():
    assert study(policies=("tqc-[01]", "a2c-*", "random")).policies_in(WORLD) == ("tqc-0", "tqc-1", "random")
    assert study(policies=("tqc-0", "tqc-*")).policies_in("URM-Reach-v0")[:2] == ("tqc-0", "tqc-1")


def test_a_study_goes_to_plain_data_and_back():
    assert Study.from_dict(study().to_dict()) == study()


TEXT = """
name = "mine"
worlds = ["SAP-Goal0-v0"]

[[detectors]]
name = "Nested"
detector = "{detector}"
parameters = {parameters}
"""


@pytest.mark.parametrize(
    ("detector", "parameters", "error", "said"),
    [
        ("Fusion", '{detectors = ["torch:load", "KNN"]}', ModuleNotAllowed, "'torch:load' belongs to the package"),
        ("Fusion", '{detectors = [["Fusion", {detectors = ["torch:load"]}]]}', ModuleNotAllowed, "'torch:load'"),
        ("KNN", '{row_detector = "torch:load"}', ModuleNotAllowed, "'torch:load'"),
        ("Fusion", '{detectors = ["KNNN"]}', UnknownName, "Did you mean 'KNN'"),
        ("Fusion", '{detectors = [["KNN", "x"]]}', InvalidParameter, "expected a name, or a pair"),
        ("Fusion", '{detectors = [["KNN", {}, {}]]}', InvalidParameter, "expected a name, or a pair"),
        ("Fusion", "{detectors = [3]}", InvalidParameter, "3 in detectors of 'Fusion' is no part"),
        ("Fusion", "{detectors = 7}", InvalidParameter, "expected a list of names"),
    ],
)
def test_parts_of_a_detector_are_checked_when_the_study_is_read(detector, parameters, error, said):
    with pytest.raises(error, match=re.escape(said)):
        parse(TEXT.format(detector=detector, parameters=parameters), "mine.toml")


def test_parts_of_a_package_that_is_allowed_and_of_ours_are_accepted():
    nested = '{detectors = ["KNN", ["Mahalanobis", {view = "transition"}], "json:load"]}'
    read = parse(TEXT.format(detector="Fusion", parameters=nested), "mine.toml", allow_modules=["json"])
    assert [name for _, name in read.targets()][:1] == ["Fusion"]
    assert "json:load" in [name for _, name in read.targets()]


def test_parts_that_are_nested_too_deeply_are_named():
    parts, text = ["KNN"], '["KNN"]'
    for _ in range(2000):
        parts, text = [["Fusion", {"detectors": parts}]], f'[["Fusion", {{detectors = {text}}}]]'
    with pytest.raises(InvalidParameter, match=r"mine\.toml is not a study: it is nested too deeply"):
        parse(TEXT.format(detector="Fusion", parameters=f"{{detectors = {text}}}"), "mine.toml")
    with pytest.raises(InvalidParameter, match="the cell is nested too deeply"):
        cell_from(Cell(WORLD, "Nested", "KNN").to_dict() | {"detector": "Fusion", "parameters": {"detectors": parts}})


def test_a_stored_cell_cannot_name_parts_of_other_packages():
    data = Cell(WORLD, "Nested", "Fusion", {"detectors": ["torch:load"]}).to_dict()
    with pytest.raises(ModuleNotAllowed, match="torch"):
        cell_from(data)


HOURLY = FalseAlarmBudget(12, per="hour")


def test_a_budget_reaches_every_cell_and_the_default_changes_no_key():
    plain, hourly = study(), study(budget=HOURLY)
    assert {cell.budget for cell in hourly.cells()} == {HOURLY}
    assert "budget" not in plain.to_dict()
    assert not any("budget" in cell.to_dict() for cell in plain.cells())
    assert study(budget=FalseAlarmBudget(1.0)).cells()[0].digest() == plain.cells()[0].digest()
    assert hourly.cells()[0].digest() != plain.cells()[0].digest()
    assert hourly.cells()[0].source == plain.cells()[0].source, "the episodes are the same"
    assert cell_from(hourly.cells()[0].to_dict()) == hourly.cells()[0]


def test_a_budget_in_a_file_is_a_table():
    text = TEXT.format(detector="KNN", parameters="{}")
    text = 'budget = { false_alarms = 12, per = "hour" }\n' + text
    read = parse(text, "mine.toml")
    assert isinstance(read, Study)
    assert read.budget == HOURLY
