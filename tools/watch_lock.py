"""Writes the pins of the monitor, with hashes: those of the development environment that a monitor imports.

    python tools/watch_lock.py

`deploy/watch-requirements.txt` names what a monitor imports; here are its requirements, too, less those that it never
imports. `make lock` runs this after the other pins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

ROOT = Path(__file__).parents[1]
WANTED, PINS, LOCK = (
    ROOT / "deploy/watch-requirements.txt",
    ROOT / "requirements/dev.txt",
    ROOT / "deploy/watch-lock.txt",
)
UNUSED = {"flatbuffers", "packaging", "protobuf"}
"""Required by onnxruntime, for its tools that convert models."""
PYTHONS = ("3.11", "3.12", "3.13")
HEADER = """# Pins of deploy/install.sh, made by `python tools/watch_lock.py` from requirements/dev.txt.
# To be installed with --no-deps: onnxruntime requires packages that it does not need to run a model.
"""


def closure(wanted: list[str]) -> set[NormalizedName]:
    """Return the names of packages and of all that they require on Linux, less those that are not used."""
    found: set[NormalizedName] = set()
    waiting = [canonicalize_name(Requirement(line).name) for line in wanted]
    while waiting:
        name = waiting.pop()
        if name not in found | UNUSED:
            found.add(name)
            waiting += required(name)
    return found


def required(name: str) -> Iterator[NormalizedName]:
    """Yield the names of what an installed package requires on Linux, with any version of Python, without extras."""
    for line in requires(name) or ():
        each = Requirement(line)
        places = [{"python_version": python, "sys_platform": "linux", "extra": ""} for python in PYTHONS]
        if each.marker is None or any(each.marker.evaluate(place) for place in places):
            yield canonicalize_name(each.name)


def pins(text: str) -> dict[str, str]:
    """Return by name the pin of each package with its hashes, as in the file."""
    found = re.findall(r"^(([A-Za-z0-9._-]+)==.*\n(?:    .*\n)*)", text, re.MULTILINE)
    return {canonicalize_name(name): pin for pin, name in found}


def lock() -> str:
    """Return the content of the lock."""
    lines = [line for line in WANTED.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    known = pins(PINS.read_text(encoding="utf-8"))
    return HEADER + "".join(known[name] for name in sorted(closure(lines)))


if __name__ == "__main__":
    LOCK.write_text(lock(), encoding="utf-8")
