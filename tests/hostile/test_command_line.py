"""Whatever is typed, the program ends with an answer: exit code 0, 1 or 2, no traceback, no half-written file.

Every option and argument of every command gets every one of a list of values that programs trip over. The default run
tries a seeded sample, in which the commands stop before they begin to compute.
"""

from __future__ import annotations

import io
import os
import random
import resource
import signal
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import typer

from offnominal.cli.failures import exit_code_of
from offnominal.cli.program import program
from offnominal.core.errors import OffnominalError
from offnominal.core.home import VARIABLE

COMMAND = typer.main.get_command(program)
VALUES = (
    *(
        "",
        " ",
        "-",
        "--",
        "-1",
        "0",
        "1",
        "007",
        "1e3",
        "1_000",
        "٣",
        "0x10",
        "nan",
        "inf",
        "-inf",
        "1e400",
        "-0.0",
        "1e-320",
    ),
    *("9223372036854775807", "9223372036854775808", "-9223372036854775809", "1" + "0" * 400, "9" * 5000),
    *("\0", "a\0b", "\udcff", "\ud800", "💥", "é", "\n", "\x1b[31m", "x" * 300, "x" * 100_000, "[/]", "[bold]", "%s%n"),
    *("=1+1", ",", "*", "?", "[", "KNN,", ",KNN", "all", "none", "True", "null", "{}", "'; DROP TABLE results; --"),
    *(":", "a:b", "os:", ":system", "os:system", "os.path:join", "nosuch.module:Class", "..:x", "offnominal:Fault"),
    *(
        ".",
        "/",
        "..",
        "../../escaped",
        "~",
        "~nobody/x",
        "/dev/null",
        "/dev/full",
        "/proc/1/mem",
        "/nosuch/folder",
        "a/" * 3000,
    ),
    *(
        "folder",
        "file",
        "file/below",
        "loop",
        "dangling",
        "empty.toml",
        "binary.toml",
        "deep.toml",
        "deep.json",
        "odd.toml",
    ),
    *(
        "study.toml",
        "data/SAP-Goal0-v0",
        "damaged",
        "bad\udcffname",
        "missing.toml",
        "missing.py",
        "clip.gif",
        "file/clip.gif",
    ),
    *(
        "SAP-Goal0-v0",
        "SAP-Goal0",
        "action/noise",
        "dynamics/nosuch",
        "camera/blur",
        "Mahalanobis",
        "Maximum",
        "tqc",
        "dqn",
    ),
)
"""What programs trip over: numbers at the edge, text that is none, names that are paths, paths that lead nowhere."""

TINY = ("--episodes", "1", "--nominal", "2", "--validation", "1", "--anomaly", "action/offset", "--level", "strong")
CHEAP: dict[tuple[str, ...], dict[str, str]] = {
    ("anomalies",): {"--world": "SAP-Goal0-v0"},
    ("check", "anomaly"): {"id": "action/nosuch", "--world": "SAP-Goal0-v0"},
    ("train",): {"world": "SAP-Goal0-v0", "--algorithm": "td3", "--steps": "32", "--device": "cpu", "--out": "agents"},
    ("polish",): {"world": "SAP-Goal0-v0", "--updates": "1", "--out": "polished"},
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
    ("generate",): {"worlds": "SAP-Goal0-v0", "--out": "generated", **dict(zip(TINY[::2], TINY[1::2], strict=True))},
    ("verify",): {"folder": "data/SAP-Goal0-v0"},
    ("export",): {"folder": "data/SAP-Goal0-v0", "--split": "test"},
    ("import",): {"id": "nosuch/dataset-v0", "--out": "imported"},
    ("run",): {"study": "study.toml", "--out": "run", "--store": "store", "--workers": "1"},
    ("report",): {"folder": "damaged"},
    ("results",): {"query": "SELECT 1", "--store": "store"},
    ("reproduce",): {"paper": "anomaly-gym", "--table": "3", "--scale": "smoke"},
    ("play",): {"world": "SAP-Goal0-v0", "--anomaly": "action/offset", "--steps": "2", "--out": "clip.gif"},
}
"""What each command is given beside the value that is tried, so that little is computed if the value is accepted."""
REQUIRED = "nosuch"
NOT_TRIED = {"install_completion", "show_completion"}
WORK = (
    "offnominal.alarms.audit_world",
    "offnominal.calibration.calibrate",
    "offnominal.cli.agents.build_world",
    "offnominal.datasets.generate",
    "offnominal.laws.check_alarm",
    "offnominal.laws.check_anomaly",
    "offnominal.laws.check_detector",
    "offnominal.laws.check_world",
    "offnominal.reports.clip.write_clip",
    "offnominal.studies.runs.run",
    "offnominal.studies.verify.verify_run",
)
"""Where the work of a command begins."""
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
SECONDS = 20
"""After which a command is stopped, as by Ctrl-C: a large number is a long computation, not an error."""
GIGABYTE = 2**30


def commands(command: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Return every command with its parameters."""
    command = COMMAND if command is None else command
    below = getattr(command, "commands", {})
    if path and (not below or getattr(command, "invoke_without_command", False)):
        yield path, [each for each in command.params if each.name not in NOT_TRIED]
    for name, each in below.items():
        yield from commands(each, (*path, name))


def cases() -> Iterator[list[str]]:
    """Return the arguments of every case."""
    for path, parameters in commands():
        for tried in parameters:
            if getattr(tried, "is_flag", False):
                continue
            for value in VALUES:
                given = {each.opts[0]: REQUIRED for each in parameters if each.required}
                given |= CHEAP.get(path, {}) | {tried.opts[0]: value}
                words = [word for name, each in given.items() for word in (name, each) if name.startswith("-")]
                yield [*path, *words, *(each for name, each in given.items() if not name.startswith("-"))]


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dataset") / "SAP-Goal0-v0"
    assert run(["generate", "SAP-Goal0-v0", "--out", str(folder.parent), *TINY])[0] == 0
    return folder


@pytest.fixture
def place(tmp_path: Path, dataset: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a working directory full of traps; everything that is written belongs below its parent."""
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
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv(VARIABLE, str(tmp_path / "home" / "data"))
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "home" / "minari"))
    return place


@pytest.fixture
def limited() -> Iterator[None]:
    """Stop what takes long as Ctrl-C does, and let large arrays fail instead of filling the machine."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 8 * GIGABYTE, before[1]))
    handler = signal.signal(signal.SIGALRM, signal.default_int_handler)
    yield
    signal.signal(signal.SIGALRM, handler)
    resource.setrlimit(resource.RLIMIT_AS, before)


def run(words: list[str], seconds: int = 0) -> tuple[int, str, str]:
    """Return the exit code of the program and what it printed."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        signal.alarm(seconds)
        try:
            code = exit_code_of(partial(COMMAND, words, prog_name="offnominal"))
        finally:
            signal.alarm(0)
    said = [stream.buffer.getvalue().decode("utf-8", "surrogateescape") for stream in (out, err) if not stream.flush()]
    return code, said[0], said[1]


class Begun(OffnominalError):
    """A command got as far as its work."""


def begin(*_: Any, **__: Any) -> None:
    raise Begun("the work begins here.")


def files(place: Path) -> set[Path]:
    """Return the files around a working directory."""
    return {path for path in place.parents[1].rglob("*") if path.is_file() or path.is_symlink()}


def problem(words: list[str], place: Path, seconds: int = 0) -> str:
    """Return what is wrong with the answer to some arguments, or nothing."""
    before = files(place)
    try:
        code, _, err = run(words, seconds)
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    left = {path.relative_to(place.parents[1]) for path in files(place) - before}
    if code not in ((0, 1, 2) if not seconds else (0, 1, 2, 130)):
        return f"exit code {code}"
    if "Traceback" in err:
        return err
    if code == 2 and (not err.strip() or left):
        return f"left {sorted(map(str, left))}" if left else "says nothing"
    return ""


def test_x(place, limited, monkeypatch):
    if "FULL" not in os.environ:
        for name in WORK:
            monkeypatch.setattr(name, begin)
    import time

    sample = list(cases())
    random.Random(0).shuffle(sample)
    part = int(os.environ.get("PART", "400"))
    start = time.time()
    took = []
    with open("/tmp/wt/cli-found.txt", "w") as log:
        for words in [w for w in sample if w[0] in os.environ.get("ONLY", w[0])][:part]:
            begin_at = time.time()
            wrong = problem(words, place, 5)
            took.append((time.time() - begin_at, words))
            if wrong:
                log.write(f"{[w[:60] for w in words]!r}\n    {wrong[:300]}\n")
                log.flush()
        log.write(f"{time.time() - start}\n")
        for each in sorted(took, reverse=True)[:15]:
            log.write(f"{each[0]:.2f} {[w[:40] for w in each[1]]!r}\n")
