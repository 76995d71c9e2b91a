"""Damaged and crafted logs of every format: either episodes or a named error, in bounded memory."""

import random
import re
import resource
import struct
import warnings
import zipfile

import numpy as np
import pytest

from offnominal.core.errors import InvalidLog, OffnominalError
from offnominal.datasets import import_log
from offnominal.datasets.logs import episodes_from

from .log_files import FORMATS, damaged
from .malformed_recordings import ROLES, malformed

pytestmark = pytest.mark.long

SAMPLE, MANY, MOST_CUTS = 30, 1500, 400
RECORDINGS, MANY_RECORDINGS = 112, 2000
"""Malformed recordings of the default run, each change twice in each format, and of the whole one."""
MOST_KIB = 2**20
"""Growth of the memory of the process that an attack may cause; a damaged size would ask for more."""


def attack(name, folder, seeds):
    """Damage a log with each seed, and return errors that are not named ones."""
    build, root, options = FORMATS[name]
    path = build(folder)
    content = path.read_bytes()
    source = (path / root).resolve() if root else path
    raw, read, before = [], 0, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for seed in seeds:
        path.write_bytes(damaged(content, random.Random(f"{name} {seed}")))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                read += len(list(episodes_from(source, **options))) > 0
        except OffnominalError as error:
            if len(str(error).splitlines()) != 1:
                raw.append(f"seed {seed}: an error of several lines: {error}")
        except Exception as error:
            raw.append(f"seed {seed}: {type(error).__name__}: {error}")
    path.write_bytes(content)
    assert len(list(episodes_from(source, **options))) > 0, "the log itself is valid"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_KIB
    return raw


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.filterwarnings("ignore")
def test_a_damaged_log_is_read_or_a_named_error(name, tmp_path):
    assert attack(name, tmp_path, range(SAMPLE)) == []


@pytest.mark.hostile
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.filterwarnings("ignore")
def test_many_damaged_logs_are_read_or_named_errors(name, tmp_path, count_cases):
    raw = attack(name, tmp_path, range(SAMPLE, MANY))
    count_cases(MANY - SAMPLE, len(raw))
    assert raw == []


@pytest.mark.hostile
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.filterwarnings("ignore")
def test_a_log_that_ends_anywhere_is_read_or_a_named_error(name, tmp_path, count_cases):
    build, root, options = FORMATS[name]
    path = build(tmp_path)
    content, source = path.read_bytes(), (path / root).resolve() if root else path
    ends = range(0, len(content), max(1, len(content) // MOST_CUTS))
    count_cases(len(ends), 1)
    for end in ends:
        path.write_bytes(content[:end])
        try:
            list(episodes_from(source, **options))
        except OffnominalError:
            continue


@pytest.mark.hostile
def test_an_archive_of_a_few_megabytes_that_unpacks_to_six_gigabytes_is_refused(tmp_path):
    path = tmp_path / "log.npz"
    header = np.lib.format.header_data_from_array_1_0(np.zeros(0)) | {"shape": (750_000_000,)}
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("x.npy", "w", force_zip64=True) as file,
    ):
        np.lib.format.write_array_header_1_0(file, header)
        for _ in range(6_000):
            file.write(bytes(1_000_000))
    assert path.stat().st_size < 10_000_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(InvalidLog, match=r"its arrays would take 5.59 GiB of memory; the limit is 4 GiB"):
        episodes_from(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_KIB


def test_members_of_an_archive_that_lie_about_their_size_are_refused(tmp_path):
    build, _, _ = FORMATS["npz"]
    path = build(tmp_path)
    content = bytearray(path.read_bytes())
    entry = content.index(b"PK\x01\x02")
    struct.pack_into("<I", content, entry + 24, 2**32 - 2)
    path.write_bytes(content)
    with pytest.raises(InvalidLog, match=r"log.npz"):
        episodes_from(path)


def imported(folder, seed):
    """Import a malformed recording, and return what is wrong with its error or with what it left."""
    folder.mkdir()
    paths, words, where = malformed(folder, seed)
    before, made = sorted(folder.iterdir()), folder / "made"
    name, row = where.split("|")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import_log(episodes_from(paths, **ROLES), made, name="log")
    except OffnominalError as error:
        said = str(error)
        expected = {words, name, row} - {part for part in (words, name) if part in said}
        expected -= {row} if re.search(rf"{row}\b", said) else set()
        wrong = [f"seed {seed}: no {sorted(expected)} in {said!r}"] if expected or len(said.splitlines()) != 1 else []
    except Exception as error:
        wrong = [f"seed {seed}: {type(error).__name__}: {error}"]
    else:
        wrong = [f"seed {seed}: no error for {where}"]
    left = [path.name for path in sorted(folder.iterdir()) if path not in before]
    return wrong + ([f"seed {seed}: {left} are left"] if left else [])


def test_a_malformed_recording_is_an_error_with_file_and_row_and_leaves_nothing(tmp_path):
    assert [wrong for seed in range(RECORDINGS) for wrong in imported(tmp_path / str(seed), seed)] == []


@pytest.mark.hostile
def test_many_malformed_recordings_are_errors_with_file_and_row(tmp_path, count_cases):
    found = [wrong for seed in range(RECORDINGS, MANY_RECORDINGS) for wrong in imported(tmp_path / str(seed), seed)]
    count_cases(MANY_RECORDINGS - RECORDINGS, len(found))
    assert found == []


def late_error(folder, case):
    """Return episodes whose error appears only when they are written."""
    rows = np.random.default_rng(0).normal(size=(200, 2))
    if case == "an episode without values":
        rows[120:140, 0] = np.nan
        return episodes_from(
            {"x": rows[:, 0], "y": rows[:, 1], "run": np.arange(200) // 20}, episode="run", missing="previous"
        )
    paths = []
    for number in range(12):
        paths.append(folder / f"{number}.csv")
        np.savetxt(paths[-1], rows + number, delimiter=",", header="x,y", comments="")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("offnominal.datasets.logs.csv_log.LARGE", 10)
        episodes = episodes_from(paths)
    if case == "a file that becomes shorter":
        paths[7].write_text("\n".join(paths[7].read_text().splitlines()[:50]))
    else:
        paths[7].unlink()
    return episodes


LATE = {
    "an episode without values": r"has no values in rows 120 to 139, a whole episode",
    "a file that becomes shorter": r"7.csv ends in row 49; it was changed",
    "a file that is removed": r"7.csv",
}


@pytest.mark.parametrize("case", LATE)
@pytest.mark.filterwarnings("ignore")
def test_an_error_while_a_dataset_is_written_leaves_nothing(case, tmp_path):
    episodes = late_error(tmp_path, case)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(OffnominalError, match=LATE[case]):
        import_log(episodes, tmp_path / "made", name="log")
    assert sorted(tmp_path.rglob("*")) == before
