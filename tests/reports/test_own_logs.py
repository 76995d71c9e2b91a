"""Logs in the formats of public datasets, from the file to the page: imported, compared, reported."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import offnominal as off
from offnominal.alarms import EpisodeMaximum
from offnominal.datasets.logs import episodes_from, import_log
from offnominal.reports.fault_page import write_fault_page as write_page

pytestmark = pytest.mark.long

ROWS, FAULTY = 1600, 1400


def signals():
    """Return two channels and their labels: nominal at first, then with an offset for some rows out of forty."""
    rng, rows = np.random.default_rng(0), np.arange(ROWS)
    faulty = (rows >= FAULTY) & (rows % 40 >= 20)
    return rng.normal(size=(ROWS, 2)) + 5.0 * faulty[:, None], faulty


def skab(folder):
    """Write a CSV as the Skoltech benchmark: semicolons, dates, a column of anomalies and one of change points."""
    values, faulty = signals()
    dates = np.datetime64("2020-03-09T10:14:33") + np.arange(ROWS).astype("timedelta64[s]")
    lines = ["datetime;Accelerometer1RMS;Pressure;anomaly;changepoint"]
    for date, row, active in zip(dates, values, faulty, strict=True):
        lines.append(f"{str(date).replace('T', ' ')};{row[0]:.4f};{row[1]:.4f};{float(active)};0.0")
    (folder / "1.csv").write_text("\n".join(lines))
    observed = ["Accelerometer1RMS", "Pressure"]
    return folder / "1.csv", {"observations": observed, "time": "datetime", "label": "anomaly", "window": 39}


def execution_failures(folder):
    """Write labelled blocks of 15 rows, as UCI's robot execution failures."""
    rng, text = np.random.default_rng(0), ""
    for block in range(60):
        label = "normal" if block < 50 else "collision"
        rows = rng.normal(size=(15, 3)) + 5.0 * (block >= 50)
        text += f"{label}\n" + "".join("\t" + "\t".join(f"{x:.2f}" for x in row) + "\n" for row in rows) + "\n\n"
    (folder / "lp1.data").write_text(text)
    return folder / "lp1.data", {"label": "label", "nominal": "normal"}


def mcap(folder):
    """Write an MCAP file with JSON messages of two topics."""
    writer = pytest.importorskip("mcap.writer", reason="mcap is not installed").Writer
    values, faulty = signals()
    with (folder / "run.mcap").open("wb") as file:
        recorder = writer(file)
        recorder.start()
        schema = recorder.register_schema("any", "jsonschema", b"{}")
        channels = {topic: recorder.register_channel(topic, "json", schema) for topic in ("/arm", "/state")}
        for step, (row, active) in enumerate(zip(values, faulty, strict=True)):
            for topic, message in (("/arm", {"x": row[0], "y": row[1]}), ("/state", {"fault": int(active)})):
                stamp = step * 10**8
                recorder.add_message(channels[topic], stamp, json.dumps(message).encode(), stamp)
        recorder.finish()
    return folder / "run.mcap", {"observations": ["/arm.x", "/arm.y"], "label": "/state.fault", "window": 39}


def lerobot(folder):
    """Write a LeRobot folder of forty episodes with a column of labels."""
    values, faulty = signals()
    features = {"observation.state": {"names": ["x", "y"], "shape": [2]}, "action": {"shape": [1], "names": ["m"]}}
    (folder / "set" / "meta").mkdir(parents=True)
    (folder / "set" / "meta" / "info.json").write_text(json.dumps({"fps": 10, "features": features}))
    (folder / "set" / "data" / "chunk-000").mkdir(parents=True)
    columns = {
        "observation.state": pa.array(values.tolist(), pa.list_(pa.float32(), 2)),
        "action": pa.array([[0.5]] * ROWS, pa.list_(pa.float32())),
        "episode_index": np.arange(ROWS) // 40,
        "timestamp": pa.array((np.arange(ROWS) % 40) / 10, pa.float32()),
        "fault": faulty,
    }
    pq.write_table(pa.table(columns), folder / "set" / "data" / "chunk-000" / "file-000.parquet")
    return folder / "set", {"label": "fault"}


@pytest.mark.parametrize("write", [skab, execution_failures, mcap, lerobot])
def test_a_log_becomes_a_dataset_a_leaderboard_and_a_page(write, tmp_path):
    path, options = write(tmp_path)
    data = import_log(episodes_from(path, **options), tmp_path / "data", name="my-log")
    assert set(data) == {"train", "validation", "test", "faulty"}
    found = off.compare(["Mahalanobis", "Random"], data, alarms=[EpisodeMaximum(0.2)], replicates=50)
    first, second = found.leaderboard()
    assert (first["detector"], first["ties"], second["detector"]) == ("Mahalanobis", "a", "Random")
    (check,) = (row for row in found.guarantees() if row["detector"] == "Mahalanobis")
    assert check["guaranteed"] == "≤ 20%"
    text = write_page(found.results(), tmp_path / "page.html").read_text()
    assert "Detectors on my-log" in text
    assert "<strong>Mahalanobis</strong> separates best" in text
