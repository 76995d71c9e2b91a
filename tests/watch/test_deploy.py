"""The unit of systemd and the container use options that exist; the program tells the manager what it does."""

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import httpx
import numpy as np
import pytest
import typer

from offnominal.alarms import save_alarm
from offnominal.alarms.catalogue import UNLISTED, alarms, make_alarm
from offnominal.cli.program import program
from offnominal.watch import Fleet
from watch_lock import UNUSED, lock, pins

from .processes import REFUSED, REFUSING, start, until
from .streams import lines, samples

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
UNIT, CONTAINER = DEPLOY / "offnominal-watch@.service", DEPLOY / "Containerfile"


def parsed(words):
    """Parse the words of a command as the program does, without running it."""
    group = typer.main.get_group(program)
    return group.commands["watch"].make_context("watch", list(words), resilient_parsing=False).params


def test_the_command_of_the_unit_is_valid():
    text = UNIT.read_text()
    line = re.search(r"^ExecStart=(.*)$", text, re.MULTILINE)[1].replace("$WATCH_OPTIONS", "--port 8080")
    words = shlex.split(line.replace("${STATE_DIRECTORY}", "/state").replace("${LOGS_DIRECTORY}", "/logs"))
    assert words[0].endswith("/offnominal")
    assert words[1] == "watch"
    options = parsed(words[2:])
    assert (options["port"], str(options["checkpoint"])) == (8080, "/state/%i.state")
    for example in re.findall(r"^#   WATCH_OPTIONS=(.*)$", text, re.MULTILINE):
        assert parsed(["folder", *shlex.split(example)])["webhook"]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_accepts_the_unit(tmp_path):
    text = UNIT.read_text().replace("/opt/offnominal/bin/offnominal", "/bin/true")
    (tmp_path / "offnominal-watch@arm.service").write_text(text)
    checked = subprocess.run(
        ["systemd-analyze", "verify", tmp_path / "offnominal-watch@arm.service"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "offnominal-watch" not in checked.stderr, checked.stderr


def test_the_command_of_the_container_is_valid():
    text = CONTAINER.read_text()
    entry, command = (
        json.loads(re.search(rf"^{word} (\[.*\])$", text, re.MULTILINE)[1]) for word in ("ENTRYPOINT", "CMD")
    )
    assert entry == ["offnominal", "watch"]
    assert parsed(command)["host"] == "0.0.0.0"
    assert (ROOT / re.search(r"^COPY (\S+)", text, re.MULTILINE)[1]).exists()


def test_the_requirements_have_all_of_the_extra_and_agree_with_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = [line for line in (DEPLOY / "watch-requirements.txt").read_text().splitlines() if line[:1] != "#"]
    assert set(project["optional-dependencies"]["watch"]) <= set(listed)
    assert set(listed) <= {*project["optional-dependencies"]["watch"], *project["dependencies"]}


def test_the_container_and_the_lock_have_all_that_is_installed():
    text, script = CONTAINER.read_text(), (DEPLOY / "install.sh").read_text()
    copied = re.search(r"^COPY (.*) dist/", text, re.MULTILINE)[1].split()
    assert all((ROOT / name).is_file() for name in copied)
    assert {Path(name).name for name in copied} == {"install.sh", re.search(r"/(watch-lock\.txt)", script)[1]}
    assert "sh /tmp/install.sh python /tmp/offnominal-*.whl" in text


def test_the_lock_is_that_of_the_requirements():
    assert (DEPLOY / "watch-lock.txt").read_text() == lock()
    pinned = pins(lock())
    assert {"numpy", "onnxruntime", "pydantic-core"} <= pinned.keys()
    assert not UNUSED & pinned.keys()
    assert all("--hash=sha256:" in pin for pin in pinned.values())


PYTHON = """#!/bin/sh
echo "$*" >> "$(dirname "$0")/calls"
[ "$1" != -c ] || echo "$(dirname "$0")/packages"
"""


def test_the_install_script_can_run_again_and_takes_one_wheel(tmp_path):
    """With a stand-in for Python, which installs nothing."""
    python = tmp_path / "python"
    python.write_text(PYTHON)
    python.chmod(0o755)
    for part in ("numpy/linalg/tests", "onnxruntime/quantization", "onnxruntime/tools", "onnxruntime/transformers"):
        (tmp_path / "packages" / part).mkdir(parents=True)
    words = ["sh", DEPLOY / "install.sh", python]
    for _ in range(2):
        done = subprocess.run([*words, "new.whl"], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    left = [path.relative_to(tmp_path / "packages") for path in (tmp_path / "packages").glob("*/*")]
    assert left == [Path("numpy/linalg")]
    calls = (tmp_path / "calls").read_text()
    assert calls.count("-m pip install --no-deps --force-reinstall new.whl") == 2
    for wheels in ([], ["old.whl", "new.whl"]):
        done = subprocess.run([*words, *wheels], capture_output=True, text=True, check=False)
        assert (done.returncode, "usage: install.sh PYTHON WHEEL" in done.stderr) == (2, True)
    assert (tmp_path / "calls").read_text() == calls


@pytest.mark.slow
def test_the_install_script_makes_a_small_monitor_that_works(tmp_path, written, deployment, faulty):
    """As in the container, in an empty environment; skipped only if no packages can be downloaded."""
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path], cwd=ROOT, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    words = ["sh", DEPLOY / "install.sh", python, wheel]
    done = subprocess.run(words, env=clean, capture_output=True, text=True, check=False)
    if "No matching distribution found" in done.stderr:
        pytest.skip(done.stderr.splitlines()[-1])
    assert done.returncode == 0, done.stderr
    assert size_of(tmp_path / "venv") <= LARGEST_MB
    (tmp_path / "in.jsonl").write_text(lines(samples(faulty[0])))
    program = [python, "-m", "offnominal"]
    subprocess.run([*program, "verify", written], env=clean, check=True, capture_output=True)
    watch = [*program, "watch", written, "--input", tmp_path / "in.jsonl", "--checkpoint", tmp_path / "state"]
    done = subprocess.run([*watch, "--scores"], env=clean, check=True, capture_output=True, text=True)
    fleet, raised = Fleet(deployment), set()
    for sample in samples(faulty[0]):
        raised |= {event.id for event in fleet.take(json.loads(json.dumps(sample)), 0.0) if event.robot}
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert {each["id"] for each in told if each["type"] == "event" and "sequence" in each} >= raised > set()
    process = subprocess.Popen(
        [*program, "watch", written, "--port", "0", "--out", "/dev/null"], env=clean, stderr=subprocess.PIPE, text=True
    )
    address = re.search(r"http://127\.0\.0\.1:\d+", process.stderr.readline())[0]
    with httpx.Client(base_url=address, trust_env=False) as client:
        assert client.post("/samples", content=lines(samples(faulty[0]))).status_code == 202
        until(lambda: "offnominal_alarms_total{" in client.get("/metrics").text)
        assert client.get("/").status_code == client.get("/static/watch.js").status_code == 200
        order = [*program, "operate", "acknowledge", "r1", "--at", address]
        done = subprocess.run(order, env=clean, capture_output=True, text=True, check=True)
        assert "r1: acknowledged" in done.stderr
    process.terminate()
    assert process.wait(30) == 0


LARGEST_MB = 150.0


def size_of(environment):
    """Return the size of all files of an environment in MB, without pip and without the package itself."""
    (packages,) = environment.glob("lib/python*/site-packages")
    left_out = re.compile(r"(pip|setuptools|pkg_resources|_distutils_hack|offnominal)([-_.].*)?$")
    parts = [path for path in packages.iterdir() if not left_out.match(path.name)]
    return sum(file.lstat().st_size for part in parts for file in (part, *part.rglob("*")) if file.is_file()) / 1e6


@pytest.mark.long
def test_the_manager_is_told_ready_alive_and_stopping(tmp_path, written):
    address = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(address)
        manager.settimeout(60)
        process = start(
            written,
            "--out",
            tmp_path / "out",
            env={**os.environ, "NOTIFY_SOCKET": address, "WATCHDOG_USEC": "200000"},
        )
        assert manager.recv(100) == b"READY=1"
        assert [manager.recv(100) for _ in range(3)] == [b"WATCHDOG=1"] * 3
        process.terminate()
        while (state := manager.recv(100)) == b"WATCHDOG=1":
            pass
        assert state == b"STOPPING=1"
    assert process.wait(20) == 0


LOADING = f"""{REFUSING}
import json
from pathlib import Path
from offnominal.alarms import load_alarm
folder = Path(sys.argv[1])
scores = json.loads((folder / "scores.json").read_text())
print(json.dumps({{file.stem: load_alarm(file).first_alarms(scores) for file in folder.glob("*.alarm")}}))
"""


@pytest.mark.long
def test_every_alarm_is_the_same_with_the_requirements_of_the_monitor_alone(tmp_path):
    draw = np.random.default_rng(0)
    nominal, fresh = draw.normal(size=(2, 100, 30))
    fresh[::4, 15:] += 4.0
    (tmp_path / "scores.json").write_text(json.dumps(fresh.tolist()))
    windows = {id: {"window": 10} for id in UNLISTED if id != "ModeThresholds"}
    expected = {}
    for id, options in ({id: {} for id in alarms.ids()} | windows).items():
        alarm = make_alarm(id, **options).fit(list(nominal))
        save_alarm(tmp_path / f"{id}.alarm", alarm)
        expected[id] = alarm.first_alarms(list(fresh))
    assert any(first is not None for found in expected.values() for first in found)
    done = subprocess.run(
        [sys.executable, "-c", LOADING, str(tmp_path)], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == expected


def test_the_requirements_are_not_among_the_packages_that_tests_refuse():
    listed = (DEPLOY / "watch-requirements.txt").read_text()
    assert not [name for name in REFUSED if re.search(rf"^{name}\b", listed, re.MULTILINE)]
