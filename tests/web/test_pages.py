"""Pages of runs, cells, pairs of detectors and faults."""

from __future__ import annotations

import json
import re
import shutil

import pytest
from starlette.testclient import TestClient

from offnominal.core.checksum import read_checked_json, write_checked_json
from offnominal.studies.kinds import study_kinds
from offnominal.studies.paired_comparison import compare_pair
from offnominal.studies.runs import open_run
from offnominal.web.app import make_app
from offnominal.web.library import Library, slug
from offnominal.web.settings import Settings

pytestmark = pytest.mark.long

MARKUP = "<b onmouseover=alert(1)>KNN</b>"


def data_of(answer):
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', answer.text, re.DOTALL)
    return json.loads(found[1])


@pytest.fixture(scope="module")
def data(client):
    return data_of(client.get("/runs/small"))


def test_the_leaderboard_is_that_of_the_run(data, small_runs):
    results = open_run(small_runs / "small")
    rows = study_kinds.build("study").leaderboard(results)
    board = data["leaderboards"]["net_detection"]["-1,-1,-1"]
    assert [data["names"][row[0]] for row in board] == [row["detector"] for row in rows]
    assert f"{board[0][1]:.3f}" == rows[0]["Net detection"].partition(" ")[0]


def test_every_number_has_a_cell_with_its_configuration_commit_and_numbers(client, data):
    manifest = client.get("/runs/small/manifest.json").json()
    keys = {key for names in data["cells"].values() for cells in names.values() for key, _ in cells}
    assert keys == set(manifest["keys"])
    key = manifest["keys"][0]
    page, table = client.get(f"/cells/{key}").text, client.get(f"/cells/{key}.csv").text
    assert key in page
    assert manifest["commit"].rstrip("+") in page
    assert "action/offset@strong" in page
    assert table.startswith("key,world")
    assert "draws_auroc" not in table


def test_the_comparison_is_that_of_the_package(client, data, small_runs):
    first, second = "Mahalanobis", MARKUP
    found = data_of(client.get(f"/compare/small/{slug(first)}/{slug(second)}"))["compared"]["matched_auroc"]
    expected = compare_pair(open_run(small_runs / "small").table, first, second).overall
    assert found["overall"]["counts"] == [expected.wins, expected.ties, expected.losses]
    assert found["overall"]["difference"][0] == pytest.approx(expected.difference.value, abs=1e-4)


def test_a_fault_has_formula_strengths_detectors_clip_and_delay_curves(client, data):
    fault = next(each for each in data["faults"] if each["anomaly"] == "action/offset")
    page = client.get(f"/faults/small/{fault['id']}")
    shown = data_of(page)
    assert "x&#39; = x + b" in page.text
    assert [row["name"] for row in shown["strengths"]] == ["tiny", "medium", "strong", "extreme"]
    lost = shown["strengths"][2]["lost"]
    assert lost[1] <= lost[0] <= lost[2]
    assert lost[0] == pytest.approx(0.25, abs=0.02)
    episode = shown["episodes"][shown["splits"].index("action/offset@strong")]
    assert sorted(episode["detectors"]) == sorted(shown["names"])
    assert episode["detectors"]["Time"]["scores"][-1][0] == episode["length"] - 1
    clip = client.get(f"/clips/small/{fault['id']}/strong.webp")
    assert clip.content[8:12] == b"WEBP"
    curve = client.get(f"/curves/{shown['cells']['Mahalanobis'][0][0]}.json").json()["action/offset@strong"]["3 sigma"]
    assert curve["detected"] == sorted(curve["detected"])
    again = data_of(client.get(f"/faults/small/{fault['id']}"))
    assert again["curves"]["Mahalanobis"][shown["splits"].index("action/offset@strong")]["3 sigma"] == curve


@pytest.mark.parametrize(
    "path", ["/runs/no", "/cells/no", "/compare/small/no/Time", "/faults/small/no", "/clips/small/no/strong.webp"]
)
def test_what_is_not_there_is_a_page_that_says_so(client, path):
    answer = client.get(path)
    assert answer.status_code == 404
    assert "no" in answer.text


def test_without_runs_the_pages_say_how_to_make_one(tmp_path):
    with TestClient(make_app(Settings(runs=tmp_path, cache=tmp_path)), base_url="http://localhost") as client:
        for path in ("/", "/compare", "/faults"):
            assert "offnominal quickstart" in client.get(path).text


def test_a_run_whose_store_was_moved_and_damaged_folders_do_not_stop_the_server(small_runs, tmp_path):
    shutil.copytree(small_runs, tmp_path / "runs")
    manifest = tmp_path / "runs" / "small" / "run.json"
    write_checked_json(manifest, read_checked_json(manifest) | {"store": "/no/such/store"})
    (tmp_path / "runs" / "broken").mkdir()
    (tmp_path / "runs" / "broken" / "run.json").write_text("{")
    library = Library(Settings(runs=tmp_path / "runs", cache=tmp_path))
    (run,) = library.runs()
    assert library.results(run).cells == 3


def test_added_results_are_seen(small_runs, tmp_path):
    shutil.copytree(small_runs, tmp_path / "runs")
    library = Library(Settings(runs=tmp_path / "runs", store=tmp_path / "runs" / "store", cache=tmp_path))
    run = library.run("small")
    hidden = run.store.path(run.manifest["keys"][0])
    hidden.rename(tmp_path / "aside")
    assert library.results(run).cells == 2
    (tmp_path / "aside").rename(hidden)
    assert library.results(run).cells == 3
