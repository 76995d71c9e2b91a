"""Every world and every anomaly has a small clip in the gallery."""

from pathlib import Path

import pytest

from offnominal.anomalies import anomalies
from offnominal.worlds import worlds

GALLERY = Path(__file__).parents[2] / "docs" / "assets" / "gallery"
WITHOUT_CLIP = {"dynamics/gain", "dynamics/control_latency", "dynamics/control_smoothing"}
"""The first acts on MuJoCo models of other packages alone; the others need a virtual controller."""

pytestmark = [pytest.mark.long, pytest.mark.skipif(not GALLERY.is_dir(), reason="the documentation is not there")]


def test_every_world_has_a_clip():
    assert {path.stem for path in (GALLERY / "worlds").glob("*.webp")} == set(worlds.ids())


def test_every_anomaly_has_a_clip():
    expected = {name.replace("/", "-") for name in anomalies.ids() if name not in WITHOUT_CLIP}
    assert not expected - {path.stem for path in (GALLERY / "anomalies").glob("*.webp")}


def test_clips_are_small():
    sizes = [path.stat().st_size for path in GALLERY.rglob("*.webp")]
    assert max(sizes) <= 150_000
    assert sum(sizes) <= 12_000_000
