"""Columns that say nothing about the machine, or too much, are named and left out of the observations."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from offnominal.cli import main
from offnominal.core.errors import InvalidLog, InvalidParameter, UnknownName
from offnominal.datasets.logs import QuestionableLog, episodes_from
from offnominal.datasets.logs.column_audit import RULES

from .recordings import real

X = np.sin(np.arange(40.0))
FAULT = np.arange(40) >= 30


@pytest.mark.parametrize("nominal", ["normal", ["normal", "idle"], 0, [0], False])
def test_nominal_values_need_a_label(nominal):
    with pytest.raises(InvalidParameter, match="no column is the label; name it in `label`"):
        episodes_from({"x": X, "fault": FAULT}, observations=["x"], nominal=nominal)


def test_nominal_must_be_values():
    with pytest.raises(InvalidParameter, match="expected values of the label"):
        episodes_from({"x": X, "fault": FAULT}, observations=["x"], label="fault", nominal=object())
    with pytest.raises(InvalidParameter, match=r"nominal is \['normal'\], and column 'fault' of the log has numbers"):
        episodes_from({"x": X, "fault": FAULT}, observations=["x"], label="fault", nominal="normal")


def test_a_nominal_value_that_no_row_has_is_named():
    state = np.where(FAULT, "leak", "normal")
    with pytest.warns(QuestionableLog, match="'state' of the log never has a nominal value .*'norml'.*all rows are"):
        episodes_from({"x": X, "state": state}, observations=["x"], label="state", nominal="norml")


N = 1000
RANDOM = np.random.default_rng(0)
NOISE = RANDOM.normal(size=N)
LABEL = (np.arange(N) // 100) % 2 == 1
WALK = np.cumsum(np.abs(NOISE))
PLANTED = {
    # Column, kind that is found; None for a measurement that stays.
    "fault": (LABEL, "label-like"),
    "is_anomaly": (LABEL.astype(float), "label-like"),
    "machineFailure": (3 * LABEL, "label-like"),
    "Class": (np.arange(N) % 3, "label-like"),
    "state_label": (np.where(LABEL, "leak", "ok"), "label-like"),
    "time": (np.arange(N) / 10, "time-like"),
    "timestamp_ns": (np.arange(N) * 10**8, "time-like"),
    "/clock.sec": (np.arange(N) // 10, "time-like"),
    "counter": (np.arange(N) * 2.0 + 7.0, "time-like"),
    "down": (5.0 - np.arange(N), "time-like"),
    "noted": ([f"2020-03-09 10:{row // 60 % 60:02}:{row % 60:02}" for row in range(N)], "time-like"),
    "mode": (["auto"] * N, "not numeric"),
    "lists": ([[1.0, 2.0]] * N, "not numeric"),
    "absent": (np.full(N, np.nan), "empty"),
    "supply": (np.full(N, 24.0), "constant"),
    "copy": (NOISE, "duplicate"),
    "energy": (WALK, "monotone"),
    "fuel": (-WALK, "monotone"),
    "clipped": (np.minimum(RANDOM.normal(size=N), 0.2), "saturated"),
    "floored": (np.maximum(RANDOM.normal(size=N), -0.3), "saturated"),
    "code": (np.where(LABEL, 17, 4), "leaking"),
    "since": (np.where(LABEL, np.arange(N) % 100 + RANDOM.random(N), 0.0), "leaking"),
    # Measurements with the same words or shapes.
    "fault_current": (RANDOM.normal(size=N), None),
    "response_time": (RANDOM.normal(size=N), None),
    "label": (RANDOM.integers(0, 100_000, N), None),
    "nearly a copy": (np.where(np.arange(N) == 999, 0.0, NOISE), None),
    "nearly monotone": (np.where(np.arange(N) == 700, 0.0, WALK), None),
    "contact": (np.maximum(RANDOM.normal(size=N), 0.0), None),
    "valve": (np.where(NOISE > 0.2, 90.0, 10.0), None),
    "clipped seldom": (np.minimum(RANDOM.normal(size=N), 0.8), None),
    "signature": (np.where(LABEL, 5.0, 0.0) + 0.1 * RANDOM.normal(size=N), None),
    "code with an exception": (np.where(LABEL & (np.arange(N) != 150), 17, 4), None),
}


@pytest.mark.parametrize("column", PLANTED)
def test_a_planted_column_is_found(column):
    values, kind = PLANTED[column]
    log = pd.DataFrame({"x": NOISE, column: values, "truth_": LABEL})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        episodes = episodes_from(log, label="truth_")
    found = {each.column: each.kind for each in episodes.left_out}
    assert found == ({column: kind} if kind else {})
    assert list(episodes.roles.observations) == (["x"] if kind else ["x", column])
    assert len(caught) == bool(kind)
    if kind:
        assert f"{column!r} ({kind}: " in str(caught[0].message)


def test_every_rule_has_a_planted_column():
    assert {kind for _, kind in PLANTED.values()} - {None} == RULES.keys() - {"partial"}


def test_the_guide_has_the_rules():
    guide = (Path(__file__).parents[3] / "docs" / "guide" / "own-logs.md").read_text()
    for kind, rule in RULES.items():
        assert f"| {kind} | {rule}" in guide, kind


def test_blocks_and_files_are_audited_as_one_log(monkeypatch, tmp_path):
    numbers = {name: values for name, (values, _) in PLANTED.items() if np.asarray(values).dtype.kind in "fib"}
    log = pd.DataFrame({"x": NOISE, "truth_": LABEL, **{k: v for k, v in numbers.items() if np.ndim(v) == 1}})
    whole = episodes_from(log, label="truth_")
    monkeypatch.setattr("offnominal.datasets.logs.row_source.BLOCK_ROWS", 37)
    blocks = episodes_from(log, label="truth_")
    assert [(each.column, each.kind) for each in blocks.left_out] == [(x.column, x.kind) for x in whole.left_out]
    halves = []
    for number in range(2):
        rows = slice(0, 600) if number == 0 else slice(600, N)
        halves.append(tmp_path / f"{number}.csv")
        log.iloc[rows].to_csv(halves[-1], index=False)
    parts = episodes_from(halves, label="truth_")
    # Within each file, nothing else changes: values are written exactly.
    assert {(each.column, each.kind) for each in parts.left_out} == {(x.column, x.kind) for x in whole.left_out}


def test_columns_are_kept_if_they_are_named():
    log = {"x": NOISE, "time": np.arange(N), "supply": np.full(N, 24.0)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert episodes_from(log, keep="all").roles.observations == ("x", "time", "supply")
        assert episodes_from(log, observations=["x", "supply"]).roles.observations == ("x", "supply")
        assert episodes_from(log, keep=["supply", "time"]).roles.observations == ("x", "time", "supply")
    with pytest.raises(UnknownName, match=r"no column 'suply' that could be kept\. Did you mean 'supply'"):
        episodes_from(log, keep="suply")
    with pytest.raises(InvalidLog, match=r"no column for observations; left out are 'supply' \(constant: always 24\)"):
        episodes_from({"supply": np.full(N, 24.0)})


def test_short_logs_are_no_evidence():
    log = {"x": X[:12], "y": np.full(12, 3.0), "z": np.arange(12), "class_": np.full(12, 2.0)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(episodes_from(log).roles.observations) == 4


def test_text_with_some_numbers_is_an_error():
    with pytest.raises(InvalidLog, match="the text 'off' in row 1"):
        episodes_from({"x": ["1.0", "off"] * 20, "y": X})
    with pytest.raises(InvalidLog, match="the text '1,5' in row 0"):
        episodes_from({"x": ["1,5", "1,7"] * 20, "y": X})


def test_a_time_that_begins_again_in_each_episode_is_left_out():
    log = {"x": X, "run": np.arange(40) // 20, "t": np.arange(40) % 20 / 10}
    with pytest.warns(QuestionableLog, match=r"'t' \(time-like"):
        episodes_from(log, episode="run")


def test_the_only_column_of_dates_is_the_time():
    dates = pd.date_range("2020-03-09", periods=40, freq="s")
    log = pd.DataFrame({"when": dates, "x": X})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        episodes = episodes_from(log)
    assert episodes.roles.time == "when"
    np.testing.assert_allclose(episodes[0].extras["time"], np.arange(40))
    back = log.assign(when=dates - pd.Timedelta(hours=1) * (np.arange(40) >= 25).astype(int))
    with pytest.warns(QuestionableLog, match="the time 'when' of the data frame goes back in row 25: a new episode"):
        assert [len(episode) for episode in episodes_from(back)] == [24, 14]
    with pytest.raises(InvalidLog, match=r"row 25 has an earlier time .*pass clock_jumps='split'"):
        episodes_from(back, time="when")
    assert len(episodes_from(back, time="when", clock_jumps="split")) == 2
    with pytest.warns(QuestionableLog, match=r"'when' \(time-like: not used as time: .*same time as the row before"):
        assert episodes_from(log.assign(when=dates[[0, *range(39)]])).roles.time is None
    zigzag = np.arange(40) + np.where(np.arange(40) % 2, 3.0, 0.0)
    with pytest.raises(InvalidLog, match="goes back 19 times, first in row 2; sort the log"):
        episodes_from({"x": X, "when": zigzag}, time="when", clock_jumps="split")


def test_the_command_line_shows_them(tmp_path, monkeypatch, capsys):
    path = tmp_path / "pump.csv"
    path.write_text("time,flow,fault\n" + "".join(f"{row},{row * row},{int(row > 5)}\n" for row in range(9)))

    def run(*options):
        monkeypatch.setattr("sys.argv", ["offnominal", "import", str(path), "--preview", *options])
        with pytest.raises(SystemExit) as stop:
            main()
        assert stop.value.code == 0
        return capsys.readouterr()

    shown = run()
    assert "Left out (--keep COLUMN keeps one)" in shown.out
    assert "label-like" in shown.out
    (line,) = run("--json").err.strip().splitlines()
    assert line.startswith("QuestionableLog: columns of ")
    assert "'fault' (label-like: its name, and whole numbers from 0 to 1)" in line
    assert "Left out" not in run("--keep", "all").out


def test_labels_and_dates_of_skab_are_left_out():
    episodes = episodes_from(real("skab", "valve1_0.csv"))
    assert {each.column: each.kind for each in episodes.left_out} == {
        "anomaly": "label-like",
        "changepoint": "label-like",
    }
    assert (episodes.roles.time, len(episodes.roles.observations)) == ("datetime", 8)
    labelled = episodes_from(real("skab", "valve1_0.csv"), label="anomaly")
    assert [each.column for each in labelled.left_out] == ["changepoint"]


def test_measurements_of_nab_and_uci_stay():
    nab = episodes_from(real("nab", "machine_temperature_system_failure.csv"))
    assert (nab.roles.time, nab.roles.observations, nab.left_out) == ("timestamp", ("value",), ())
    for path in sorted(real("uci_robot").iterdir()):
        episodes = episodes_from(path, label="label", nominal=["normal", "ok"])
        assert (len(episodes.roles.observations), episodes.left_out) == (6, ()), path.name
