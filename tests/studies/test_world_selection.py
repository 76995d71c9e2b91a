"""Studies that are restricted to some of their worlds."""

import pytest

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.kinds import Scale, Study
from offnominal.studies import DetectorEntry, open_run, runs
from offnominal.studies.catalogue import load_study
from offnominal.studies.cells import select_cells
from offnominal.studies.world_selection import at_worlds, select_worlds, study_worlds, worlds_in_file_name

from .cases import ALARM, DATA

WORLDS = ("MJC-HalfCheetah-v0", "SAP-Goal0-v0", "SAP-Goal1-v0", "URM-Reach-v0")


def study(*worlds):
    return Study(
        "mine",
        worlds=worlds or WORLDS,
        detectors=(DetectorEntry("Time"),),
        alarms=(ALARM,),
        data=DATA,
        replicates=10,
        scales={"one": Scale(worlds=("MJC-HalfCheetah-v0",))},
    )


@pytest.mark.parametrize(
    ("patterns", "chosen"),
    [
        ("*", WORLDS),
        ("SAP-*", ("SAP-Goal0-v0", "SAP-Goal1-v0")),
        (["URM*", "SAP-Goal1-v0"], ("SAP-Goal1-v0", "URM-Reach-v0")),
        ("SAP-Goal[!0]-v?", ("SAP-Goal1-v0",)),
    ],
)
def test_worlds_are_chosen_by_patterns_in_the_order_of_the_study(patterns, chosen):
    assert select_worlds(WORLDS, patterns, "the study") == chosen


@pytest.mark.parametrize(
    ("pattern", "nearest"),
    [("URX*", "URM-Reach-v0"), ("SAP-Goal3-v0", "SAP-Goal0-v0"), ("urm*", "URM-Reach-v0"), ("URM", "URM-Reach-v0")],
)
def test_a_pattern_without_a_match_is_an_error_that_names_the_nearest_world_and_all_others(pattern, nearest):
    with pytest.raises(UnknownName, match=rf"Did you mean '{nearest}'\? There are: {', '.join(WORLDS)}\.") as error:
        select_worlds(WORLDS, ["SAP-*", pattern], "study 'mine'")
    assert str(error.value).startswith(f"no world of study 'mine' matches {pattern!r}.")


@pytest.mark.parametrize("pattern", ["zzzz*", "", "[", "??"])
def test_a_pattern_that_resembles_no_world_has_no_suggestion(pattern):
    with pytest.raises(UnknownName, match=r"matches '.*'\. There are: MJC"):
        select_worlds(WORLDS, pattern, "study 'mine'")


def test_chosen_worlds_replace_those_of_the_scale():
    assert at_worlds(study(), "one", None).worlds == ("MJC-HalfCheetah-v0",)
    assert at_worlds(study(), "one", "SAP-*").worlds == ("SAP-Goal0-v0", "SAP-Goal1-v0")
    cells = at_worlds(load_study("anomaly-gym"), "laptop", "SAP-Goal1*").cells()
    assert cells == select_cells(load_study("anomaly-gym").at("laptop").cells(), "SAP-Goal1-v0/*")


def test_a_study_of_tables_has_no_worlds_to_choose_from():
    with pytest.raises(InvalidParameter, match="study 'comparison' has no worlds"):
        study_worlds(load_study("comparison"))
    with pytest.raises(InvalidParameter, match="leave --worlds out"):
        at_worlds(load_study("comparison-images"), "smoke", "URM*")


def test_names_of_folders_have_a_limited_length():
    assert worlds_in_file_name(["ns/Mine-v0"]) == "ns-Mine-v0"
    names = {worlds_in_file_name([f"World{number}-v0" for number in range(count)]) for count in (99, 100)}
    assert len(names) == 2
    assert all(len(name) < 40 for name in names)


def test_a_run_of_some_worlds_has_its_own_folder_and_only_their_cells(in_process, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    both = study("SAP-Goal0-v0", "SAP-Goal1-v0")
    quiet = {"store": tmp_path / "store", "report": lambda line: None}
    place, outcome = runs.run(both, worlds=["*Goal1*"], **quiet)
    assert (str(place), outcome.computed) == ("runs/mine-full-SAP-Goal1-v0", 1)
    assert set(open_run(place).table["world"].to_pylist()) == {"SAP-Goal1-v0"}
    place, outcome = runs.run(both, worlds=["SAP*"], **quiet)
    assert (str(place), outcome.computed, outcome.reused) == ("runs/mine-full", 1, 1)
