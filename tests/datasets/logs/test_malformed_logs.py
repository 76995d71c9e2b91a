"""A malformed log is a named error with the row or the column."""

import gzip
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from offnominal.core.errors import InvalidLog, OffnominalError
from offnominal.datasets.logs import episodes_from, open_log

N = 20
X = np.arange(N, dtype=float)
ONE = {"observations": "x"}
TWO = {"observations": ["x", "y"]}


def log(**columns):
    return {"x": X, **columns}


def changed(row, value, values=X):
    return np.where(np.arange(N) == row, value, values)


def csv(text, name="log.csv"):
    def write(folder):
        data = text if isinstance(text, bytes) else text.encode()
        (folder / name).write_bytes(data)
        return folder / name

    return write


def parquet(*tables):
    def write(folder):
        for number, columns in enumerate(tables):
            pq.write_table(pa.table(columns), folder / f"{number}.parquet")
        return folder

    return write


def npy(values, name="log.npy"):
    def write(folder):
        np.save(folder / name, values, allow_pickle=True)
        return folder / name

    return write


def raw(content, name):
    return csv(content, name)


def header(text):
    """The start of an NPY file."""
    return b"\x93NUMPY\x01\0" + len(text).to_bytes(2, "little") + text.encode()


def archive(content):
    def write(folder):
        with zipfile.ZipFile(folder / "log.npz", "w") as file:
            file.writestr("x.npy", content)
        return folder / "log.npz"

    return write


# NumPy's tokenizer raises a TokenError for them.
OPEN_HEADER = header("{'descr': '<f8', 'fortran_order': False, 'shape': (3L,\n")
OPEN_TEXT = header("{'descr': '''<f8")

TABLE = "t,x,y,fault\n0,1,2,0\n1,1,2,0\n2,1,2,1\n"
RATES = np.concatenate([np.arange(10) * 0.01, 0.1 + np.arange(10) * 0.1])

MALFORMED = {
    # Missing and repeated columns.
    "missing column": (log(), {"observations": ["y"]}, "no column 'y'"),
    "misspelt column": (log(speed=X), {"observations": ["sped"]}, "no column 'sped'. Did you mean 'speed'"),
    "missing action": (log(), {"actions": ["u"]}, "no column 'u'"),
    "missing label": (log(), {"label": "fault"}, "no column 'fault'"),
    "missing episode": (log(), {"episode": "run"}, "no column 'run'"),
    "missing time": (log(), {"time": "t"}, "no column 't'"),
    "missing reward": (log(), {"reward": "r"}, "no column 'r'"),
    "missing number": (np.zeros((5, 2)), {"observations": [0, 2]}, "no column '2'"),
    "two label columns": (log(a=X, b=X), {"label": ["a", "b"]}, "label is .*; expected the name of one column"),
    "two columns of one name": (csv("x,fault,fault\n1,0,0\n2,0,1\n"), {}, "two columns 'fault'"),
    "two columns of a frame": (pd.DataFrame(np.zeros((3, 2)), columns=["x", "x"]), {}, "two columns 'x'"),
    "two columns of a table": (pa.table([[1.0], [2.0]], names=["x", "x"]), {}, "two columns 'x'"),
    "two roles": (log(u=X), {"observations": ["x", "u"], "actions": ["u"]}, "column 'u' of the log is named twice"),
    "named twice": (log(), {"observations": ["x", "x"]}, "column 'x' of the log is named twice"),
    "no observations": (log(), {"observations": []}, "no column for observations"),
    "only a label": ({"fault": [0, 0, 1]}, {"label": "fault"}, "no column for observations"),
    "label is observation": (log(), {"observations": ["x"], "label": "x"}, "column 'x' of the log is named twice"),
    "no name": (log(), {"observations": [None]}, "observations has the entry None"),
    "number for names": (log(), {"observations": 3.5}, "observations is 3.5; expected the names"),
    # Empty and short logs.
    "empty file": (csv(""), {}, "log.csv is empty"),
    "blank line": (csv("\n\n\n"), {}, "has no header"),
    "header only": (csv("x,y\n"), {}, "has no rows"),
    "empty frame": (pd.DataFrame({"x": []}), {}, "has no rows"),
    "frame without columns": (pd.DataFrame(), {}, "has no rows"),
    "no columns": ({}, {}, "has no columns"),
    "one row": (csv("x,y\n1,2\n"), {}, "1 row in 1 episode"),
    "one row of a matrix": (np.zeros((1, 3)), {}, "1 row in 1 episode"),
    "one row per episode": (log(run=np.arange(N)), {"episode": "run"}, "20 rows in 20 episodes"),
    "empty table": (parquet({"x": pa.array([], pa.float64())}), {}, "has no rows"),
    "empty folder": (lambda folder: folder, {}, "has no logs; expected a file with one of"),
    # Values that are no numbers.
    "text in numbers": (csv("x\n1\n2\nhigh\n4\n"), {}, "column 'x' .* has the text 'high' in row 2"),
    "text in a frame": (pd.DataFrame({"x": ["1", "2", "?"]}), {}, "the text '\\?' in row 2"),
    "number and text": (pd.DataFrame({"x": [1.0, "two", 3.0]}), {}, "column 'x' .* values of different types"),
    "numbers as text": (pd.DataFrame({"x": ["1", "2", "3"]}), {}, "column 'x' .* has type .*string"),
    "decimal comma": (csv("x;y\n1,5;2\n1,6;2\n"), {}, "the text '1,5' in row 0"),
    "text column": (log(name=["a"] * N), {"observations": ["x", "name"]}, "column 'name' .* the text 'a' in row 0"),
    "text in a table": (parquet({"x": ["1", "off", "3"]}), {}, "the text 'off' in row 1"),
    "category": (
        pd.DataFrame({"x": pd.Categorical(["lo", "hi", "lo"])}),
        {"observations": "x"},
        "the text 'lo' in row 0",
    ),
    "date as observation": (
        pd.DataFrame({"x": pd.date_range("2020", periods=3)}),
        {"observations": "x"},
        "column 'x' .* timestamp",
    ),
    "lists in rows": (pa.table({"x": [[1.0], [2.0]]}), ONE, "column 'x' .* has type list"),
    "complex numbers": (np.zeros((4, 2), complex), {}, "type complex128"),
    "ragged rows": ({"x": [[1.0, 2.0], [3.0]]}, {}, "column 'x' .* rows of different lengths"),
    "columns of different length": ({"x": [1, 2, 3], "y": [1, 2]}, {}, "column 'y' .* has 2 rows, column 'x' 3"),
    "cube": (np.zeros((2, 2, 2)), {}, "shape \\(2, 2, 2\\)"),
    "pickled objects": (npy(np.array([{}, {}], object)), {}, "log.npy cannot be read as arrays"),
    # Missing and infinite values.
    "one missing value": (log(y=changed(7, np.nan)), {}, "column 'y' .* no value in row 7, and in 1 of 20 rows"),
    "missing cell": (csv("x,y\n1,2\n1,\n1,2\n"), {}, "column 'y' .* no value in row 1"),
    "all NaN": (log(y=np.full(N, np.nan)), TWO, "column 'y' .* has no values: all 20 rows"),
    "all NaN, filled": (
        log(y=np.full(N, np.nan)),
        {"observations": "y", "missing": "previous"},
        "column 'y' .* has no values",
    ),
    "empty column": (csv("x,y\n1,\n1,\n"), TWO, "column 'y' .* has no values"),
    "infinite value": (log(y=changed(3, -np.inf)), {}, "column 'y' .* is infinite in row 3"),
    "episode without values": (
        log(y=np.where(X < 10, np.nan, X), run=X // 10),
        {"missing": "previous", "episode": "run"},
        "column 'y' of the log has no values in rows 0 to 9",
    ),
    "reward without value": (log(r=changed(3, np.nan)), {"reward": "r", "missing": "keep"}, "column 'r' .* rewards"),
    "unknown choice": (log(), {"missing": "drop"}, "missing is 'drop'; expected one of"),
    # Time.
    "duplicate time stamp": (log(t=changed(5, 4.0)), {"time": "t"}, "row 5 has the same time as the row before"),
    "decreasing time stamp": (log(t=changed(5, 3.5)), {"time": "t"}, "row 5 has an earlier time"),
    "missing time stamp": (log(t=changed(5, np.nan)), {"time": "t"}, "is nan in row 5; expected a time"),
    "missing date": (
        pd.DataFrame({"x": [1.0, 2.0], "t": [pd.Timestamp("2020"), pd.NaT]}),
        {"time": "t"},
        "has no time in row 1",
    ),
    "infinite time stamp": (log(t=changed(19, np.inf)), {"time": "t"}, "is inf in row 19"),
    "time as text": (log(t=["noon"] * N), {"time": "t"}, "the text 'noon' in row 0; expected seconds"),
    "one date of many": (log(t=["2020-01-01"] * 19 + ["soon"]), {"time": "t"}, "the text 'soon' in row 19"),
    "mixed rates": (log(t=RATES), {"time": "t"}, "mixed rates: .* first at row 11"),
    "mixed rates of episodes": (
        log(t=RATES, run=X // 10),
        {"time": "t", "episode": "run"},
        "mixed rates",
    ),
    "date out of range": (
        pa.table({"x": X[:2], "t": pa.array([0, 26829310458], pa.timestamp("s"))}),
        {"time": "t"},
        "column 't' .* has a time that nanoseconds of 64 bits cannot hold",
    ),
    "unknown unit": (log(t=X), {"time": "t", "time_unit": "hours"}, "time_unit is 'hours'"),
    "negative gap": (log(t=X), {"time": "t", "gap": -1.0}, "gap is -1.0"),
    # Labels and episodes.
    "label of two": (log(fault=changed(4, 2.0, 0 * X)), {"label": "fault"}, "is 2 in row 4; expected 0 or 1"),
    "row without label": (log(fault=[0, None] * 10), {"label": "fault"}, "no label in row 1"),
    "NaN label": (log(fault=changed(6, np.nan, 0 * X)), {"label": "fault"}, "is nan in row 6; expected 0 or 1"),
    "label as text": (log(fault=["ok"] * N), {"label": "fault"}, "is 'ok' in row 0; .* nominal='normal'"),
    "episode again": (log(run=["a"] * 5 + ["b"] * 10 + ["a"] * 5), {"episode": "run"}, "'a' .* again in row 15"),
    "row without episode": (log(run=[1] * 5 + [None] * 15), {"episode": "run"}, "column 'run' .* no value in row 5"),
    # Windows.
    "window too long": (log(), {"window": 20}, "window is 20, but the longest episode of the log has 19 transitions"),
    "window of zero": (log(), {"window": 0}, "window is 0; expected a positive integer"),
    "stride of zero": (log(), {"window": 3, "stride": 0}, "stride is 0"),
    "stride without window": (log(), {"stride": 3}, "stride is 3, but there is no window"),
    # Files.
    "missing file": ("nowhere/log.csv", {}, "nowhere/log.csv does not exist"),
    "unknown suffix": (csv(TABLE, "log.xlsx"), {}, "suffix '.xlsx'; expected one of .csv"),
    "no suffix": (csv(TABLE, "log"), {}, "suffix ''; expected one of"),
    "no header": (csv("1,2\n3,4\n5,6\n"), {}, "has no header: its first line is '1,2'"),
    "unnamed column": (csv("x,,y\n1,2,3\n1,2,3\n"), {}, "column 1 has no name"),
    "too few entries": (csv("x,y\n1,2\n1\n1,2\n"), {}, "row 1 \\(line 3\\) has 1 entries; expected 2"),
    "too many entries": (csv("x,y\n1,2\n1,2\n1,2,3\n"), {}, "row 2 \\(line 4\\) has 3 entries; expected 2"),
    "another encoding": (csv("x,tempé\n1,2\n1,2\n".encode("utf-16")), {}, "not text in UTF-8"),
    "Latin 1": (csv("x,temp\xe9\n1,2\n1,2\n".encode("latin-1")), {}, "not text in UTF-8"),
    "bytes": (csv(b"\x00\x01\x02\n\x00\x01\n"), {}, "has no header"),
    "damaged gzip": (csv(b"no archive", "log.csv.gz"), {}, "log.csv.gz cannot be read as a gzip file"),
    "truncated gzip": (
        csv(gzip.compress(TABLE.encode() * 99)[:40], "log.csv.gz"),
        {},
        "log.csv.gz cannot be read as a gzip file",
    ),
    "damaged Parquet": (raw(b"PAR1 is not enough", "log.parquet"), {}, "log.parquet cannot be read as a table"),
    "damaged NPY": (raw(b"\x93NUMPY\x01", "log.npy"), {}, "log.npy cannot be read as arrays"),
    "open header": (raw(OPEN_HEADER, "log.npy"), {}, r"log.npy cannot be read as arrays \(TokenError"),
    "open header in NPZ": (archive(OPEN_HEADER), {}, r"log.npz cannot be read as arrays \(TokenError"),
    "open text in a header": (raw(OPEN_TEXT, "log.npy"), {}, r"log.npy cannot be read as arrays \(TokenError"),
    "damaged NPZ": (raw(b"PK\x03\x04 and then nothing", "log.npz"), {}, "log.npz cannot be read as arrays"),
    "short row of a block": (raw("normal\n1 2\n3\n", "lp1.data"), {}, "line 3 has 1 numbers; expected 2"),
    "text in a block": (raw("normal\n1 2\n3 x\n", "lp1.data"), {}, "line 3 is '3 x'; expected 2 numbers"),
    "block without label": (raw("1 2\n3 4\n", "lp1.data"), {}, "line 1 has numbers before the first label"),
    "only labels": (raw("normal\n\nnormal\n", "lp1.data"), {}, "has no rows of numbers"),
    "files of other columns": (parquet({"x": [1.0]}, {"y": [1.0]}), {}, "1.parquet has other columns or types than"),
    # Things that are no log.
    "number": (7, {}, "the log is 7; expected a path"),
    "nothing": (None, {}, "the log is None; expected a path"),
    "list of numbers": ([1.0, 2.0], {}, "expected a path, a data frame"),
}


def test_a_file_with_fewer_rows_than_announced_is_named(tmp_path):
    pq.write_table(pa.table({"x": X}), tmp_path / "log.parquet")
    source = open_log(tmp_path / "log.parquet")
    source.n_rows += 5
    with pytest.raises(InvalidLog, match=r"log.parquet announces 25 rows and has 20"):
        episodes_from(source)


def test_a_file_that_becomes_shorter_while_it_is_used_is_named(tmp_path):
    (tmp_path / "log.csv").write_text("x\n" + "1.5\n2.5\n" * 25)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("offnominal.datasets.logs.csv_log.LARGE", 10)
        episodes = episodes_from(tmp_path / "log.csv")
    (tmp_path / "log.csv").write_text("x\n" + "1.5\n2.5\n" * 15)
    with pytest.raises(InvalidLog, match=r"log.csv ends in row 30; it was changed while it was used"):
        episodes[0]


def test_there_are_at_least_sixty_malformed_logs():
    assert len(MALFORMED) >= 60


@pytest.mark.parametrize("case", MALFORMED)
def test_a_malformed_log_is_a_named_error(case, tmp_path):
    source, options, words = MALFORMED[case]
    built = source(tmp_path) if callable(source) else source
    with pytest.raises(OffnominalError, match=words) as caught:
        list(episodes_from(built, **options))
    assert len(str(caught.value).splitlines()) == 1
