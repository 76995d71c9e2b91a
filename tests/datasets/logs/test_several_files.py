"""Several files as one log: their order, their columns, their labels, and errors with file and row."""

import gzip
import json
import pickle
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from offnominal.cli import main
from offnominal.core.errors import InvalidLog, InvalidParameter, OffnominalError
from offnominal.datasets import Dataset
from offnominal.datasets.logs import QuestionableLog, describe_log, episodes_from, split_log

from .recordings import real

N = 30


def table(number, rows=N, **columns):
    random = np.random.default_rng(number)
    return pd.DataFrame({"x": random.normal(size=rows), "y": random.normal(size=rows), **columns})


@pytest.fixture
def csv_files(tmp_path):
    for number in range(12):
        table(number).to_csv(tmp_path / f"run_{number}.csv", index=False)
    return tmp_path


def firsts(episodes):
    return [episode.observations[0, 0] for episode in episodes]


def test_each_file_begins_an_episode_and_folders_are_in_natural_order(csv_files):
    episodes = episodes_from(csv_files)
    np.testing.assert_allclose(firsts(episodes), [table(number)["x"][0] for number in range(12)])
    assert [episode.seed for episode in episodes] == [N * number for number in range(12)]
    assert episodes.source_of(10).endswith("run_10.csv")
    given = episodes_from([csv_files / "run_5.csv", csv_files / "run_2.csv"])
    np.testing.assert_allclose(firsts(given), [table(5)["x"][0], table(2)["x"][0]])
    assert describe_log(given) | {"files": 2, "rows": 60} == describe_log(given)
    for ours, theirs in zip(pickle.loads(pickle.dumps(episodes))[3:5], episodes.take([3, 4]), strict=True):
        np.testing.assert_array_equal(ours.observations, theirs.observations)
    assert {name: len(part) for name, part in split_log(episodes).items()} == {"train": 7, "validation": 3, "test": 2}


def test_files_with_dates_are_in_the_order_of_their_dates(tmp_path):
    for name, day in (("b", 3), ("a", 5), ("c", 1)):
        dates = pd.date_range(f"2020-03-0{day}", periods=N, freq="s")
        table(day, when=dates).to_csv(tmp_path / f"{name}.csv", index=False)
    episodes = episodes_from(tmp_path)
    np.testing.assert_allclose(firsts(episodes), [table(day)["x"][0] for day in (1, 3, 5)])
    begins = [episode.extras["time"][0] for episode in episodes]
    np.testing.assert_allclose(begins, [0.0, 2 * 86400.0, 4 * 86400.0])


def test_formats_may_be_mixed(tmp_path):
    table(0).to_csv(tmp_path / "0.csv", index=False, sep=";")
    pq.write_table(pa.table(table(1)), tmp_path / "1.parquet")
    np.savez(tmp_path / "2.npz", **table(2))
    with gzip.open(tmp_path / "3.tsv.gz", "wt") as file:
        table(3).to_csv(file, index=False, sep="\t")
    paths = [tmp_path / name for name in ("0.csv", "1.parquet", "2.npz", "3.tsv.gz")]
    np.testing.assert_allclose(firsts(episodes_from(paths)), [table(number)["x"][0] for number in range(4)])
    frames = [table(4), table(5)]
    np.testing.assert_allclose(firsts(episodes_from([*paths, *frames])), [table(n)["x"][0] for n in range(6)])
    with pytest.raises(InvalidLog, match=r"log 5: row 2 has the same time"):
        episodes_from([*[table(n, t=np.arange(N)) for n in range(5)], table(6, t=[0, 1, *range(1, 29)])], time="t")


def test_columns_that_a_file_lacks_are_left_out(tmp_path):
    logs = [table(0, z=np.sin(np.arange(N))), table(1), table(2, fault=np.arange(N) > 20)]
    with pytest.warns(QuestionableLog, match=r"'z' \(partial: not in log 1\), 'fault' \(label-like: not in log 0\)"):
        assert episodes_from(logs).roles.observations == ("x", "y")
    with pytest.raises(OffnominalError, match="log 1 has no column 'z'"):
        episodes_from(logs, observations=["x", "z"])
    with pytest.raises(InvalidLog, match="log 0 and log 1 have no column in common; left out are 'x'"):
        episodes_from([table(0)[["x"]], table(1)[["y"]]])


def test_files_without_the_label_are_nominal():
    logs = [table(0), table(1, fault=np.arange(N) > 20), table(2)]
    with pytest.warns(QuestionableLog, match="no column 'fault' in log 0, log 2: all rows count as nominal"):
        episodes = episodes_from(logs, label="fault")
    assert episodes.faulty.tolist() == [False, True, False]
    with pytest.raises(OffnominalError, match="log 0 has no column 'faults'"):
        episodes_from(logs, label="faults")


def test_an_error_names_the_file_and_its_row(csv_files):
    lines = (csv_files / "run_7.csv").read_text().splitlines()
    for changed, words in (
        (f"{lines[4]},3", r"run_7.csv: row 3 \(line 5\) has 3 entries"),
        ("1.0,", "run_7.csv .*row 3"),
    ):
        (csv_files / "run_7.csv").write_text("\n".join([*lines[:4], changed, *lines[5:]]))
        with pytest.raises(InvalidLog, match=words):
            episodes_from(csv_files)


def test_other_files_of_a_folder_are_named(csv_files):
    (csv_files / "README.md").write_text("no log")
    (csv_files / ".hidden").write_text("no log")
    (csv_files / "more").mkdir()
    table(20).to_csv(csv_files / "more" / "run.csv", index=False)
    with pytest.warns(QuestionableLog, match=r"are no logs and are left out: README.md\."):
        assert len(episodes_from(csv_files)) == 13


def test_intervals_label_rows(tmp_path):
    dates = pd.date_range("2020-03-09 10:00", periods=N, freq="s")
    log = table(0, when=dates)
    windows = [["2020-03-09 10:00:05", "2020-03-09 10:00:08.5"], ("2020-03-09 10:00:20", "2020-03-09 10:00:20")]
    rows = np.isin(np.arange(N), [5, 6, 7, 8, 20])
    (episode,) = episodes_from(log, label_windows=windows)
    np.testing.assert_array_equal(episode.active, rows[1:])
    log.to_csv(tmp_path / "pump.csv", index=False)
    log.assign(when=dates + pd.Timedelta(days=1)).to_csv(tmp_path / "other.csv", index=False)
    named = {"plant/pump.csv": windows, "other.csv": []}
    (tmp_path / "w.json").write_text(json.dumps(named))
    entries = "".join(f"{begin};{end};pump.csv\n" for begin, end in windows)
    (tmp_path / "w.csv").write_text(f"begin;end;file\n{entries}")
    for given in (tmp_path / "w.json", named):
        both = episodes_from([tmp_path / "pump.csv", tmp_path / "other.csv"], label_windows=given)
        assert both.faulty.tolist() == [True, False]
        np.testing.assert_array_equal(both[0].active, rows[1:])
    assert episodes_from(tmp_path / "pump.csv", label_windows=tmp_path / "w.csv")[0].active.sum() == 5
    numbers = table(0, t=np.arange(N) * 100)
    labelled = episodes_from(numbers, time="t", time_unit="ms", label_windows=[{"start": 550, "stop": 800}])
    assert np.flatnonzero(labelled[0].active).tolist() == [5, 6, 7]


def test_invalid_intervals_are_named(tmp_path):
    log = table(0, t=np.arange(N))
    (tmp_path / "w.csv").write_text("from,until\n3,4\n7,\n")
    (tmp_path / "x.csv").write_text("a,b\n3,4\n")
    (tmp_path / "w.json").write_text("[[1, 2")
    cases = [
        ([[5, 3]], "label_windows: interval 0 ends at 3, before it begins at 5"),
        ([[1, 2], [40, 50]], "interval 1, 40 to 50, has no row of the log"),
        ([[1, 2, 3]], r"interval 0 is \[1, 2, 3\]; expected begin and end"),
        ([[1, None]], "expected begin and end"),
        ([[1, float("nan")]], "expected begin and end"),
        ([["soon", "late"]], "interval 0 is 'soon'; expected a time such as 12.5"),
        ([["2020-03-09", "2020-03-10"]], "column 't' has numbers, so expected one"),
        ({"pumps.csv": []}, "label_windows has no entry for the data frame"),
        (7, "label_windows is 7; expected a file, or pairs"),
        ("text", "text does not exist"),
        (tmp_path / "w.csv", "w.csv, row 1 is .*expected begin and end"),
        (tmp_path / "x.csv", r"has the columns \['a', 'b'\]; expected 'begin' and 'end'"),
        (tmp_path / "w.json", "w.json"),
    ]
    for windows, words in cases:
        with pytest.raises(OffnominalError, match=words):
            episodes_from(log, time="t", label_windows=windows)
    with pytest.raises(InvalidParameter, match="intervals of label_windows need a time; name the column in `time`"):
        episodes_from(table(0), label_windows=[[1, 2]])
    with pytest.raises(InvalidParameter, match="label is 'x', and label_windows is given too"):
        episodes_from(log, label="x", label_windows=[[1, 2]])
    with pytest.raises(InvalidLog, match="is 3; column 'when' has dates, so expected one"):
        episodes_from(table(0, when=pd.date_range("2020", periods=N)), label_windows=[[3, 4]])


def test_tables_of_plotjuggler_need_no_options(tmp_path):
    rows = ["__time,/joint/position,/heat/celsius"]
    for step in range(40):
        heat = f"{20 + np.sin(step):.3f}" if step % 2 == 0 else ""
        rows.append(f"{1.6e9 + step / 10:.1f},{np.sin(step / 3):.4f},{heat}")
    (tmp_path / "plot.csv").write_text("\n".join(rows))
    (episode,) = episodes_from(tmp_path / "plot.csv")
    assert episode.observations.shape == (40, 2)
    np.testing.assert_allclose(episode.observations[1::2, 1], episode.observations[::2, 1])
    np.testing.assert_allclose(np.diff(episode.extras["time"]), 0.1, atol=1e-6)
    with pytest.raises(InvalidLog, match="no value in row 1"):
        episodes_from(tmp_path / "plot.csv", missing="error")


def test_arrays_of_any_name_are_read_from_hdf5(tmp_path):
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    random = np.random.default_rng(0)
    with h5py.File(tmp_path / "demo.hdf5", "w") as file:
        for number in range(12):
            demo = file.create_group(f"traj_{number}")
            demo["states"] = random.normal(size=(30, 3)) + number
            demo["joint_torques"] = random.normal(size=(29, 2))
            demo["sensors/force"] = random.normal(size=30)
            demo["camera"] = np.zeros((30, 8, 8, 3), np.uint8)
            demo["short"] = np.zeros(4)
    with pytest.warns(QuestionableLog, match=r"left out: 'short' \(4 entries; others have 30\)"):
        episodes = episodes_from(tmp_path / "demo.hdf5", observations="states", actions="joint_torques")
    assert [len(episode) for episode in episodes] == [29] * 12
    assert np.round([episode.observations.mean() for episode in episodes]).tolist() == list(range(12))
    assert episodes.channels == {
        "observations": ["states.0", "states.1", "states.2"],
        "actions": ["joint_torques.0", "joint_torques.1"],
    }
    with h5py.File(tmp_path / "demo.hdf5") as file:
        np.testing.assert_array_equal(episodes[10].actions, file["traj_10/joint_torques"])
    # One episode per file, as ALOHA has them.
    for number in range(2):
        with h5py.File(tmp_path / f"aloha_{number}.hdf5", "w") as file:
            file["observations/qpos"], file["action"] = random.normal(size=(20, 2)), random.normal(size=(20, 1))
    aloha = episodes_from([tmp_path / f"aloha_{number}.hdf5" for number in range(2)])
    assert (len(aloha), aloha.channels["actions"]) == (2, ["action.0"])
    assert aloha.roles.observations == ("observations.qpos.0", "observations.qpos.1")


def test_the_command_line_takes_files_and_folders(csv_files, tmp_path, monkeypatch, capsys):
    table(30, fault=np.arange(N) > 12).to_csv(csv_files / "bad.csv", index=False)
    arguments = ["import", str(csv_files), "--out", str(tmp_path / "made"), "--label", "fault", "--window", "10"]
    monkeypatch.setattr("sys.argv", ["offnominal", *arguments])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 0, capsys.readouterr().err
    made = Dataset(tmp_path / "made")
    assert {name: len(made[name]) for name in made} == {"train": 15, "validation": 5, "test": 5, "faulty": 1}
    capsys.readouterr()


def test_a_folder_of_skab_and_the_windows_of_nab_need_no_code():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        skab = episodes_from(real("skab"), label="anomaly")
        nab = episodes_from(
            real("nab", "machine_temperature_system_failure.csv"), label_windows=real("nab", "combined_windows.json")
        )
        uci = episodes_from(real("uci_robot"), label="label", nominal=["normal", "ok"])
    assert (len(skab.parts), int(skab.faulty.sum()), len(skab.roles.observations)) == (8, 7, 8)
    begins = [part.source.begins for part in skab.parts]
    assert begins == sorted(begins)
    assert sum(int(part.scan.labels.sum()) for part in nab.parts) == 2268
    assert (len(uci), len(uci.nominal)) == (463, 129)
