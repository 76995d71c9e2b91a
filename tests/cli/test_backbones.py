"""Published weights from the command line: the list, downloads, and runs without them."""

import hashlib
import json
from dataclasses import replace

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from offnominal.cli import run_summary
from offnominal.cli.program import program
from offnominal.core.errors import DamagedFile, MissingFile, UnknownName
from offnominal.detectors.images.features.published_weights import FOLDER, PUBLISHED_WEIGHTS, absent_weights
from offnominal.kinds import Study
from offnominal.papers.novelcraft.study import NoveltyStudy
from offnominal.reports.page import PageContent, render_page
from offnominal.studies import runs
from offnominal.studies.catalogue import load_study, parse, studies
from offnominal.studies.results import RunResults

runner = CliRunner()
VGG = "vgg16_conv"
STUDY = f"""
name = "with-weights"
worlds = ["SAP-Goal0-v0"]
replicates = 20

[data]
episodes = 4
nominal = 8
validation = 23
anomalies = ["action/offset"]
levels = ["strong"]

[[detectors]]
name = "Time"

[[detectors]]
name = "KNN-VGG16"
detector = "KNN-ResNet"
parameters = {{ backbone = "{VGG}" }}
"""


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """An empty data home."""
    monkeypatch.setenv("OFFNOMINAL_DATA", str(tmp_path / "home"))
    return tmp_path / "home"


def place(home, name):
    """Put a file into the data home under the name of published weights."""
    (home / FOLDER).mkdir(parents=True, exist_ok=True)
    (home / FOLDER / PUBLISHED_WEIGHTS[name].file).write_bytes(b"weights")


def test_every_file_is_listed_with_hash_size_and_licence(home):
    place(home, VGG)
    rows = {row["name"]: row for row in json.loads(runner.invoke(program, ["backbones", "--json"]).output)}
    assert rows.keys() == PUBLISHED_WEIGHTS.keys()
    assert rows[VGG]["file"] == "present"
    assert rows["efficientnet_lite0"]["file"] == "downloadable"
    for row in rows.values():
        assert row["licence"]
        assert row["address"].startswith("https://")
    assert rows[VGG]["bytes"] == 63_794_605
    printed = runner.invoke(program, ["backbones"]).output
    assert VGG in printed


def test_weights_are_fetched_and_checked(home, tmp_path, monkeypatch):
    source = tmp_path / "weights.bin"
    source.write_bytes(b"weights")
    sha256 = hashlib.sha256(b"weights").hexdigest()
    published = replace(PUBLISHED_WEIGHTS[VGG], url=source.as_uri(), file="kept.bin", sha256=sha256)
    monkeypatch.setitem(PUBLISHED_WEIGHTS, VGG, published)
    said = runner.invoke(program, ["backbones", "fetch", VGG])
    assert said.exit_code == 0, said.output
    assert (home / FOLDER / "kept.bin").read_bytes() == b"weights"
    monkeypatch.setitem(PUBLISHED_WEIGHTS, VGG, replace(published, sha256="0" * 64))
    assert isinstance(runner.invoke(program, ["backbones", "fetch", VGG]).exception, DamagedFile)
    source.unlink()
    monkeypatch.setitem(PUBLISHED_WEIGHTS, VGG, replace(published, file="other.bin"))
    assert isinstance(runner.invoke(program, ["backbones", "fetch", VGG]).exception, MissingFile)
    assert isinstance(runner.invoke(program, ["backbones", "fetch", "vgg17"]).exception, UnknownName)


def test_absent_weights_are_those_of_a_published_backbone_without_a_file(home):
    assert absent_weights({"backbone": VGG}) == VGG
    place(home, VGG)
    assert absent_weights({"backbone": VGG}) == ""
    for backbone in ("encoder", "timm:resnet50", print, None):
        assert absent_weights({"backbone": backbone}) == ""


def test_a_study_leaves_out_detectors_without_weights_by_name(home):
    study = parse(STUDY, "here")
    cells, missing = study.available_cells()
    assert [cell.label for cell in cells] == ["SAP-Goal0-v0/expert/Time/0"]
    assert missing == (f"KNN-VGG16: weights of {VGG}",)
    assert all(cell in study.cells() for cell in cells)
    place(home, VGG)
    assert study.available_cells() == (study.cells(), ())


def test_without_any_weights_all_cells_run_and_explain_what_is_missing():
    study = parse(STUDY, "here")
    assert isinstance(study, Study)
    alone = study.with_detectors(study.detectors[1:])
    assert alone.available_cells() == (alone.cells(), ())


def test_methods_of_novelty_without_weights_are_left_out_with_all_their_cells(home):
    study = load_study("novelcraft-pretrained").at("paper")
    assert isinstance(study, NoveltyStudy)
    cells, missing = study.available_cells()
    assert {cell.columns()["name"] for cell in cells} == {"KNN random", "SSKM"}
    assert {cell.columns()["variant"] for cell in cells if cell.columns()["name"] == "SSKM"} == {"random"}
    assert len(missing) == len(study.detectors) - 1
    for name in ("efficientnet_lite0", "efficientnet_lite1", "efficientnet_lite2"):
        place(home, name)
    cells, missing = study.available_cells()
    assert {name.rpartition(" ")[2] for name in missing} == {VGG}
    names = {cell.columns()["name"] for cell in cells}
    assert {"KNN EfficientNet-Lite2", "Patch EfficientNet-Lite0"} < names
    assert "NDCC VGG16" not in names


@pytest.mark.parametrize("name", studies.ids())
def test_no_smoke_run_downloads_weights(name):
    study = load_study(name)
    if "smoke" not in study.scales:
        pytest.skip(f"{name} has no scale smoke")
    cells, _ = study.at("smoke").available_cells()
    assert cells
    for cell in cells:
        entries = getattr(cell, "detectors", None) or [cell]
        assert not any(absent_weights(getattr(entry, "parameters", {})) for entry in entries), cell.label


def test_a_run_says_what_it_left_out_and_how_to_get_it(tmp_path, monkeypatch, capsys):
    described = {}

    def no_cells(cells, store, *, folder, about, only):
        described.update(about, labels=[cell.label for cell in cells])

    monkeypatch.setattr(runs, "run_study", no_cells)
    runs.run(parse(STUDY, "here"), folder=tmp_path)
    assert described["labels"] == ["SAP-Goal0-v0/expert/Time/0"]
    assert described["missing"] == [f"KNN-VGG16: weights of {VGG}"]
    monkeypatch.setattr("offnominal.reports.report.write_report", lambda found, folder: folder / "page.html")
    monkeypatch.setattr(run_summary, "print_leaderboard", lambda found, untrained: None)
    found = RunResults("toy", "A toy", "", "", {"missing": [*described["missing"], "iris"]}, pa.table({}), pa.table({}))
    run_summary.finish_run(tmp_path, found, None, as_json=False)
    said = " ".join(capsys.readouterr().out.split())
    assert f"KNN-VGG16: not run, the weights of {VGG} are not in the data home" in said
    assert f"`offnominal backbones fetch {VGG}` downloads them" in said
    assert "`offnominal tables fetch iris` downloads it" in said
    assert f"weights of {VGG}" in render_page(found, PageContent("Nothing.", []))
