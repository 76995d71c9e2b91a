"""Clips of the faults of a run."""

import pyarrow as pa
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.reports import fault_clips
from offnominal.reports.fault_clips import clip_path, clip_sources, write_fault_clips
from offnominal.studies.results import RunResults

pytestmark = pytest.mark.long

pytest.importorskip("PIL")

WORLD = "SAP-Goal0-v0"


def run(*splits, world=WORLD):
    rows = [
        {"key": "5f", "world": world, "policy": "tqc", "anomaly": anomaly, "variant": variant}
        for anomaly, variant in splits
    ]
    return RunResults("toy", "", "", "", {}, pa.Table.from_pylist(rows), pa.table({}))


def fault(anomaly, world=WORLD):
    return {"world": world, "anomaly": anomaly}


def test_one_clip_per_anomaly_is_written_and_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(fault_clips, "STEPS", 10)
    results = run(("action/offset", "tiny"), ("action/offset", "strong"), ("action/offset", "0.3"))
    clips = write_fault_clips(results, tmp_path)
    (path,) = clips.paths
    assert clips.left_out == {}
    assert path == clip_path(tmp_path, WORLD, "action/offset")
    before = path.stat().st_mtime_ns
    assert write_fault_clips(results, tmp_path).paths == [path]
    assert path.stat().st_mtime_ns == before


def test_the_strongest_level_is_shown():
    results = run(("action/offset", "strong-up"), ("action/offset", "tiny"), ("action/noise", "0.3"))
    assert fault_clips._strongest(results) == {(WORLD, "tqc"): {"action/offset": "strong-up"}}


def test_what_cannot_be_simulated_has_no_clip(tmp_path):
    clips = write_fault_clips(run(("action/offset", "strong"), world="No-Such-World-v0"), tmp_path)
    assert clips.paths == []
    assert "No-Such-World-v0" in clips.left_out["No-Such-World-v0"]


def test_the_page_carries_clips_up_to_a_limit_and_names_the_files_of_others(tmp_path, monkeypatch):
    monkeypatch.setattr(fault_clips, "IN_PAGE", 5)
    for name in ("action/noise", "action/offset"):
        path = clip_path(tmp_path, WORLD, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"abcd")
    faults = [fault("action/noise"), fault("action/noise"), fault("action/offset"), fault("action/delay")]
    assert clip_sources(tmp_path, faults) == {
        f"{WORLD} action/noise": "data:image/webp;base64,YWJjZA==",
        f"{WORLD} action/offset": f"clips/{WORLD}/action-offset.webp",
    }


def test_worlds_with_several_policies_share_their_clips(tmp_path):
    path = clip_path(tmp_path, WORLD, "action/noise")
    path.parent.mkdir(parents=True)
    path.write_bytes(b"abcd")
    assert list(clip_sources(tmp_path, [fault("action/noise", f"{WORLD} (sac)")])) == [f"{WORLD} (sac) action/noise"]


def test_other_studies_have_no_clips(tmp_path):
    with pytest.raises(InvalidParameter, match="has no faults"):
        write_fault_clips(RunResults.none(), tmp_path)
