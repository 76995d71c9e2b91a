"""Runs of tables and figures, with all worlds or with some."""

from dataclasses import replace

import pytest

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.papers.catalogue import figures_of, paper, papers, tables_of
from offnominal.papers.reproduction import StudyRun, fillable_runs, reproductions, why_unfilled
from offnominal.studies import load_study, open_run, run
from offnominal.studies.results import RunResults

pytestmark = pytest.mark.long


def numbers(found):
    return [item.number for item, _ in found]


def test_tables_that_share_a_run_have_equal_runs():
    found = reproductions(tables_of("anomaly-gym"))
    assert numbers(found) == [1, 3, 4, 5, 6, 7, 9, 10, 11, 12]
    assert {run for item, run in found if item.number in (3, 4, 12)} == {StudyRun("anomaly-gym", "laptop")}
    assert {run for item, run in found if item.number in (1, 6, 7, 9, 10, 11)} == {None}


def test_a_scale_replaces_that_of_the_table():
    (found,) = reproductions(tables_of("ood-rl", [5]))
    assert found.run.scale == "pong-agents"
    (found,) = reproductions(tables_of("ood-rl", [5]), scale="smoke")
    assert found.run.scale == "smoke"


def test_tables_without_a_chosen_world_are_left_out():
    found = reproductions(tables_of("anomaly-gym"), worlds=["SAP-Goal1*", "MJC-Reacher3D-v0"])
    assert numbers(found) == [3, 4, 12]
    assert {run.worlds for _, run in found} == {("MJC-Reacher3D-v0", "SAP-Goal1-v0")}


def test_a_table_of_images_is_made_from_the_images_of_the_chosen_worlds():
    (found,) = reproductions(tables_of("anomaly-gym", [13]), worlds=["SAP-*"])
    assert found.run == StudyRun("anomaly-gym-images", "laptop", ("SAP-Goal0-v0", "SAP-Goal1-v0", "SAP-Goal2-v0"))


@pytest.mark.parametrize(("number", "study"), [(3, "anomaly-gym"), (12, "anomaly-gym"), (13, "anomaly-gym-images")])
def test_tables_can_be_made_for_the_simulated_arm_alone(number, study):
    (found,) = reproductions(tables_of("anomaly-gym", [number]), worlds=["URM*"])
    assert found.run == StudyRun(study, "laptop", ("URM-PnP-v0", "URM-Reach-v0"))


def test_a_table_of_one_world_runs_no_other():
    found = reproductions(tables_of("ood-rl", [1, 4, 6]), worlds=["OOD-P*"])
    assert [(item.number, run.worlds) for item, run in found] == [
        (1, ("OOD-Pendulum-v0",)),
        (4, ("OOD-Pendulum-v0",)),
    ]
    (figure,) = reproductions(figures_of("ood-rl", [4, 5]), worlds=["OOD-CartPole-v0"])
    assert figure.item.number == 4


def test_a_pattern_that_matches_none_of_their_worlds_is_an_error():
    with pytest.raises(UnknownName, match=r"no world of these tables and figures matches 'OOD-Pong\*'"):
        reproductions(tables_of("ood-rl", [4, 6]), worlds=["OOD-Pong*"])
    with pytest.raises(UnknownName, match="Did you mean 'SAP-Goal0-v0'"):
        reproductions(tables_of("anomaly-gym", [3]), worlds=["SAP-Gaol*"])


@pytest.mark.parametrize("number", ["E1", "E.1", "e.1"])
def test_numbers_of_tables_are_found_with_and_without_their_dot(number):
    (table,) = tables_of("novelcraft", [number])
    assert table.name == "Table E.1"


@pytest.mark.parametrize("number", ["IV", "VI"])
def test_tables_of_studies_without_worlds_cannot_be_restricted_to_worlds(number):
    with pytest.raises(InvalidParameter, match=r"study 'comparison.*' has no worlds to choose from"):
        reproductions(tables_of("comparison", [number]), worlds=["URM*"])


def test_numbers_of_appendices_may_have_a_dot():
    assert tables_of("comparison", ["C.5"]) == tables_of("comparison", ["C5"])
    assert [table.heading.partition(":")[0] for table in tables_of("novelcraft", ["E.1"])] == ["Table E.1"]


def test_all_parts_of_a_table_about_images_are_found_by_its_number():
    assert [table.study for table in tables_of("comparison", ["C4"])] == [
        "comparison-images",
        "comparison-images-one-in",
    ]


@pytest.mark.parametrize("paper", [spec.id for spec in papers])
def test_published_numbers_are_shown_without_results(paper):
    for table in [*tables_of(paper), *(tables_of(paper, images=True) if paper == "anomaly-gym" else ())]:
        lines = table.compare(replace(RunResults.none(), name=table.study))
        assert not table.study or all(line.ours.value is None for line in lines), table.heading
    assert any(line.published is not None for table in tables_of(paper) for line in table.compare(RunResults.none()))


def unfilled(paper, number, scale, *, worlds=None, images=False):
    return [
        why_unfilled(each)
        for each in reproductions(tables_of(paper, [number], images=images), scale=scale, worlds=worlds)
    ]


def test_a_scale_that_cannot_fill_a_table_is_known_before_anything_is_computed():
    (why,) = unfilled("anomaly-gym", "3", "smoke")
    assert why.startswith("Scale smoke of anomaly-gym has no number for Table 3: its numbers are means over groups")
    assert why.endswith("; scale paper or laptop has one.")
    assert unfilled("anomaly-gym", "3", "laptop") == unfilled("anomaly-gym", "12", "smoke") == [""]


def test_chosen_worlds_count():
    assert unfilled("anomaly-gym", "3", "smoke", worlds=["SAP-*"]) == [""]
    (why,) = unfilled("anomaly-gym", "3", "laptop", worlds=["SAP-Goal2-*"])
    assert "none of the groups is among SAP-Goal2-v0" in why


@pytest.mark.parametrize(
    ("paper", "number", "images", "reason"),
    [
        (
            "anomaly-gym",
            "5",
            True,
            "the run lacks MJC-CartpoleSwingup-v0, URM-Reach-v0, level tiny; scale paper or laptop",
        ),
        ("comparison", "VI", True, "at least 5 classes, and the run has 1"),
        ("comparison", "figC3", True, "it is about cifar10, and the run has mnist"),
        ("novelcraft", "3", False, "trained on NovelCraft+, which the run leaves out; scale paper has one."),
        ("ood-rl", "5", False, "it is about OOD-Pong-v0, and the run has OOD-CartPole-v0, OOD-Pendulum-v0; scale pong"),
        ("ood-rl", "6", False, "it is about agents with MC-Dropout, and the run has Ensemble"),
    ],
)
def test_the_reason_is_named(paper, number, images, reason):
    (why,) = unfilled(paper, number, "smoke", images=images)
    assert reason in why


def test_ranks_need_enough_tables_and_methods():
    assert [why.partition(" need ")[2].partition(";")[0] for why in unfilled("comparison", "V", "smoke")] == [
        "5 tables, and the run has 3",
        "5 methods, and the run has 3",
    ]


def test_runs_that_fill_nothing_are_left_out_with_a_reason():
    found = reproductions(tables_of("anomaly-gym", ["3", "12"]), scale="smoke")
    runs, without = fillable_runs(found)
    assert (len(runs), len(without)) == (1, 1)
    assert fillable_runs(found[:1]) == ([], without)


SMOKE = {
    table.study: [each for each in paper(id).load_published().tables if each.study == table.study]
    for id in papers.ids()
    for table in paper(id).load_published().tables
    if table.study
}


@pytest.mark.slow
@pytest.mark.parametrize("study", SMOKE)
def test_every_table_has_a_number_at_scale_smoke_or_says_before_that_it_has_none(study, tmp_path, public_data):
    _, outcome = run(load_study(study), "smoke", folder=tmp_path / "run", store=tmp_path / "store", workers=2)
    if any(failure.error == "MissingFile" for failure in outcome.failures):
        pytest.skip("its data is not in the data home")
    results = open_run(tmp_path / "run")
    if results.manifest["missing"]:
        pytest.skip(f"{', '.join(results.manifest['missing'])} is not in the data home")
    for found in reproductions(SMOKE[study], scale="smoke"):
        filled = any(line.ours.value is not None for line in found.item.compare(results))
        assert filled == (why_unfilled(found) == ""), (study, found.item.heading)
