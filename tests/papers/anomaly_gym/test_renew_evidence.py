"""Renewal of measured evidence: what is not named stays."""

import csv
from concurrent.futures import ThreadPoolExecutor

import pytest

from offnominal.papers.anomaly_gym import renew_evidence

FILE = "published_strength_scores.csv"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    rows = [{"world": world, "score": "old"} for world in ("CAR-LaneKeep-v0", "SAP-Goal0-v0")]
    monkeypatch.setattr(renew_evidence, "FOLDER", tmp_path)
    monkeypatch.setattr(renew_evidence, "ProcessPoolExecutor", ThreadPoolExecutor)
    monkeypatch.setattr(
        renew_evidence, "published_parameter_scores", lambda world, episodes: [{"world": world, "score": "new"}]
    )
    renew_evidence.write_rows(FILE, rows)
    return tmp_path


def test_scores_of_worlds_that_are_not_named_are_kept(folder):
    renew_evidence.main(["scores", "SAP-Goal0-v0", "MJC-Reacher3D-v0"])
    rows = [tuple(row.values()) for row in csv.DictReader((folder / FILE).read_text().splitlines())]
    assert rows == [("CAR-LaneKeep-v0", "old"), ("MJC-Reacher3D-v0", "new"), ("SAP-Goal0-v0", "new")]
