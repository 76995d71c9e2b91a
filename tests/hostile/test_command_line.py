"""For any arguments, the program ends with exit code 0, 1 or 2, without a traceback and without partial files.

Every option and argument of every command gets every one of a list of values that programs trip over. The default run
tries a seeded sample, in which commands stop where their work begins.
"""

from __future__ import annotations

import errno
import io
import os
import random
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import typer

from offnominal.cli.failures import TRACEBACK, exit_code_of
from offnominal.cli.program import program
from offnominal.core.directories import DATA_VARIABLE
from offnominal.core.errors import OffnominalError, UnknownName

from .interruption import can_be_interrupted

pytestmark = pytest.mark.long

COMMAND = typer.main.get_command(program)
VALUES = (
    *("", " ", "-", "--", "-1", "0", "1", "007", "1e3", "1_000", "٣", "0x10", "nan", "inf", "-inf", "1e400", "1e-320"),
    *("9223372036854775807", "9223372036854775808", "-9223372036854775809", "1" + "0" * 400, "9" * 5000, "-0.0"),
    *("\0", "a\0b", "\udcff", "\ud800", "💥", "é", "\n", "\x1b[31m", "x" * 300, "x" * 100_000, "[/]", "[bold]", "%s%n"),
    *("=1+1", ",", "*", "?", "[", "KNN,", ",KNN", "all", "none", "True", "null", "{}", "'; DROP TABLE results; --"),
    *(":", "a:b", "os:", ":system", "os:system", "os.path:join", "nosuch.module:Class", "..:x", "offnominal:Fault"),
    *(".", "/", "..", "../escaped", "~", "~nobody/x", "/dev/null", "/dev/full", "/proc/1/mem", "/proc/nosuch/folder"),
    *("a/" * 3000, "folder", "file", "file/below", "loop", "dangling", "bad\udcffname", "clip.gif", "file/clip.gif"),
    *("empty.toml", "binary.toml", "deep.toml", "deep.json", "odd.toml", "study.toml", "missing.toml", "missing.py"),
    *("damaged", "data/SAP-Goal0-v0", "SAP-Goal0-v0", "SAP-Goal0", "action/noise", "dynamics/nosuch", "camera/blur"),
    *("Mahalanobis", "Maximum", "tqc", "dqn"),
)
"""Values that often break programs: extreme numbers, invalid text, names that are paths, impossible paths."""
DATA = {"--episodes": "1", "--nominal": "2", "--validation": "1", "--anomaly": "action/offset", "--level": "strong"}
CHEAP: dict[tuple[str, ...], dict[str, str]] = {
    ("anomalies",): {"--world": "SAP-Goal0-v0"},
    ("check", "anomaly"): {"id": "action/nosuch", "--world": "SAP-Goal0-v0"},
    ("train",): {"world": "SAP-Goal0-v0", "--algorithm": "td3", "--steps": "32", "--device": "cpu", "--out": "agents"},
    ("train-seeds",): {
        "world": "SAP-Goal0-v0",
        "--seed": "0",
        "--steps": "40",
        "--evaluations": "1",
        "--device": "cpu",
        "--out": "seeds",
    },
    ("finetune",): {"world": "SAP-Goal0-v0", "--gradient-steps": "1", "--out": "finetuned"},
    ("audit",): {
        "worlds": "SAP-Goal0-v0",
        "--detectors": "Mahalanobis",
        "--alarms": "Maximum",
        "--episodes": "2",
        "--calibrations": "2",
        "--calibration": "20",
        "--training": "2",
        "--out": "audit.csv",
    },
    ("calibrate",): {
        "worlds": "SAP-Goal0-v0",
        "--anomaly": "action/offset",
        "--level": "0.9",
        "--budget": "200",
        "--fresh": "2",
        "--out": "strengths.csv",
    },
    ("match",): {
        "worlds": "SAP-Goal0-v0",
        "--anomaly": "action/delay",
        "--nominal": "20",
        "--episodes": "2",
        "--fresh": "4",
        "--out": "matched.csv",
    },
    ("generate",): {"worlds": "SAP-Goal0-v0", "--out": "generated", **DATA},
    ("verify",): {"path": "data/SAP-Goal0-v0"},
    ("export",): {"folder": "data/SAP-Goal0-v0", "--split": "test"},
    ("import",): {"id": "nosuch/dataset-v0", "--out": "imported"},
    ("run",): {"study": "study.toml", "--out": "run", "--store": "store", "--workers": "1"},
    ("report",): {"folder": "damaged"},
    ("results",): {"query": "SELECT 1", "--store": "store"},
    ("reproduce",): {"paper": "anomaly-gym", "--table": "3", "--scale": "nosuch"},
    ("robot", "serve"): {"--seconds": "0.01", "--host": "127.9.8.7"},
    ("novelcraft", "make"): {
        "--out": "novelcraft",
        "--class": "thief",
        "--share": "0.0",
        "--max-frames": "1",
    },
    ("novelcraft", "summary"): {"folder": "damaged"},
    ("novelcraft", "export"): {"folder": "damaged", "--out": "published"},
    ("scenarios", "make"): {"--out": "scenarios"},
    ("scenarios", "show"): {"file": "deep.json"},
    ("scenarios", "check"): {"folder": "damaged"},
    ("play",): {"world": "SAP-Goal0-v0", "--anomaly": "action/offset", "--steps": "2", "--out": "clip.gif"},
}
"""Other arguments of each command, so that little is computed if the tested value is accepted."""
REQUIRED = "nosuch"
NOT_TRIED = {"install_completion", "show_completion"}
BEGINNINGS = {
    ("quickstart",): "offnominal.studies.runs.run",
    ("run",): "offnominal.studies.runs.run",
    ("serve",): "offnominal.web.server.config_of",
    ("train-seeds",): "offnominal.agents.training.populations.simulations.make_simulations",
}
"""Where commands stop that would compute for long, or serve until they are interrupted, in every accepted case."""
WORK = (
    "offnominal.agents.training.populations.simulations.make_simulations",
    "offnominal.alarms.audit_world",
    "offnominal.calibration.calibrate",
    "offnominal.cli.agents.build_world",
    "offnominal.datasets.generate",
    "offnominal.evaluation.detectability.match_detectability",
    "offnominal.datasets.novelcraft.make_novelcraft",
    "offnominal.laws.check_alarm",
    "offnominal.laws.check_anomaly",
    "offnominal.laws.check_detector",
    "offnominal.laws.check_world",
    "offnominal.reports.clip.write_clip",
    "offnominal.studies.runs.run",
    "offnominal.studies.verify.verify_run",
    "offnominal.web.server.config_of",
    "offnominal.worlds.arm.rtde.server.RobotServer.open",
)
"""Functions that do the work of the commands."""
if find_spec("starlette") and find_spec("uvicorn"):
    WORK += ("offnominal.web.server.serve", "offnominal.web.export.export_pages")
STUDY = """
name = "tiny"
worlds = ["SAP-Goal0-v0"]
replicates = 10

[data]
episodes = 2
validation = 20
anomalies = ["action/offset"]
levels = ["strong"]

[[detectors]]
name = "Time"
"""
SAMPLE = 200
SECONDS = 10
"""After which a command is stopped, as by Ctrl-C: a large number is a long computation, not an error."""
LONGEST = 60
"""Seconds after which a command that does no work hangs."""
INTERRUPTED = 130
GIGABYTE = 2**30
HEAVY = ("torch", "stable_baselines3", "minari", "duckdb", "ray", "PIL.Image")


def commands(command: Any = COMMAND, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], list[Any]]]:
    """Return every command with its parameters."""
    below = getattr(command, "commands", {})
    if path and (not below or getattr(command, "invoke_without_command", False)):
        yield path, [each for each in command.params if each.name not in NOT_TRIED]
    for name, each in below.items():
        yield from commands(each, (*path, name))


def cases(path: tuple[str, ...], parameters: list[Any]) -> Iterator[list[str]]:
    """Return the arguments of every case of a command."""
    for tried in parameters:
        for value in () if getattr(tried, "is_flag", False) else VALUES:
            given = {each.opts[0]: REQUIRED for each in parameters if each.required}
            given |= CHEAP.get(path, {}) | {tried.opts[0]: value}
            options = [word for name, each in given.items() if name.startswith("-") for word in (name, each)]
            yield [*path, *options, *(each for name, each in given.items() if not name.startswith("-"))]


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dataset")
    options = [word for pair in DATA.items() for word in pair]
    assert run(["generate", "SAP-Goal0-v0", "--out", str(folder), *options])[0] == 0
    return folder / "SAP-Goal0-v0"


@pytest.fixture
def place(tmp_path: Path, dataset: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a working directory full of traps; everything that is written belongs into its parent."""
    place = tmp_path / "above" / "here"
    for folder in ("folder", "damaged", "data", "bad\udcffname"):
        (place / folder).mkdir(parents=True)
    (place / "data" / "SAP-Goal0-v0").symlink_to(dataset)
    (place / "file").write_text("a file")
    (place / "loop").symlink_to("loop")
    (place / "dangling").symlink_to("nowhere")
    (place / "study.toml").write_text(STUDY)
    (place / "empty.toml").write_text("")
    (place / "binary.toml").write_bytes(bytes(range(256)))
    (place / "deep.toml").write_text("x = " + "[" * 20_000)
    (place / "deep.json").write_text("[" * 200_000)
    (place / "odd.toml").write_text('name = "\\u0000"\nworlds = 3\nseeds = [1e99]\ndetectors = [[]]\n')
    (place / "damaged" / "run.json").write_text("[" * 200_000)
    (place / "damaged" / "manifest.json").write_bytes(b"\xff\xfe{")
    monkeypatch.chdir(place)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("HOME", str(tmp_path / "above" / "home"))
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "above" / "data-home"))
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "above" / "minari"))
    return place


@pytest.fixture
def limited() -> Iterator[None]:
    """Let large arrays fail instead of filling the machine."""
    # Of the data of the process: CUDA reserves tens of gigabytes of addresses, which take no memory.
    before = resource.getrlimit(resource.RLIMIT_DATA)
    used = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_DATA, (used + 4 * GIGABYTE, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_DATA, before)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Stop what takes long as Ctrl-C does; packages that do not survive that while they are imported come first."""
    for name in HEAVY:
        with suppress(ImportError):
            import_module(name)
    with interrupted_by_alarm():
        yield


@contextmanager
def interrupted_by_alarm() -> Iterator[None]:
    """Let the alarm clock act as Ctrl-C, as soon as the program can be interrupted."""

    def interrupt(_: int, frame: FrameType | None) -> None:
        if not can_be_interrupted(frame):
            signal.alarm(1)
            return
        raise KeyboardInterrupt

    handler = signal.signal(signal.SIGALRM, interrupt)
    yield
    signal.signal(signal.SIGALRM, handler)


def run(words: list[str], seconds: int = 0, encoding: str = "utf-8") -> tuple[int, str, str]:
    """Return the exit code of the program and what it printed."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding) for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        signal.alarm(seconds)
        try:
            code = exit_code_of(partial(COMMAND, words, prog_name="offnominal"))
        finally:
            signal.alarm(0)
    return code, printed(out), printed(err)


def printed(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode("utf-8", "surrogateescape")


def files(place: Path) -> set[Path]:
    """Return the files around a working directory, but locks and those from which an interrupted run resumes."""
    every = {path for path in place.parents[1].rglob("*") if path.is_file() or path.is_symlink()}
    return {
        path for path in every if path.name != "lock" and not any(each.endswith(".unfinished") for each in path.parts)
    }


def problem(words: list[str], place: Path, seconds: int, *, may_be_long: bool = True) -> str:
    """Return what is wrong with the answer to some arguments, or nothing."""
    before = files(place)
    try:
        code, _, err = run(words, seconds)
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    left = sorted(str(path.relative_to(place.parents[1])) for path in files(place) - before)
    if code not in (0, 1, 2) and not (may_be_long and code == INTERRUPTED):
        return f"exit code {code}"
    if "Traceback" in err:
        return err
    if code == 2 and left:
        return f"leaves {left}"
    if any(not path.startswith("above/") for path in left):
        return f"writes {left}"
    return "says nothing" if code == 2 and not err.strip() else ""


def told(problems: dict[str, str]) -> str:
    return "\n".join(f"{words[:300]}\n    {wrong[:500]}" for words, wrong in problems.items())


class Begun(OffnominalError):
    """A command got as far as its work."""


def begin(*_: Any, **__: Any) -> None:
    raise Begun("the work begins here.")


def test_a_sample_of_wrong_arguments_is_answered(place: Path, limited: None, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in WORK:
        monkeypatch.setattr(name, begin)
    every = [words for path, parameters in commands() for words in cases(path, parameters)]
    sample = random.Random(17).sample(every, SAMPLE)
    with interrupted_by_alarm():
        answers = {repr(words): problem(words, place, LONGEST, may_be_long=False) for words in sample}
    problems = {words: wrong for words, wrong in answers.items() if wrong}
    assert not problems, told(problems)


@pytest.mark.hostile
@pytest.mark.parametrize(("path", "parameters"), [pytest.param(*each, id=" ".join(each[0])) for each in commands()])
def test_every_argument_is_answered(
    path: tuple[str, ...],
    parameters: list[Any],
    place: Path,
    interruptible: None,
    limited: None,
    count_cases: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if path in BEGINNINGS:
        monkeypatch.setattr(BEGINNINGS[path], begin)
    monkeypatch.setattr("offnominal.cli.agents.EVALUATION_EPISODES", 2)
    monkeypatch.setattr("offnominal.cli.agents.VALIDATION_EPISODES", 2)
    tried = list(cases(path, parameters))
    problems = {repr(words): wrong for words in tried if (wrong := problem(words, place, SECONDS))}
    count_cases(len(tried), len(problems))
    assert not problems, told(problems)


@pytest.mark.parametrize("code", [errno.EROFS, errno.ENOSPC, errno.EACCES])
@pytest.mark.parametrize("command", ["generate", "play"])
def test_a_disk_error_is_one_line(command: str, code: int, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, *_: Any, **__: Any) -> None:
        raise OSError(code, os.strerror(code), str(path))

    pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    monkeypatch.setattr(Path, "mkdir", refuse)
    given = CHEAP[command,] | {"--out": "new/clip.gif"}
    options = [word for name, each in given.items() if name.startswith("-") for word in (name, each)]
    exit_code, _, err = run([command, *options, "SAP-Goal0-v0"])
    assert exit_code == 2
    assert err.count("\n") == 1
    assert os.strerror(code).lower() in err


def test_ctrl_c_is_one_line_and_exit_code_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("offnominal.cli.listing._list", interrupted)
    assert run(["worlds"]) == (INTERRUPTED, "", "Interrupted: the command was stopped by Ctrl-C.\n")


@pytest.mark.parametrize("command", ["worlds", "doctor", "datasets", "tables", "studies", "agents"])
def test_listings_need_no_home_directory(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    for name in ("HOME", "XDG_CACHE_HOME", DATA_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    code, _, err = run([command])
    assert code in (0, 2)
    assert err.count("\n") == (code == 2)


def test_a_terminal_without_unicode_gets_escapes() -> None:
    code, out, err = run(["agents"], encoding="ascii")
    assert (code, err) == (0, "")
    assert out.isascii()


def test_the_traceback_can_be_requested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TRACEBACK, "1")
    with pytest.raises(UnknownName):
        run(["check", "world", "nosuch"])


def test_an_unexpected_exception_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("offnominal.cli.listing._list", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run(["worlds"])


def process(*words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the program in a process of its own."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "errors": "replace"} | options
    return subprocess.run([sys.executable, "-m", "offnominal", *words], check=False, timeout=300, **options)


def test_a_closed_pipe_is_not_an_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as closed:
        found = process("agents", stdout=closed)
    assert (found.returncode, found.stderr) == (1, "")


def test_a_full_disk_behind_standard_output_is_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        found = process("agents", "--json", stdout=full)
    assert found.returncode == 2
    assert found.stderr.count("\n") == 1
    assert "no space left on device" in found.stderr


def test_a_deleted_working_directory_is_a_named_error(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    command = 'cd gone && rmdir ../gone && exec "$0" -P -c "from offnominal.cli import main; main()" check detector a:B'
    found = subprocess.run(
        ["sh", "-c", command, sys.executable], check=False, cwd=tmp_path, capture_output=True, text=True
    )
    assert found.returncode == 2
    assert found.stderr == "MissingFile: the working directory does not exist any more; change to an existing one.\n"
