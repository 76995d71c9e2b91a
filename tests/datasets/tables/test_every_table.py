"""Every table of the catalogue is loaded from small files in its own format, whether or not the real ones are here."""

import dataclasses
import gzip
import hashlib
import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

from offnominal.core.directories import DATA_VARIABLE
from offnominal.datasets.sources import SourceFile
from offnominal.datasets.tables import load_table, loading, table_entry, table_names
from offnominal.datasets.tables.table import DIFFICULTIES

N_NORMAL, N_ANOMALOUS = 6, 2


def numbers(n_rows, n_columns):
    return np.random.default_rng(n_rows).normal(size=(n_rows, n_columns)).round(3)


def text(rows, separator=" "):
    return "".join(separator.join(map(str, row)) + "\n" for row in rows).encode()


def labelled(dim, normal, anomalous, separator=","):
    """Rows of numbers with their class in the last column."""
    labels = [normal] * N_NORMAL + [anomalous] * N_ANOMALOUS
    return text(([*row, label] for row, label in zip(numbers(len(labels), dim), labels, strict=True)), separator)


def prepared(entry):
    """Text files with one row per anomaly and difficulty."""
    roles = {file.role for file in entry.sources["text"]}
    anomalies = {each: text(numbers(1, entry.dim)) for each in DIFFICULTIES if each in roles}
    types = {"data_types": b"0\n" * entry.dim} if "data_types" in roles else {}
    return {"normal": text(numbers(N_NORMAL, entry.dim)), **anomalies, **types}


def packed(entry):
    groups = np.array([0] * N_NORMAL + [1, 2])
    content = io.BytesIO()
    rows = numbers(len(groups), entry.dim).astype(np.int16)
    np.savez(content, X_e4_int16=rows, group_isolet=groups, group_letter_recognition=groups)
    return {"packed": content.getvalue()}


def annthyroid(entry):
    rows = labelled(entry.dim, 3, 1).splitlines(keepends=True)
    return {"train": b"".join(rows[::2]), "test": b"".join(rows[1::2])}


def arrhythmia(entry):
    rows = [line.split(b",") for line in labelled(entry.dim, 1, 2).splitlines()]
    rows.insert(4, [b"?"] * len(rows[0]))
    return {"rows": b"\n".join(b",".join([*row[:10], *[b"?"] * 4, *row[10:]]) for row in rows)}


def har(entry):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for part, label, n in (("train", 1, N_NORMAL), ("test", 6, N_ANOMALOUS)):
            archive.writestr(f"UCI HAR Dataset/{part}/X_{part}.txt", text(numbers(n, entry.dim)))
            archive.writestr(f"UCI HAR Dataset/{part}/y_{part}.txt", f"{label}\n" * n)
    return {"archive": content.getvalue()}


def kdd99(entry):
    """Of the columns, 38 are numbers; protocol, service and flag become one-hot."""
    n = N_NORMAL + N_ANOMALOUS
    services = [f"service{min(k, entry.dim - 41)}" for k in range(entry.dim)][:n]
    labels = ["normal."] * N_NORMAL + ["smurf."] * N_ANOMALOUS
    lines = [
        ",".join(["0", "tcp", service, "SF", *["1.5"] * 37, label])
        for service, label in zip(services, labels, strict=True)
    ]
    return {"rows": gzip.compress("\n".join(lines).encode())}


def seismic(entry):
    head = "".join(f"@attribute a{k} real\n" for k in range(19)) + "@data\n"
    rows = [
        ",".join(
            ["ab"[k % 2], "ab"[k % 2], "NW"[k % 2], *["1"] * 4, "abc"[k % 3], *["2"] * 10, str(int(k >= N_NORMAL))]
        )
        for k in range(N_NORMAL + N_ANOMALOUS)
    ]
    return {"rows": (head + "\n".join(rows)).encode()}


MAKERS = {
    "annthyroid": annthyroid,
    "arrhythmia": arrhythmia,
    "har": har,
    "htru2": lambda entry: {"rows": labelled(entry.dim, 0, 1)},
    "isolet": packed,
    "kdd99_small": kdd99,
    "letter-recognition": packed,
    "mammography": lambda entry: {"rows": labelled(entry.dim, "'-1'", "'1'")},
    "seismic": seismic,
    "spambase": lambda entry: {"rows": labelled(entry.dim, 0, 1)},
}
ONE_HOT = {"kdd99_small": 38 + 1 + N_NORMAL + N_ANOMALOUS + 1, "seismic": 14 + 2 + 2 + 2 + 3}
"""Columns of the tables whose width depends on the words that occur."""


@pytest.mark.parametrize("name", table_names())
def test_every_table_is_loaded_from_files_in_its_own_format(name, tmp_path, monkeypatch):
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    entry = table_entry(name)
    source = "packed" if MAKERS.get(name) is packed else next(iter(entry.sources))
    files = []
    for role, content in MAKERS.get(name, prepared)(entry).items():
        path = tmp_path / next(Path(file.path).name for file in entry.sources[source] if file.role == role)
        path.write_bytes(content)
        files.append(SourceFile(role, path.name, len(content), hashlib.sha256(content).hexdigest()))
    small = dataclasses.replace(entry, dim=ONE_HOT.get(name, entry.dim), sources={source: tuple(files)})
    monkeypatch.setattr(loading, "table_entry", lambda _: small)
    table = load_table(name, drop_identifiers=False)
    n_anomalous = sum(file.role in DIFFICULTIES[:2] for file in files) if name not in MAKERS else N_ANOMALOUS
    assert (table.dim, len(table.normal), len(table.anomalous)) == (small.dim, N_NORMAL, n_anomalous)
