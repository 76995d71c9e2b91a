"""Public recordings: the catalogue, and a loader for each layout, on generated files and on the real ones."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from offnominal.cli import main
from offnominal.core.directories import find_data_home
from offnominal.core.errors import DamagedFile, InvalidLog, InvalidParameter, MissingFile, OffnominalError, UnknownName
from offnominal.datasets import load_public_log, public_log_entry, public_log_names
from offnominal.datasets.public_logs.loading import ENGINE_COLUMNS, LOADERS, VORAUS_META

HOME = find_data_home()
RANDOM = np.random.default_rng(0)


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("OFFNOMINAL_DATA", str(tmp_path))
    return tmp_path


def place(home, name, file):
    folder = home / public_log_entry(name).place
    folder.mkdir(parents=True, exist_ok=True)
    return folder / file


def test_the_catalogue_has_hash_licence_and_size_or_says_that_they_are_unknown(home):
    assert set(public_log_names()) == LOADERS.keys()
    for name in public_log_names():
        entry = public_log_entry(name)
        assert entry.licence
        assert entry.page.startswith("https://")
        assert entry.note
        assert bool(entry.sources) != bool(entry.patterns), "files are listed or placed by hand"
        for file in (each for option in entry.sources.values() for each in option):
            assert len(file.sha256) == 64
            assert file.size
            assert file.url.startswith("https://raw.githubusercontent.com/")
        assert (entry.sha256 == "not known") == (not entry.sources)
        assert entry.presence == ("download" if entry.sources else "by hand")
    with pytest.raises(UnknownName, match=r"no public recordings named 'scab'\. Did you mean 'skab'\?"):
        load_public_log("scab")


def test_the_guide_lists_the_sets_with_their_licences():
    guide = (Path(__file__).parents[3] / "docs" / "guide" / "own-logs.md").read_text()
    for name in public_log_names():
        (line,) = [line for line in guide.splitlines() if line.startswith(f"| `{name}` |")]
        assert public_log_entry(name).licence.partition(" since")[0].partition(";")[0] in line


def test_files_that_are_missing_are_named_with_their_place(home):
    for name in public_log_names():
        if not public_log_entry(name).sources:
            with pytest.raises(MissingFile, match=f"place .* in .*{public_log_entry(name).place}, from https://"):
                load_public_log(name)


def test_a_listed_file_with_other_content_is_refused(home):
    for path in ("logs/nab/machine_temperature_system_failure.csv", "logs/nab/combined_windows.json"):
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text("timestamp,value\n")
    with pytest.raises(DamagedFile, match=r"machine_temperature_system_failure.csv has sha256 .*; expected 92bf5b87"):
        load_public_log("nab")


def test_voraus_ad(home):
    rows, samples = 50, 6
    n = rows * samples
    sample = np.repeat(np.arange(samples), rows)
    columns = {
        "time": np.tile(np.arange(rows) / 100, samples),
        "sample": sample,
        "anomaly": sample >= 4,
        "category": np.where(sample >= 4, 3, 12),
        "setting": np.where(sample < 3, 72, 80),
        "action": np.tile(np.arange(rows) // 10, samples),
        "active": np.ones(n, bool),
        "robot_voltage": RANDOM.normal(size=n),
        **{f"motor_torque_{k}": RANDOM.normal(size=n).astype(np.float32) for k in range(1, 7)},
        "brake_voltage_1": np.full(n, 24.0),
    }
    pq.write_table(pa.table(columns), place(home, "voraus-ad", "voraus-ad-dataset-100hz.parquet"))
    episodes = load_public_log("voraus-ad")
    assert [len(episode) for episode in episodes] == [rows - 1] * samples
    assert episodes.faulty.tolist() == [False] * 4 + [True] * 2
    assert len(episodes.roles.observations) == 8, "constant signals stay: the set has 130"
    assert not set(episodes.roles.observations) & set(VORAUS_META)
    np.testing.assert_allclose(episodes[5].extras["time"], np.arange(rows) / 100)


def test_aursad(home):
    labels = [0, 1, 5, 4, 6, 0]
    frame = pd.concat(
        pd.DataFrame(
            {
                "sample_nr": number,
                "event": np.arange(30),
                "timestamp": 1e9 + number * 100 + np.arange(30) / 100,
                "actual_current_0": RANDOM.normal(size=30),
                "motor_temperature": RANDOM.normal(size=30),
                "label": label,
            }
        )
        for number, label in enumerate(labels)
    )
    pq.write_table(pa.table(frame.reset_index(drop=True)), place(home, "aursad", "aursad.parquet"))
    episodes = load_public_log("aursad")
    assert episodes.faulty.tolist() == [False, True, False, True, False, False]
    assert episodes.roles.observations == ("actual_current_0", "motor_temperature")
    assert len(episodes) == 6


def session(path, change=lambda file: None):
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    with h5py.File(path, "w") as file:
        for name, rate, width in (("joint_positions", 50, 7), ("gripper_positions", 20, 2), ("measured_force", 100, 3)):
            times = 100.0 + np.arange(10 * rate) / rate
            file[f"robot_state/{name}"] = times[:, None] + 1000.0 * np.arange(width)
            file[f"timestamps/{name}"] = times
        file["robot_state/without_times"] = np.zeros(3)
        file["hama1"] = np.void(b"video")
        file["events"] = np.zeros((4, 3))
        segments = [(101.0, 102.0, True), (103.0, 105.0, False), (106.0, 107.0, True)]
        for number, (start, end, success) in enumerate(segments):
            for name, value in (("start", start), ("end", end), ("success", success), ("text", "Pick usb.")):
                file[f"segments_info/{number}/{name}"] = value
        change(file)
    return path


def test_reassemble(home):
    session(place(home, "reassemble", "2025-01-09-13-59-54.h5"))
    episodes = load_public_log("reassemble", keep="all")
    assert [len(episode) for episode in episodes] == [50, 100, 50]
    assert episodes.faulty.tolist() == [False, True, False]
    assert episodes[1].active.all()
    names = episodes.roles.observations
    assert len(names) == 12
    first = episodes[1]
    np.testing.assert_allclose(first.extras["time"], 103.0 + np.arange(101) / 50)
    gripper = first.observations[:, names.index("gripper_positions.1")] - 1000.0
    late = first.extras["time"] - gripper
    assert (late >= -1e-9).all()
    assert (late < 0.05 + 1e-9).all(), "the last value before each row"


def test_malformed_sessions_are_named_errors(home):
    def without(group):
        def change(file):
            del file[group]

        return change

    def backwards(file):
        file["timestamps/measured_force"][5] = 0.0

    def shorter(file):
        del file["timestamps/gripper_positions"]
        file["timestamps/gripper_positions"] = np.zeros(3)

    def text(file):
        del file["segments_info/0/success"]
        file["segments_info/0/success"] = "yes"

    cases = [
        (without("segments_info"), "has no group 'segments_info'"),
        (without("robot_state/joint_positions"), "has no 'robot_state/joint_positions' with times"),
        (without("segments_info/1/end"), "'segments_info/1' has no 'start', 'end' or 'success'"),
        (backwards, "'timestamps/measured_force' goes back or is not finite in row 5"),
        (shorter, "'robot_state/gripper_positions' has 200 rows and 3 times"),
        (text, "that is no single number"),
    ]
    for number, (change, words) in enumerate(cases):
        path = session(place(home, "reassemble", f"{number}.h5"), change)
        with pytest.raises(InvalidLog, match=words):
            load_public_log("reassemble")
        path.unlink()


def test_engines_that_run_to_their_failure(home):
    lines = []
    for unit, cycles in ((1, 100), (2, 60)):
        for cycle in range(1, cycles + 1):
            values = [unit, cycle, *RANDOM.normal(size=3).round(4), *RANDOM.normal(size=21).round(4)]
            lines.append(" ".join(map(str, values)) + "  ")
    path = place(home, "c-mapss", "train_FD001.txt")
    path.write_text("\n".join(lines))
    (path.parent / "train_FD002.txt").write_text("\n".join(lines[:50]))
    episodes = load_public_log("c-mapss", part="FD001")
    assert [len(episode) for episode in episodes] == [99, 59]
    assert [int(episode.active.sum()) for episode in episodes] == [30, 30]
    assert episodes.roles.observations == ENGINE_COLUMNS[2:]
    assert len(load_public_log("c-mapss")) == 3
    path.write_text("\n".join([*lines[:3], "1 2 3"]))
    with pytest.raises(InvalidLog, match=r"train_FD001.txt: line 4 has 3 numbers; expected 26"):
        load_public_log("c-mapss")
    path.write_text("\n".join([*lines[:3], lines[3].replace(" ", " x", 1)]))
    with pytest.raises(InvalidLog, match=r"train_FD001.txt, line 4 cannot be read as numbers"):
        load_public_log("c-mapss")


def test_series_of_tsb_ad(home):
    for name, width in (("001_Genesis_id_1_Sensor_tr_40_1st_60", 3), ("002_MSL_id_1_Sensor_tr_50_1st_70", 2)):
        frame = pd.DataFrame(RANDOM.normal(size=(100, width)), columns=[f"c{k}" for k in range(width)])
        frame["Label"] = (np.arange(100) >= 60) & (np.arange(100) < 65)
        frame.astype({"Label": int}).to_csv(place(home, "tsb-ad-m", f"{name}.csv"), index=False)
    train, test = load_public_log("tsb-ad-m", part="001")
    assert (len(train), len(test), train.observations.shape[1]) == (39, 59, 3)
    assert (train.active.sum(), test.active.sum()) == (0, 5)
    with pytest.raises(InvalidParameter, match="columns of their own; name one in `part`, of 001_Genesis"):
        load_public_log("tsb-ad-m")
    with pytest.raises(UnknownName, match="no file that begins with '007'"):
        load_public_log("tsb-ad-m", part="007")


def test_the_command_line_lists_and_imports_them(home, monkeypatch, capsys):
    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["offnominal", *arguments])
        with pytest.raises(SystemExit) as stop:
            main()
        shown = capsys.readouterr()
        return stop.value.code, shown.out, shown.err

    code, shown, _ = run("datasets", "public", "--json")
    rows = {row["name"]: row for row in json.loads(shown)}
    assert code == 0
    assert rows.keys() == set(public_log_names())
    assert rows["skab"]["SHA-256"] == "7641a8742957… and 7 more"
    assert rows["voraus-ad"]["SHA-256"] == "not known"
    assert "voraus-ad" in run("datasets", "public")[1]
    for name in ("001_A_id_1_Sensor_tr_40_1st_60", "002_A_id_1_Sensor_tr_40_1st_60"):
        frame = pd.DataFrame({"x": RANDOM.normal(size=400), "Label": (np.arange(400) >= 300).astype(int)})
        frame.to_csv(place(home, "tsb-ad-m", f"{name}.csv"), index=False)
    code, shown, said = run("import", "tsb-ad-m:001", "--from", "public", "--as", "series", "--window", "10")
    assert code == 0, said
    assert "series" in run("datasets")[1]
    code, _, said = run("import", "tsb-ad-m", "--from", "public", "--as", "all")
    assert (code != 0, "name one in `part`" in said) == (True, True)


@pytest.mark.parametrize(
    ("name", "episodes", "faulty", "transitions"),
    [("skab", 9, 7, 17_417), ("nab", 2, 2, 22_693), ("uci-robot", 463, 334, 6_482)],
)
def test_the_real_recordings(name, episodes, faulty, transitions, monkeypatch):
    if HOME is None or not (HOME / "logs" / name.replace("-", "_")).is_dir():
        pytest.skip("the public recordings are not in the data home")
    monkeypatch.setenv("OFFNOMINAL_DATA", str(HOME))
    assert public_log_entry(name).presence == "present"
    log = load_public_log(name)
    assert (len(log), int(log.faulty.sum()), log.transitions) == (episodes, faulty, transitions)
    assert log.left_out == ()
    if name == "uci-robot":
        assert len(load_public_log(name, part="lp5")) == 164
        with pytest.raises(OffnominalError, match="no file that begins with 'lp6'"):
            load_public_log(name, part="lp6")
