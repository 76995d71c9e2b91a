"""Labels and times that nobody named are not used silently: as observations, or without their nominal values."""

import warnings

import numpy as np
import pytest

from offnominal.cli import main
from offnominal.core.errors import InvalidParameter
from offnominal.datasets.logs import QuestionableLog, episodes_from

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


@pytest.mark.parametrize(
    ("column", "values", "role"),
    [
        ("fault", FAULT, "label"),
        ("is_anomaly", FAULT.astype(float), "label"),
        ("machineFailure", 3 * FAULT, "label"),
        ("Class", np.arange(40) % 3, "label"),
        ("time", np.arange(40) / 10, "time"),
        ("timestamp_ns", np.arange(40) * 10**8, "time"),
        ("Unnamed: 0", np.arange(40), "time"),
        ("/clock.sec", np.arange(40) // 10, "time"),
    ],
)
def test_a_column_that_looks_like_a_role_is_named(column, values, role):
    log = {"x": X, column: values}
    with pytest.warns(QuestionableLog) as caught:
        assert len(episodes_from(log).roles.observations) == 2
    (warning,) = caught
    assert f"became observations: {column!r} may be the {role} (`{role}=`). Name" in str(warning.message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        episodes_from(log, observations=["x", column])


def test_measurements_with_such_words_are_not_named():
    log = {
        "fault_current": X,
        "response_time": X,
        "class": np.full(40, 2.0),
        "step": np.zeros(40),
        "label": np.arange(40) * 1000,
        "speed": np.arange(40),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        episodes_from(log)


def test_a_time_that_begins_again_in_each_episode_is_named():
    log = {"x": X, "run": np.arange(40) // 20, "t": np.arange(40) % 20 / 10}
    with pytest.warns(QuestionableLog, match=r"'t' may be the time"):
        episodes_from(log, episode="run")


def test_the_command_line_names_them_in_one_line(tmp_path, monkeypatch, capsys):
    path = tmp_path / "pump.csv"
    path.write_text("time,flow,fault\n" + "".join(f"{row},{row * row},{int(row > 5)}\n" for row in range(9)))
    monkeypatch.setattr("sys.argv", ["offnominal", "import", str(path), "--preview", "--json"])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 0
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert line.startswith("QuestionableLog: columns of ")
    assert "'fault' may be the label (`label=`), 'time' may be the time (`time=`)" in line
