"""Studies of streams: cells, a run, its report, and invalid studies."""

import pytest

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.kinds import StreamCell, StreamCondition, StreamStudy
from offnominal.kinds.streams.report import headline
from offnominal.kinds.streams.results import StreamResults
from offnominal.kinds.streams.tables import alarm_table, null_table, outcome_table, promise_table
from offnominal.reports.report import write_report
from offnominal.studies import DetectorEntry, load_study, open_run, run, verify_run
from offnominal.studies.execution import code_of
from offnominal.studies.kinds import cell_from, study_from

from .made_streams import ALARMS, NOISE, OFFSET, PLAN, STEADY, WEAR, WORLD, stream_results


@pytest.fixture
def study():
    return StreamStudy(
        "mine",
        worlds=(WORLD,),
        conditions=(STEADY, WEAR),
        detectors=(DetectorEntry("Mahalanobis"), DetectorEntry("KNN")),
        alarms=ALARMS[:3],
        background=(NOISE,),
        faults=(OFFSET,),
        data=PLAN,
        replicates=10,
    )


def test_plain_data_give_the_study_and_its_cells_back(study):
    assert study_from(study.to_dict()) == study
    cells = study.cells()
    assert [cell.label.split("/", 1)[1] for cell in cells] == [
        "steady/Mahalanobis/0",
        "steady/KNN/0",
        "wear/Mahalanobis/0",
        "wear/KNN/0",
    ]
    assert isinstance(cell_from(cells[0].to_dict()), StreamCell)
    assert cells[0].source == cells[1].source != cells[2].source
    assert (cells[0].nulls, cells[1].nulls) == (("clock",), ())


def test_scales_choose_conditions_and_change_alarms():
    shipped = load_study("streams")
    assert isinstance(shipped, StreamStudy)
    smoke, full = shipped.at("smoke"), shipped.at("full")
    assert [condition.name for condition in smoke.conditions] == ["steady", "drift", "wear"]
    assert {alarm.name: alarm.parameters for alarm in full.alarms}["RecencyWeighted, confirmed"]["recent"] == 2000
    assert len(shipped.at("laptop").cells()) == 10
    assert full.data.hours(0.05) == pytest.approx(80.9, abs=0.1)
    assert full.data.streams * len(full.seeds) >= 8
    assert full.data.streams >= 8
    assert study_from(full.to_dict()) == full


@pytest.mark.long
@pytest.mark.usefixtures("in_process")
def test_a_run_is_stored_verified_and_reported(study, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    monkeypatch.chdir(tmp_path)
    small = study.replace(detectors=study.detectors[:1], conditions=(WEAR,))
    folder, outcome = run(small, report=lambda line: None)
    assert (outcome.computed, outcome.complete) == (1, True)
    found = open_run(folder)
    rows = StreamResults.of(found)
    assert [row["alarm"] for row in rows.rows] == [alarm.name for alarm in ALARMS[:3]]
    assert {row["detector"] for row in rows.nulls} == {"clock"}
    assert {row["split"] for row in rows.faults} == {"observation/offset@medium"}
    assert len(rows.shown) == 1
    assert len(rows.shown[0]["scores"]) == PLAN.test * PLAN.segment
    assert verify_run(folder, share=1.0)[0][1] == ""
    page = write_report(found, tmp_path / "report")
    text = page.read_text()
    assert "Promises, and whether they were kept" in text
    for name in ("alarms", "promises", "outcomes", "nulls", "faults", "series"):
        assert (page.parent / "tables" / f"{name}.csv").exists()


def test_the_page_counts_promises_and_ranks_by_net_detection():
    found = StreamResults.of(stream_results())
    assert headline(found) == (
        "1 of 2 promises were kept, 1 were broken. Of the alarms that broke none, ACI has the most net detection: "
        "0.80, with 0.94 times the promised false alarms."
    )
    first, second = alarm_table(found).rows
    assert (first["alarm"], first["promises kept"], second["false alarms ÷ promised"]) == ("ACI", "1 of 1", "50.00")
    assert [row["null"] for row in null_table(found).rows] == ["clock", "clock"]


def test_an_arithmetic_promise_is_neither_kept_nor_the_best():
    found = StreamResults.of(stream_results())
    found.rows[0]["verdict_name"] = "arithmetic"
    assert headline(found) == "0 of 1 promises were kept, 1 were broken. No alarm broke none."
    first = alarm_table(found)
    assert (first.rows[0]["alarm"], first.rows[0]["promises kept"], first.rows[0]["broken"]) == ("ACI", "–", "–")
    assert first.numbers[0]["judged"] == 0
    assert promise_table(found).rows[0]["verdict"] == "arithmetic"


def test_tables_say_which_interval_was_judged_and_which_seed():
    found = StreamResults.of(stream_results())
    found.rows[1] |= {"judged_h_low": 800.0, "judged_h_high": 1000.0, "seed": 3}
    without, judged = promise_table(found).rows
    assert (without["judged"], judged["judged"], judged["seed"]) == (None, "[800, 1000]", 3)
    assert [row["seed"] for row in outcome_table(found).numbers] == [0, 3]


def test_the_code_of_a_cell_includes_recording_and_measures(study, sources):
    cell = study.cells()[0]
    for module, text in (
        ("offnominal.kinds.streams.cell_run", "def run_streams(): ..."),
        ("offnominal.kinds.streams.recording", "def record_streams(): ..."),
    ):
        assert code_of(cell, sources.edited(module, text)) != code_of(cell, sources)


def test_invalid_studies_are_named(study):
    with pytest.raises(InvalidParameter, match="a stream needs a world whose restarts are known"):
        study.replace(worlds=("CartPole-v1",))
    with pytest.raises(UnknownName, match=r"has no anomaly 'observation/ofset'. Did you mean 'observation/offset'"):
        study.replace(faults=(OFFSET.replace(anomaly="observation/ofset"),))
    with pytest.raises(InvalidParameter, match="has no faults in OOD-Pendulum-v0"):
        study.replace(worlds=("OOD-Pendulum-v0",), conditions=(STEADY,))
    with pytest.raises(UnknownName, match=r"no null 'clok'\. Did you mean 'clock'"):
        study.replace(nulls=("clok",))
    with pytest.raises(InvalidParameter, match="needs a policy in updates for OOD-CartPole-v0"):
        study.replace(conditions=(StreamCondition("updates", event="update"),))
    with pytest.raises(InvalidParameter, match="two conditions with the same name"):
        study.replace(conditions=(STEADY, STEADY))
    with pytest.raises(InvalidParameter, match="has no alarms"):
        study.replace(alarms=())
