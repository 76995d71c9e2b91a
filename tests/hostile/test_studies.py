"""Malicious or damaged study files, runs and stores run no code, write nothing elsewhere and are detected."""

import json
import sys
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from offnominal.cli.program import program
from offnominal.core.checksum import read_checked_json, write_checked_json
from offnominal.core.directories import DATA_VARIABLE
from offnominal.core.errors import DamagedFile, InaccessibleFile, InvalidParameter, ModuleNotAllowed, OffnominalError
from offnominal.detectors import detectors
from offnominal.kinds import AlarmEntry, Cell, DataEntry
from offnominal.studies import Store, load_study, open_run, run, run_cell, runner, verify_run
from offnominal.studies.catalogue import parse
from offnominal.studies.code import Sources
from offnominal.studies.task import TaskEnded, run_task

pytestmark = pytest.mark.long

STUDY = """
name = "mine"
worlds = ["SAP-Goal0-v0"]
replicates = 0
data = { episodes = 6, validation = 6, anomalies = ["action/offset"], levels = ["strong"] }

[[detectors]]
name = "Time"
"""
WITH = '\n[[detectors]]\nname = "other"\ndetector = "%s"\n'
CELL = Cell(
    "SAP-Goal0-v0",
    "Time",
    "Time",
    data=DataEntry(episodes=6, validation=6, anomalies=("action/offset",), levels=("strong",)),
    alarms=(AlarmEntry("largest", "Maximum"),),
    replicates=0,
)


@pytest.fixture(scope="module", autouse=True)
def home(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(DATA_VARIABLE, str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture(scope="module")
def finished(home):
    return run_cell(CELL)


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A package that leaves a mark when it is imported, and a detector in it."""
    mark = tmp_path / "imported"
    text = (
        "from pathlib import Path\n"
        "from offnominal.detectors.baselines import Time\n\n"
        f"Path({str(mark)!r}).touch()\n\n\n"
        "class Mine(Time):\n    pass\n\n\n"
        "def make():\n    return Mine()\n"
    )
    (tmp_path / "elsewhere_hostile.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "elsewhere_hostile", raising=False)
    return mark


class PoolHere:
    """Does tasks in this process."""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def processes_per_task(self, tasks):
        return 1

    def run(self, tasks):
        for task in tasks:
            yield TaskEnded(task, "1", run_task(task, Sources()))


def silent(line):
    pass


def forged(folder, finished, **changes):
    """A run of one cell, whose stored configuration was edited."""
    rows, store = finished.rows, Store(folder / "store")
    facts = dict(rows.schema.metadata)
    if changes:
        facts[b"cell"] = json.dumps({**CELL.to_dict(), **changes}).encode()
    store.write(finished.key, rows.replace_schema_metadata(facts))
    manifest = {"study": "mine", "keys": [finished.key], "store": str(store.folder)}
    write_checked_json(folder / "run.json", manifest)
    return folder


@pytest.mark.parametrize("target", ["subprocess:check_output", "os:system", "elsewhere_hostile:Mine"])
def test_a_study_file_imports_nothing_that_was_not_allowed(tmp_path, elsewhere, target):
    file = tmp_path / "mine.toml"
    file.write_text(STUDY + WITH % target + f'parameters = {{ args = ["touch", "{elsewhere}"] }}\n', encoding="utf-8")
    package = target.partition(":")[0]
    with pytest.raises(ModuleNotAllowed, match=f"--allow-module {package}"):
        load_study(file)
    said = CliRunner().invoke(program, ["run", str(file), "--store", str(tmp_path / "store")])
    assert isinstance(said.exception, ModuleNotAllowed)
    assert not elsewhere.exists()


def test_an_alarm_is_held_to_the_same_rule(elsewhere):
    text = STUDY + '\n[[alarms]]\nname = "a"\nalarm = "elsewhere_hostile:Mine"\n'
    with pytest.raises(ModuleNotAllowed):
        parse(text, "mine.toml")
    assert not elsewhere.exists()


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("subprocess:check_output", "is a function; expected a subclass of Detector"),
        ("elsewhere_hostile:make", "is a function; expected a subclass of Detector"),
        ("subprocess:Popen", "is the class Popen; expected a subclass of Detector"),
        ("offnominal.core.files:write_bytes", "is a function; expected a subclass of Detector"),
        ("offnominal.alarms.thresholds:Maximum", "is the class Maximum; expected a subclass of Detector"),
        ("offnominal.detectors.detector:Detector", "is abstract"),
    ],
)
def test_only_a_class_that_keeps_the_contract_is_called(tmp_path, elsewhere, target, said):
    mark = tmp_path / "called"
    with pytest.raises(InvalidParameter, match=said):
        detectors.build(target, {"args": ["touch", str(mark)]})
    assert not mark.exists()


def test_an_allowed_package_is_run_and_can_be_verified(tmp_path, elsewhere, monkeypatch):
    monkeypatch.setattr(runner, "LocalPool", lambda workers, peak_mb: PoolHere())
    study = parse(STUDY + WITH % "elsewhere_hostile:Mine", "mine.toml", allow_modules=["elsewhere_hostile"])
    place, outcome = run(study, folder=tmp_path / "run", store=tmp_path / "store", workers=1, report=silent)
    assert outcome.complete
    with pytest.raises(ModuleNotAllowed, match="--allow-module elsewhere_hostile"):
        verify_run(place, 1.0)
    assert not any(problem for _, problem in verify_run(place, 1.0, allow_modules=["elsewhere_hostile"]))


def test_a_package_with_an_entry_point_needs_no_permission(elsewhere, monkeypatch):
    from importlib.metadata import EntryPoint, EntryPoints

    from offnominal.core import registry

    there = EntryPoints([EntryPoint("mine", "elsewhere_hostile.sub:register", "offnominal.worlds")])
    monkeypatch.setattr(registry, "entry_points", lambda **chosen: there.select(**chosen) if chosen else there)
    assert parse(STUDY + WITH % "elsewhere_hostile:Mine", "mine.toml").detectors[1].name == "other"  # type: ignore[attr-defined]


@pytest.mark.parametrize("target", ["subprocess:check_output", "elsewhere_hostile:Mine"])
def test_a_stored_cell_imports_nothing_that_was_not_allowed(tmp_path, elsewhere, finished, target):
    forged(tmp_path, finished, detector=target, parameters={"args": ["touch", str(elsewhere)]})
    with pytest.raises(ModuleNotAllowed):
        verify_run(tmp_path, 1.0)
    assert not elsewhere.exists()


def test_a_stored_cell_that_names_a_function_of_ours_does_not_call_it(tmp_path, finished):
    mark = tmp_path / "written"
    forged(tmp_path, finished, detector="offnominal.core.files:write_text", parameters={"path": str(mark), "text": "x"})
    ((_, problem),) = verify_run(tmp_path, 1.0)
    assert "expected a subclass of Detector" in problem
    assert not mark.exists()


@pytest.mark.parametrize("cell", ["[]", "3", "{", "[" * 100_000, '{"kind": []}', '{"kind": "none"}', "{}", "\ud800"])
def test_an_invalid_stored_cell_is_a_named_error(tmp_path, finished, cell):
    facts = {**finished.rows.schema.metadata, b"cell": cell.encode(errors="surrogatepass")}
    forged(tmp_path, replace(finished, rows=finished.rows.replace_schema_metadata(facts)))
    ((_, problem),) = verify_run(tmp_path, 1.0)
    assert problem


def test_a_stored_cell_without_its_costs_stops_no_run(tmp_path, finished):
    forged(tmp_path, replace(finished, rows=finished.rows.drop_columns(["fit_cpu_s", "peak_mb"])))
    assert runner.CostHistory.of(Store(tmp_path / "store")).peak_mb == 0.0


@pytest.mark.parametrize("target", [":x", "os:", "os.:x", "../x:y", "a b:c", "os:path.join", "os:x:y"])
def test_an_invalid_class_path_is_a_named_error(target):
    with pytest.raises(OffnominalError):
        parse(STUDY + WITH % target, "mine.toml", allow_modules=["os"])


NAMES = ["../../x", "/tmp/x", "", ".hidden", "a/b", "a\\\\b", "x" * 101, "a\\nb", "nul\\u0000", "größe", "a b"]


@pytest.mark.parametrize("name", NAMES)
def test_the_name_of_a_study_must_be_a_file_name(name):
    with pytest.raises(InvalidParameter, match="the name of a study is"):
        parse(STUDY.replace('"mine"', f'"{name}"', 1), "mine.toml")


@pytest.mark.parametrize("name", NAMES)
def test_the_name_of_a_scale_must_be_a_file_name(name):
    with pytest.raises(InvalidParameter, match="the name of a scale of study 'mine' is"):
        parse(f'{STUDY}\n[scales."{name}"]\nseeds = [0]\n', "mine.toml")


STATEMENTS = [
    "COPY results TO '{place}/x.csv'",
    "COPY (SELECT 1) TO '{place}/x.csv'",
    "ATTACH '{place}/x.db'",
    "EXPORT DATABASE '{place}/x'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET enable_external_access = true",
    "RESET lock_configuration",
    "PRAGMA database_list",
    "CREATE TABLE x AS SELECT 1",
    "DROP VIEW results",
    "CALL pragma_version()",
    "CHECKPOINT",
    "SELECT 1; COPY results TO '{place}/x.csv'",
    "",
    ";",
    "-- nothing",
    "SELECT",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM glob('/etc/*')",
    "SELECT * FROM read_parquet('{place}/store/cells/*/*.parquet')",
    "SELECT * FROM query('COPY results TO ''{place}/x.csv''')",
    "SELECT * FROM sqlite_scan('{place}/x.db', 'x')",
    "SELECT * FROM secret",
    "SELECT \x00",
    "SELECT '\ud800'",
]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_query_reads_only_results(tmp_path, finished, statement):
    pytest.importorskip("duckdb", reason="duckdb is not installed")
    secret = finished.rows  # noqa: F841 - DuckDB would find it by its name
    store = Store(tmp_path / "store")
    store.write(finished.key, finished.rows)
    assert store.sql("SELECT count(*) AS n FROM cells").to_pylist() == [{"n": 1}]
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(InvalidParameter):
        store.sql(statement.format(place=tmp_path))
    assert sorted(tmp_path.rglob("*")) == before


ASKED = "SELECT * FROM results ORDER BY ALL"


def flipped(path, bit):
    """Flip a bit of a file and return what it held before."""
    content = bytearray(path.read_bytes())
    before = bytes(content)
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)
    return before


def bits_of(path, count):
    """Some bits spread over a file, those of its end included."""
    bits = 8 * path.stat().st_size
    end = range(bits - 1, max(bits - 37 * (count // 4), 0), -37)
    return sorted({*(bits * k // count for k in range(count)), *end})


def check_cell(folder, finished, count):
    """Flip bits of the file of a cell: reading either says so or returns the same. Return how many."""
    store = Store(folder / "store")
    store.write(finished.key, finished.rows)
    path, expected = store.path(finished.key), store.rows([finished.key])
    bits = bits_of(path, count)
    for bit in bits:
        content = flipped(path, bit)
        try:
            assert store.rows([finished.key]).equals(expected), f"bit {bit}"
        except DamagedFile:
            assert (store.folder / "damaged" / path.name).exists()
        path.write_bytes(content)
    return len(bits)


def check_segment(folder, finished, file, count):
    """Flip bits of a file of a segment: the answer stays the same. Return how many."""
    pytest.importorskip("duckdb", reason="duckdb is not installed")
    Store(folder / "store").write(finished.key, finished.rows)
    expected = Store(folder / "store").sql(ASKED)
    (path,) = (folder / "store" / "segments").glob(f"*/{file}")
    bits = bits_of(path, count)
    for bit in bits:
        content = flipped(path, bit)
        assert Store(folder / "store").sql(ASKED).equals(expected), f"bit {bit}"
        path.write_bytes(content)
    return len(bits)


def test_a_flipped_bit_in_a_cell_is_noticed_or_changes_nothing(tmp_path, finished):
    check_cell(tmp_path, finished, 150)


@pytest.mark.parametrize("file", ["rows.parquet", "cells.parquet"])
def test_a_flipped_bit_in_a_segment_changes_no_answer(tmp_path, finished, file):
    check_segment(tmp_path, finished, file, 10)


@pytest.mark.hostile
def test_any_of_many_flipped_bits_in_a_cell_is_noticed_or_changes_nothing(tmp_path, finished, count_cases):
    count_cases(check_cell(tmp_path, finished, 20_000))


@pytest.mark.hostile
@pytest.mark.parametrize("file", ["rows.parquet", "cells.parquet"])
def test_any_of_many_flipped_bits_in_a_segment_changes_no_answer(tmp_path, finished, file, count_cases):
    count_cases(check_segment(tmp_path, finished, file, 300))


def test_a_run_whose_manifest_names_files_elsewhere_reads_none_of_them(tmp_path, finished):
    forged(tmp_path, finished)
    outside = tmp_path / "outside.parquet"
    outside.write_bytes(b"PAR1 of somebody else PAR1")
    manifest = read_checked_json(tmp_path / "run.json")
    write_checked_json(tmp_path / "run.json", manifest | {"keys": ["../../outside"]})
    for ask in (open_run, verify_run):
        with pytest.raises(InvalidParameter, match="is not the key of a result"):
            ask(tmp_path)
    assert outside.exists()


FIELDS = ("name", "worlds", "policies", "seeds", "replicates", "kind", "detectors", "alarms", "scales")
VALUES = (
    '""', "0", "-1", "1" * 30, "1" * 5000, "nan", "-inf", "true", "[]", "{}", "[[]]", '[""]', "[-1]", f"[{'9' * 30}]",
    "1979-05-27", '"\\u0000"', '"\\ud800"', "[" * 600 + "]" * 600, "{a=" * 400 + "1" + "}" * 400, "[true]", "3.5",
)  # fmt: skip
SENSIBLE = {("policies", '[""]'), ("replicates", "0"), ("alarms", "[]"), ("scales", "{}"), ("kind", '""')}


@pytest.mark.parametrize("field", FIELDS)
def test_a_wrong_value_in_a_study_file_is_a_named_error(field):
    rest = "\n".join(line for line in STUDY.splitlines() if not line.startswith(f"{field} ="))
    if field == "detectors":
        rest = rest.partition("[[detectors]]")[0]
    for value in VALUES:
        if (field, value) in SENSIBLE:
            continue
        with pytest.raises(OffnominalError):
            parse(f"{field} = {value}\n{rest}", "mine.toml")


@pytest.mark.parametrize("field", ["episodes", "nominal", "validation", "seed", "anomalies", "levels", "camera"])
@pytest.mark.parametrize("value", ["-1", "1" * 30, '""', "nan", "[0]", "1979-05-27"])
def test_a_wrong_value_among_the_data_is_a_named_error(field, value):
    before, _, after = STUDY.partition("data = {")
    with pytest.raises(OffnominalError):
        parse(f"{before}data = {{ {field} = {value} }}{after.partition('}')[2]}", "mine.toml")


@pytest.mark.parametrize("content", [b"\xff\xfe", b"name = \x80", b"name = 'a", b"\x00", b""])
def test_a_file_without_a_study_is_a_named_error(tmp_path, content):
    (tmp_path / "mine.toml").write_bytes(content)
    with pytest.raises(OffnominalError):
        load_study(tmp_path / "mine.toml")


def test_a_place_that_cannot_be_written_is_a_named_error(tmp_path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    study = parse(STUDY, "mine.toml")
    for place in (tmp_path / "file", tmp_path / "file" / "below", tmp_path / ("x" * 300)):
        with pytest.raises(InaccessibleFile):
            run(study, folder=tmp_path / "run", store=place, workers=1, report=silent)
        with pytest.raises(InaccessibleFile):
            open_run(place / "run" if place.name == "file" else place)
    for source in (tmp_path / "file" / "mine.toml", tmp_path / f"{'x' * 300}.toml", "\0.toml"):
        with pytest.raises(OffnominalError):
            load_study(source)
