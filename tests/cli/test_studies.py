"""Studies from the command line: run, resume, query, report, compare."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from offnominal.cli import main, run_summary
from offnominal.cli.program import program
from offnominal.core.errors import ModuleNotAllowed
from offnominal.papers import reproduced_runs
from offnominal.studies import Store, runs
from offnominal.studies import runner as study_runner
from offnominal.studies.catalogue import load_study
from offnominal.studies.code import Sources
from offnominal.studies.failure import Failure
from offnominal.studies.results import RunResults
from offnominal.studies.stored_runs import StoredRun, stored_run

from ..blank_figures import blank_figures
from ..studies.cases import PoolHere

pytestmark = pytest.mark.long

runner = CliRunner()

STUDY = """
name = "mine"
title = "My study"
worlds = ["SAP-Goal0-v0"]
policies = ["tqc"]
replicates = 20

[data]
episodes = 6
validation = 25
anomalies = ["action/offset"]
levels = ["strong"]

[[detectors]]
name = "nearest"
detector = "KNN"

[[detectors]]
name = "Time"

[[alarms]]
name = "conformal"
alarm = "EpisodeMaximum"
"""


@pytest.fixture(autouse=True)
def in_process(monkeypatch, blank_figures):
    """Runs are done in this process."""
    monkeypatch.setattr(study_runner, "LocalPool", lambda workers, peak_mb: PoolHere(Sources()))


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A study of two cells that was run once, and what the program said."""
    folder = tmp_path_factory.mktemp("studies")
    (folder / "mine.toml").write_text(STUDY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OFFNOMINAL_DATA", str(folder / "data"))
        patch.setattr(study_runner, "LocalPool", lambda workers, peak_mb: PoolHere(Sources()))
        with blank_figures():
            said = again(folder)
        yield folder, said


def again(folder: Path, *words: str):
    places = ["--out", str(folder / "run"), "--store", str(folder / "store")]
    return runner.invoke(program, ["run", str(folder / "mine.toml"), "--workers", "1", *places, *words])


def test_a_study_from_a_file_ends_in_a_leaderboard_and_a_page(done):
    folder, said = done
    assert said.exit_code == 0, said.output
    assert "My study: leaderboard" in said.output
    assert "2 cells computed, 0 reused" in said.output
    page = (folder / "run" / "page.html").read_text()
    assert "nearest" in page
    assert (folder / "run" / "tables" / "leaderboard.csv").exists()


def test_the_same_command_again_computes_nothing(done):
    told = json.loads(again(done[0], "--json").stdout)
    assert (told["computed"], told["reused"], told["failed"]) == (0, 2, 0)
    assert [row["detector"] for row in told["leaderboard"]] == ["nearest", "Time"]


def test_results_answer_questions(done):
    pytest.importorskip("duckdb", reason="duckdb is not installed")
    question = "SELECT name, max(net_detection) AS best FROM results GROUP BY name ORDER BY name"
    said = runner.invoke(program, ["results", question, "--store", str(done[0] / "store"), "--json"])
    rows = json.loads(said.stdout)
    assert [row["name"] for row in rows] == ["Time", "nearest"]
    assert rows[0]["best"] == 0.0
    assert rows[1]["best"] > 0.0


def test_the_report_of_a_run_is_written_again(done):
    folder, _ = done
    (folder / "run" / "page.html").unlink()
    said = runner.invoke(program, ["report", str(folder / "run")])
    assert said.exit_code == 0, said.output
    assert (folder / "run" / "page.html").exists()


def test_a_report_of_an_incomplete_run_names_the_cells_that_are_missing_and_the_exit_code_tells(done):
    folder, _ = done
    manifest = json.loads((folder / "run" / "run.json").read_text())
    path = Store(folder / "store").path(manifest["keys"][1])
    moved = path.rename(folder / "moved")
    said = runner.invoke(program, ["report", str(folder / "run")])
    assert said.exit_code == 1
    assert "1 cells have no result" in said.output
    assert "SAP-Goal0-v0/tqc/Time/0" in said.output
    said = runner.invoke(program, ["report", str(folder / "run"), "--json"])
    assert (said.exit_code, json.loads(said.stdout)["missing"]) == (1, ["SAP-Goal0-v0/tqc/Time/0"])
    moved.rename(path)


def test_the_summary_has_the_median_delay_and_the_false_alarms(done):
    words = " ".join(done[1].output.split())
    assert "median delay" in words
    assert "Delays and false alarms are those of the alarm 'conformal'." in words


def test_the_page_is_opened_in_a_browser(done, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)
    assert runner.invoke(program, ["report", str(done[0] / "run"), "--open"]).exit_code == 0
    assert opened == [(done[0] / "run" / "page.html").resolve().as_uri()]


def test_the_leaderboard_is_shown_from_the_store(done):
    said = runner.invoke(
        program, ["leaderboard", str(done[0] / "run"), "--metric", "fpr95", "--kind", "action", "--json"]
    )
    rows = json.loads(said.stdout)
    assert [row["rank"] for row in rows] == [1, 2]
    assert {"detector", "ties", "FPR at 95 % TPR", "median delay (steps)"} <= set(rows[0])
    said = runner.invoke(program, ["leaderboard", str(done[0] / "run"), "--level", "strong"])
    assert "My study: leaderboard, strong" in said.output


def test_two_detectors_are_compared(done):
    said = runner.invoke(program, ["compare", "nearest", "Time", str(done[0] / "run"), "--json"])
    told = json.loads(said.stdout)
    assert (told["better"], told["overall"]["ties"], told["left_out"]) == (None, 1, 0)
    assert [row["fault"] for row in told["faults"]] == ["action/offset@strong"]
    said = runner.invoke(program, ["compare", "Time", "nearest", str(done[0] / "run"), "--faults"])
    assert "Time and nearest are tied" in said.output
    assert "action/offset@strong" in said.output


def test_the_last_run_is_found_without_a_name(done, monkeypatch):
    monkeypatch.chdir(done[0])
    (done[0] / "runs").mkdir()
    (done[0] / "runs" / "mine").symlink_to(done[0] / "run", target_is_directory=True)
    rows = json.loads(runner.invoke(program, ["leaderboard", "--store", "store", "--json"]).stdout)
    assert [row["detector"] for row in rows] == ["nearest", "Time"]


def test_untrained_baselines_are_shown_with_all(done, monkeypatch):
    monkeypatch.setattr("offnominal.studies.untrained.UNTRAINED", "ime")
    command = ["leaderboard", str(done[0] / "run")]
    said = runner.invoke(program, command)
    assert "1 untrained baselines are not shown" in said.output
    assert "2  Time" not in said.output
    assert "2  Time" in runner.invoke(program, [*command, "--all"]).output
    assert len(json.loads(runner.invoke(program, [*command, "--json"]).stdout)) == 2


def test_a_detector_of_another_package_is_run_if_it_is_allowed(tmp_path, monkeypatch):
    (tmp_path / "allowed_elsewhere.py").write_text("from offnominal.detectors.baselines import Time as Mine\n")
    (tmp_path / "mine.toml").write_text(STUDY.replace('detector = "KNN"', 'detector = "allowed_elsewhere:Mine"'))
    monkeypatch.syspath_prepend(tmp_path)
    refused = again(tmp_path)
    assert isinstance(refused.exception, ModuleNotAllowed)
    assert not (tmp_path / "store").exists()
    loaded = []
    monkeypatch.setattr(runs, "run", lambda study, scale, **options: loaded.append(study) or sys.exit(0))
    again(tmp_path, "--allow-module", "allowed_elsewhere")
    assert [entry.id for entry in loaded[0].detectors] == ["allowed_elsewhere:Mine", "Time"]


def test_a_cell_that_fails_is_named_and_the_exit_code_tells(tmp_path, done, monkeypatch):
    broken = STUDY.replace('name = "Time"', 'name = "OneClassSVM"\nparameters = { nu = 7.0 }')
    (tmp_path / "mine.toml").write_text(broken)
    said = again(tmp_path)
    assert said.exit_code == 1
    assert "1 cell failed with InvalidParameter" in said.output
    assert "SAP-Goal0-v0/tqc/OneClassSVM/0" in said.output
    assert "1 cells computed" in said.output


def test_studies_are_listed_with_their_scales():
    rows = json.loads(runner.invoke(program, ["studies", "--json"]).stdout)
    assert {row["study"] for row in rows} >= {"quickstart", "anomaly-gym", "anomaly-gym-policies"}
    (laptop,) = [row for row in rows if (row["study"], row["scale"]) == ("anomaly-gym", "laptop")]
    assert laptop["cells"] == 200


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["run", "anomaly-gim"], "Did you mean 'anomaly-gym'?"),
        (["run", "anomaly-gym", "--scale", "latop"], "Did you mean 'laptop'?"),
        (["run", "nowhere.toml"], "there is no file nowhere.toml"),
        (["run", "quickstart", "--only", "nothing"], "there is no cell to run"),
        (["run", "quickstart", "--sampler", "optuna"], "has no sampler"),
        (["run", "quickstart", "--budget", "12"], "expected such as '12/hour'"),
        (["run", "comparison", "--budget", "12/hour"], "study 'comparison' has no budget"),
        (["run", "diagnosis", "--budget", "12/hour"], "has a budget of false alarms"),
        (["run", "comparison", "--sampler", "optna"], "'random', 'optuna'"),
        (["report", "nowhere"], "nowhere is no run"),
        (["reproduce", "anomaly-gin"], "Did you mean 'anomaly-gym'?"),
        (["reproduce", "anomaly-gym", "--table", "99"], "choose from 1, 3, 4, 5, 6, 7, 9, 10, 11, 12"),
        (["reproduce", "anomaly-gym", "--figure", "1"], "no figure 1 here; choose from 3."),
        (["reproduce", "anomaly-gym", "--worlds", "SAQ*"], "Did you mean 'SAP-Goal0-v0'? There are: CAR-"),
        (["reproduce", "comparison", "--worlds", "SAP*"], "study 'comparison' has no worlds to choose from"),
        (["run", "anomaly-gym", "--scale", "smoke", "--worlds", "SAQ*"], "no world of study 'anomaly-gym' matches"),
        (["run", "comparison", "--worlds", "SAP*"], "study 'comparison' has no worlds to choose from"),
        (["reproduce", "novelcraft", "--table", "4", "--workers", "1"], "--workers and --ray need --run"),
        (["reproduce", "comparison", "--figure", "2"], "What it shows is not known here"),
        (["play", "SAP-Goal0-v0", "--out", "clip.avi"], "a clip ends in .webp or .gif"),
        (["play", "SAP-Goal0-v0", "--agent", "me"], "expected expert or scripted"),
        (["train", "SAP-Goal0-v0", "--demonstrator", "scriptd"], "Did you mean 'scripted'?"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(words, complaint, monkeypatch, capsys, tmp_path):
    pytest.importorskip("torch", reason="torch is not installed")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["offnominal", *words])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    assert complaint in capsys.readouterr().err


def fake_results(worlds):
    """Results of KNN with an AUROC of 0.7 at strong."""
    row = {
        "policy": "expert",
        "name": "KNN",
        "seed": 0,
        "split": "action/noise@strong",
        "kind": "action",
        "episodes": 20,
    }
    metrics = ("auroc", "average_precision", "fpr95", "pooled_auroc", "pooled_average_precision", "pooled_fpr95")
    row |= {"level": "strong", "alarm": None, "median_delay": None} | dict.fromkeys(metrics, 0.7)
    row |= {"early_rate": None, "miss_rate": None}
    table = pa.Table.from_pylist([row | {"key": world, "world": world} for world in worlds])
    return RunResults("anomaly-gym", "", "", "laptop", {}, table, pa.table({}))


@pytest.fixture
def requested(monkeypatch, tmp_path):
    """Studies, scales and worlds that were run; nothing is computed."""
    calls = []

    def run(study, scale, *, worlds, **options):
        calls.append((study.name, scale, worlds))
        (tmp_path / study.name).mkdir(exist_ok=True)
        return tmp_path / study.name, None

    monkeypatch.setattr(reproduced_runs, "run", run)
    monkeypatch.setattr(reproduced_runs, "open_run", lambda place: fake_results(calls[-1][2]))
    return calls


def test_a_table_is_compared_with_the_published_one_over_the_chosen_worlds(requested):
    words = ["--worlds", "SAP-Goal0*", "--worlds", "MJC-Half*", "--run", "--json"]
    said = runner.invoke(program, ["reproduce", "anomaly-gym", "--table", "12", *words])
    assert said.exit_code == 0, said.output
    assert requested == [("anomaly-gym", "laptop", ("MJC-HalfCheetah-v0", "SAP-Goal0-v0"))]
    (rows,) = [table["rows"] for table in json.loads(said.stdout)]
    assert [row["world"] for row in rows if row["metric"] == "AUROC"] == ["MJC-HalfCheetah-v0", "SAP-Goal0-v0"]


def test_tables_without_the_chosen_worlds_are_left_out_and_named(requested):
    said = runner.invoke(program, ["reproduce", "anomaly-gym", "--worlds", "SAP-Goal2*", "--run"])
    assert said.exit_code == 0, said.output
    assert requested == [("anomaly-gym", "laptop", ("SAP-Goal2-v0",))]
    assert "Table 5: policies and detectors under other policies: left out" in said.output
    assert "Table 12" in said.output


def reproduced(*words):
    said = runner.invoke(program, ["reproduce", *words, "--json"])
    assert said.exit_code == 0, said.output
    return json.loads(said.stdout)


def test_without_a_store_a_table_shows_the_results_of_the_package(requested, tmp_path):
    words = ["anomaly-gym", "--table", "12", "--store", str(tmp_path / "none")]
    said = runner.invoke(program, ["reproduce", *words])
    assert (said.exit_code, requested) == (0, [])
    assert "Ours of Table 12 travel with the package, and are not computed here: anomaly-gym@paper (100" in said.output
    assert "`offnominal run anomaly-gym --scale paper`" in said.output
    (table,) = reproduced(*words)
    assert {run["scale"] for run in table["shipped"]} == {"paper", "laptop"}
    assert sum(row["ours"] != "–" for row in table["rows"]) > 800
    assert list(tmp_path.iterdir()) == []


def test_results_of_the_package_can_be_of_some_worlds_or_of_one_scale(tmp_path):
    words = ["anomaly-gym", "--table", "12", "--store", str(tmp_path / "none")]
    (table,) = reproduced(*words, "--worlds", "SAP-Goal0*")
    assert {row["world"] for row in table["rows"] if row["ours"] != "–"} == {"SAP-Goal0-v0"}
    (laptop,) = reproduced(*words, "--scale", "laptop")
    assert {run["scale"] for run in laptop["shipped"]} == {"laptop"}
    assert 0 < sum(row["ours"] != "–" for row in laptop["rows"]) < 100
    (groups,) = reproduced("anomaly-gym", "--table", "3", "--worlds", "SAP-*", "--store", str(tmp_path / "none"))
    assert (groups["shipped"], {row["ours"] for row in groups["rows"]}) == ([], {"–"})


def test_the_package_has_no_results_with_the_errors_of_public_code(tmp_path):
    words = ["anovox", "--table", "4", "--store", str(tmp_path / "none")]
    (right,), (as_published,) = reproduced(*words), reproduced(*words, "--as-published")
    assert len(right["shipped"]) == 1
    assert (as_published["shipped"], {row["ours"] for row in as_published["rows"]}) == ([], {"–"})


def test_results_of_the_store_stand_alone_and_the_most_powerful_ones_count(monkeypatch, tmp_path):
    def stored_run(study, scale, *, worlds, **_):
        results = fake_results({"paper": ["SAP-Goal0-v0"], "laptop": ["SAP-Goal0-v0", "SAP-Goal1-v0"]}.get(scale, []))
        keys = frozenset(f"{scale} {key}" for key in results.table["key"].to_pylist()) if results.cells else frozenset()
        return StoredRun(replace(results, scale=scale, missing=("x",)), 10, (), keys)

    monkeypatch.setattr("offnominal.papers.result_sources.stored_run", stored_run)
    words = ["anomaly-gym", "--table", "12", "--store", str(tmp_path / "store")]
    (table,) = reproduced(*words)
    assert (table["scales"], table["shipped"]) == (["paper", "laptop"], [])
    assert {row["world"] for row in table["rows"] if row["ours"] != "–"} == {"SAP-Goal0-v0", "SAP-Goal1-v0"}
    said = runner.invoke(program, ["reproduce", *words])
    assert (
        f"Ours: 1 of 10 cells have no result; `offnominal run anomaly-gym --scale paper --store {tmp_path}"
        in said.output
    )


def test_without_any_results_a_table_shows_the_published_numbers_and_the_command(requested, tmp_path):
    words = ["novelcraft", "--table", "fig4", "--scale", "laptop", "--store", str(tmp_path / "none")]
    said = runner.invoke(program, ["reproduce", *words])
    assert (said.exit_code, requested) == (0, [])
    assert "0.723" in said.output
    assert "27 of 27 cells have no result; `offnominal run novelcraft --scale laptop --store" in said.output
    assert list(tmp_path.iterdir()) == []


def test_a_comparison_keeps_all_columns_in_a_narrow_terminal(requested, monkeypatch):
    monkeypatch.setattr("offnominal.cli.output.out.width", 40)
    said = runner.invoke(program, ["reproduce", "anomaly-gym", "--table", "12", "--worlds", "SAP-Goal2*", "--run"])
    assert said.exit_code == 0, said.output
    (header,) = (line for line in said.output.splitlines() if {"ours", "published", "difference"} <= set(line.split()))
    assert "verdict" in header


def test_without_run_a_figure_is_not_drawn_from_nothing(requested, tmp_path):
    words = ["reproduce", "comparison", "--figure", "5", "--store", str(tmp_path / "none"), "--json"]
    said = runner.invoke(program, words)
    assert (said.exit_code, requested) == (0, [])
    assert [row["file"] for row in json.loads(said.stdout)] == [None]


class OtherCode(Sources):
    """Code that was changed since the results were computed."""

    def version(self, *targets):
        return f"changed {super().version(*targets)}"


def test_results_are_found_in_the_store_without_data_and_without_a_run(done, tmp_path, monkeypatch):
    study = load_study(str(done[0] / "mine.toml"))
    monkeypatch.setenv("OFFNOMINAL_DATA", str(tmp_path))
    store = done[0] / "store"
    found = stored_run(study, store=store)
    assert (found.cells, found.results.cells, found.results.missing, found.outdated) == (2, 2, (), ())
    assert found.results.table.num_rows == runs.open_run(done[0] / "run").table.num_rows
    assert len(found.results.examples)
    later = study.replace(replicates=21)
    assert stored_run(later, store=store).results.missing == tuple(cell.label for cell in later.cells())
    changed = stored_run(study, store=store, sources=OtherCode())
    assert (changed.results.cells, changed.outdated) == (2, tuple(cell.label for cell in study.cells()))
    assert list(tmp_path.iterdir()) == []


def test_a_clip_shows_both_twins_and_when_the_fault_is_on(tmp_path):
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    path = tmp_path / "clip.gif"
    words = ["SAP-Goal0-v0", "--anomaly", "action/offset", "--onset", "2", "--steps", "4", "--out", str(path)]
    said = runner.invoke(program, ["play", *words])
    assert said.exit_code == 0, said.output
    clip = image.open(path)
    assert clip.n_frames == 5
    colours = []
    for number in range(5):
        clip.seek(number)
        red, green, blue = clip.convert("RGB").getpixel((clip.width - 2, clip.height - 2))
        colours.append(red - (green + blue) / 2 > 60)
    assert colours == [False, False, False, True, True]


def test_the_doctor_works_without_compiled_code():
    said = subprocess.run(
        [sys.executable, "-m", "offnominal", "doctor", "--json"],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 0, said.stderr
    code = next(row for row in json.loads(said.stdout) if row["part"] == "compiled code")
    assert "NUMBA_DISABLE_JIT is set" in code["remark"]


@pytest.mark.parametrize("installed", [True, False])
def test_failures_name_a_command_that_can_be_run(installed, monkeypatch, capsys):
    monkeypatch.setattr(run_summary, "find_spec", lambda _: object() if installed else None)
    failure = Failure("key", "the cell", error="ValueError", message="no", traceback="")
    run_summary.print_failures([failure])
    said = " ".join(capsys.readouterr().out.split())
    assert ('after `pip install "offnominal[results]"`' in said) is not installed
    assert "--retry runs these cells again" in said


def test_the_doctor_names_what_is_there_and_what_an_extra_would_bring():
    said = runner.invoke(program, ["doctor", "--json"])
    rows = {row["part"]: row for row in json.loads(said.stdout)}
    assert said.exit_code == 0
    assert rows["numpy"]["state"] == "found"
    absent = [row for row in rows.values() if row["state"] == "absent" and row["part"] != "GPU"]
    assert all("offnominal[" in row["remark"] for row in absent)
    assert "data home" in rows
