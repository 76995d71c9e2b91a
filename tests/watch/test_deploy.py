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

import numpy as np
import pytest
import typer

from offnominal.alarms import save_alarm
from offnominal.alarms.catalogue import UNLISTED, alarms, make_alarm
from offnominal.cli.program import program

from .processes import REFUSED, REFUSING, start

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
